/** Who knows the balances of a period: the one before it, people, statements; and what its entries add up to. */
import { addDays, type Day, formatDay } from '../../../calendar/index.ts';
import { chainOfPeriod } from '../../rules/matching/period.ts';
import {
  checkBalance,
  type KnownBalance,
  type LawAnswer,
  type Period,
} from '../../rules/matching/balance-law.ts';
import type { IsBusinessDay } from '../../rules/matching/business-days.ts';
import type { StatementCover } from '../../rules/matching/statement-chain.ts';
import { Tellings } from '../../rules/matching/deliveries/tellings.ts';
import { closedNet, statedBalances, statementNet } from '../../store/balances.ts';
import type { StageRun } from '../../store/stage.ts';
import type { StoredPeriod } from '../../store/matches.ts';
import type { TellingStatement } from '../../store/statements.ts';
import type { AccountNets } from './account-nets.ts';

/** Where no statement names one. */
const CURRENCY = 'USD';

interface PeriodMoney {
  readonly period: Period;
  /** Of the account, and the same as covers. */
  readonly stored: readonly TellingStatement[];
  readonly statements: readonly StatementCover[];
  readonly closed: readonly StoredPeriod[];
  readonly previousClosingCents: number | undefined;
  readonly isBusinessDay: IsBusinessDay;
  /** Of the entries that no period has closed. */
  readonly nets: AccountNets;
}

export async function lawOf(at: StageRun, money: PeriodMoney): Promise<LawAnswer> {
  const { period, stored, closed } = money;
  const { account, from, to } = period;
  const eve = addDays(from, -1);
  const stated = await statedBalances(at, account, [eve, to].map(formatDay));
  const byPerson = (day: Day): KnownBalance[] => {
    const cents = stated.get(formatDay(day));
    return cents === undefined ? [] : [{ cents: BigInt(cents), by: 'entered by a person' }];
  };
  const balances = new StatementBalances(at, money);
  const { first, last } = chainOfPeriod(money);
  const before = money.previousClosingCents;
  const openings: readonly KnownBalance[] =
    before === undefined
      ? await balances.before(first, eve)
      : [{ cents: BigInt(before), by: 'the period before' }];
  const currency = stored.find((one) => one.currency !== undefined)?.currency ?? CURRENCY;
  const open = money.nets.between({ account, currency }, from, to);
  const days = { account, from: formatDay(from), to: formatDay(to) };
  return checkBalance({
    period,
    currency,
    netCents: open.cents + (await closedNet(at, days)),
    entries: open.entries,
    openings: [...openings, ...byPerson(eve)],
    closings: [...(await balances.after(last, to)), ...byPerson(to)],
    isFirst: !closed.some((one) => one.account === account && one.to < days.from),
  });
}

/** Balances at the end of a day that statements tell. */
class StatementBalances {
  readonly #at: StageRun;
  readonly #money: PeriodMoney;
  readonly #tellings: Tellings;

  constructor(at: StageRun, money: PeriodMoney) {
    this.#at = at;
    this.#money = money;
    this.#tellings = new Tellings(money.statements);
  }

  async before(first: StatementCover | undefined, eve: Day): Promise<readonly KnownBalance[]> {
    if (first?.openingCents === undefined) return [];
    return [await this.#inside(first, first.openingCents, eve)];
  }

  async after(last: StatementCover | undefined, to: Day): Promise<readonly KnownBalance[]> {
    if (last === undefined) return [];
    if (last.to > to && last.openingCents !== undefined) {
      return [await this.#inside(last, last.openingCents, to)];
    }
    if (last.to <= to && last.closingCents !== undefined) {
      return [{ cents: BigInt(last.closingCents), by: named(last, 'closes') }];
    }
    return this.#fromOthers(last, to);
  }

  /** What another statement of the same last day closes with, or the next one opens with. */
  #fromOthers(last: StatementCover, to: Day): readonly KnownBalance[] {
    const { statements, isBusinessDay } = this.#money;
    const same = statements.filter(
      (one) => one.to === last.to && one.to <= to && one.closingCents !== undefined,
    );
    if (same.length > 0) {
      return same.map((one) => ({
        cents: BigInt(one.closingCents ?? 0),
        by: named(one, 'closes'),
      }));
    }
    const [next] = statements
      .filter((one) => one.from > to && one.openingCents !== undefined)
      .toSorted((one, other) => one.from - other.from || one.to - other.to);
    if (next?.openingCents === undefined) return [];
    for (let day = addDays(to, 1); day < next.from; day = addDays(day, 1)) {
      if (isBusinessDay(day)) return [];
    }
    return [{ cents: BigInt(next.openingCents), by: named(next, 'opens') }];
  }

  /** Inside a statement: what it opens with, and its lines until then. */
  async #inside(statement: StatementCover, opening: number, day: Day): Promise<KnownBalance> {
    const { account, key = '' } = statement;
    const cut = key.lastIndexOf('/');
    const [feed, ordinal] = [key.slice(0, cut), Number(key.slice(cut + 1))];
    const begin = this.#tellings.beginOf({ key, feed, cover: statement }) ?? statement.from;
    const until = formatDay(day);
    const net = begin > day ? 0n : await statementNet(this.#at, { feed, ordinal, account }, until);
    return { cents: BigInt(opening) + net, by: named(statement, 'opens') };
  }
}

function named({ number, from, to }: StatementCover, what: 'opens' | 'closes'): string {
  const which = number === undefined ? 'the statement' : `statement ${number}`;
  return `${which} of ${formatDay(from)} to ${formatDay(to)} ${what} with it`;
}
