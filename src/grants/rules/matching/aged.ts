/** What waits for a match, and for how long. */
import { type Day, formatDay } from '../../../calendar/index.ts';
import type { BankLine, Direction, ExpectedPayment } from './bank-line.ts';
import { type IsBusinessDay, isWeekday } from './business-days.ts';
import { type Candidate, candidatesOf, fromTheOtherSide } from './candidates.ts';
import type { FoundOutcome, MatchRule } from './outcome.ts';
import { compare, payerOfLine } from './workbench.ts';

/** Calendar days; the last bucket has no end. */
const AGE_BUCKETS = ['0-30', '31-60', '61-90', 'over-90'] as const;
type AgeBucket = (typeof AGE_BUCKETS)[number];

export interface AgedEntry {
  readonly side: 'bank' | 'ledger';
  readonly id: string;
  readonly rule: MatchRule;
  readonly since: string;
  /** Zero where the date has not come yet. */
  readonly days: number;
  readonly bucket: AgeBucket;
  readonly amountCents: number;
  readonly currency: string;
  /** Money in, or money out. */
  readonly direction: Direction;
  /** Of a bank line. */
  readonly account: string | undefined;
  readonly payer: string | undefined;
  readonly text: string | undefined;
  readonly references: readonly string[];
  /** Expected later than the day of the list: nothing is missing yet. */
  readonly isUpcoming: boolean;
  readonly why: string;
  /** Awards that a line could be for, or lines that an award could be paid by; the best first. */
  readonly candidates: readonly Candidate[];
}

type Face = Pick<
  AgedEntry,
  | 'id'
  | 'amountCents'
  | 'currency'
  | 'direction'
  | 'account'
  | 'payer'
  | 'text'
  | 'references'
  | 'isUpcoming'
>;
type WithoutCandidates = Omit<AgedEntry, 'candidates'>;

/** Everything that a person still has to resolve, the oldest first; `found` as `matchEach` gives it. */
export function agedUnmatched(
  found: Iterable<FoundOutcome>,
  asOf: Day,
  isBusinessDay: IsBusinessDay = isWeekday,
): readonly AgedEntry[] {
  const entries = new Map<string, WithoutCandidates>();
  const open = { lines: [] as BankLine[], expectedPayments: [] as ExpectedPayment[] };
  for (const { outcome, lines, expectedPayments } of found) {
    const { rule, status, reason } = outcome;
    if (status !== 'manual' && status !== 'review' && status !== 'open') continue;
    const isNew = (side: AgedEntry['side'], face: Face, since: Day): boolean => {
      const key = `${side} ${face.id}`;
      // A expected payment may be a candidate of several lines; it waits only once, by the rule that is listed first.
      if (entries.has(key)) return false;
      const days = Math.max(0, asOf - since);
      const age = { since: formatDay(since), days, bucket: bucketOf(days) };
      entries.set(key, { side, rule, ...age, ...face, why: reason.text });
      return true;
    };
    for (const line of lines) {
      if (isNew('bank', faceOfLine(line), line.bookingDate)) open.lines.push(line);
    }
    for (const expected of expectedPayments) {
      if (isNew('ledger', faceOfExpected(expected, asOf), expected.expected))
        open.expectedPayments.push(expected);
    }
  }
  const ofLines = candidatesOf(open.lines, open.expectedPayments, isBusinessDay);
  const ofExpected = fromTheOtherSide(ofLines);
  return [...entries.values()]
    .map((entry) => ({
      ...entry,
      candidates: (entry.side === 'bank' ? ofLines : ofExpected).get(entry.id) ?? [],
    }))
    .sort(
      (one, other) =>
        other.days - one.days || compare(one.side, other.side) || compare(one.id, other.id),
    );
}

function faceOfLine(line: BankLine): Face {
  const { id, amountCents, currency, direction, account, references } = line;
  return {
    id,
    amountCents,
    currency,
    direction,
    account,
    payer: payerOfLine(line),
    text: line.description,
    references,
    isUpcoming: false,
  };
}

function faceOfExpected(expected: ExpectedPayment, asOf: Day): Face {
  const { id, amountCents, currency, direction, payer, reference } = expected;
  return {
    id,
    amountCents,
    currency,
    direction,
    account: undefined,
    payer: payer === '' ? undefined : payer,
    text: undefined,
    references: reference === undefined ? [] : [reference],
    isUpcoming: expected.expected > asOf,
  };
}

function bucketOf(days: number): AgeBucket {
  if (days <= 30) return '0-30';
  if (days <= 60) return '31-60';
  return days <= 90 ? '61-90' : 'over-90';
}
