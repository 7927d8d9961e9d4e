/** What is known of statements when lines are folded: their covers, the days told twice, and on which day a line counts. */
import { addDays, type Day, parseDay } from '../../../calendar/index.ts';
import type { BankLine } from '../../rules/matching/bank-line.ts';
import type { IsToldTwice } from '../../rules/matching/deliveries/deliveries.ts';
import { type StatementCover, statementKey } from '../../rules/matching/statement-chain.ts';
import { Tellings } from '../../rules/matching/deliveries/tellings.ts';
import { closedPeriods, type StoredPeriod } from '../../store/matches.ts';
import {
  daysToldTwice,
  type TellingStatement,
  tellingStatements,
  withdrawnStatements,
} from '../../store/statements.ts';
import type { StageRun } from '../../store/stage.ts';
import { dayOfText } from './day-of-text.ts';

export function coverOf(stored: TellingStatement): StatementCover {
  const { feed, ordinal, from, to, ...cover } = stored;
  return {
    ...cover,
    key: statementKey(feed, ordinal),
    from: dayOfText(from, 'statement'),
    to: dayOfText(to, 'statement'),
  };
}

export interface Told {
  readonly tellings: Tellings;
  readonly isToldTwice: IsToldTwice;
  /** Days of which also closed lines are needed. */
  readonly days: readonly string[];
  readonly isWithdrawn: (line: BankLine) => boolean;
  readonly posted: (line: BankLine) => BankLine;
}

export async function toldUntil(at: StageRun, until: string): Promise<Told> {
  const tellings = new Tellings((await tellingStatements(at)).map(coverOf));
  const contested = await daysToldTwice(at, until);
  const keys = new Set(contested.map(({ account, day }) => `${parseDay(day)} ${account}`));
  const withdrawn = new Set(
    (await withdrawnStatements(at)).map(({ feed, statement }) =>
      statementKey(feed, statement ?? 0),
    ),
  );
  const isWithdrawn = ({ source: { feed }, statement }: BankLine): boolean =>
    withdrawn.size > 0 &&
    (withdrawn.has(statementKey(feed, 0)) || withdrawn.has(statementKey(feed, statement ?? 1)));
  const closed = closedDays(await closedPeriods(at));
  return {
    tellings,
    isToldTwice: (account, day) => keys.size > 0 && keys.has(`${day} ${account}`),
    days: [...new Set(contested.map(({ day }) => day))],
    isWithdrawn,
    posted: (line) => {
      const begin = tellings.beginOf(tellings.of(line)) ?? line.bookingDate;
      const day = firstOpenDay(closed.get(line.account) ?? [], later(line.bookingDate, begin));
      return day === line.bookingDate ? line : { ...line, postedOn: day };
    },
  };
}

interface Days {
  readonly from: Day;
  readonly to: Day;
}

function closedDays(periods: readonly StoredPeriod[]): ReadonlyMap<string, readonly Days[]> {
  const byAccount = new Map<string, Days[]>();
  for (const { account, from, to } of periods) {
    const days = { from: dayOfText(from, 'the period'), to: dayOfText(to, 'the period') };
    byAccount.set(account, [...(byAccount.get(account) ?? []), days]);
  }
  for (const days of byAccount.values()) days.sort((one, other) => one.from - other.from);
  return byAccount;
}

/** What is closed stays as it is: a line that was not there then counts on the next day that is open. */
function firstOpenDay(closed: readonly Days[], day: Day): Day {
  let open = day;
  for (const { from, to } of closed) if (from <= open && open <= to) open = addDays(to, 1);
  return open;
}

function later(one: Day, other: Day): Day {
  return one > other ? one : other;
}
