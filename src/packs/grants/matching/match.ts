/**
 * Bank lines against expected receipts. Every line ends in exactly one outcome, a receipt is given away at most once,
 * and what is matched agrees to the cent. The same lines give the same bytes, in whatever order they come.
 */
import { invariant } from '../../../core/index.ts';
import type { BankLine, ExpectedReceipt } from './bank-line.ts';
import { type IsBusinessDay, isWeekday } from './business-days.ts';
import { matchByAmount } from './by-amount.ts';
import { matchByReference } from './by-reference.ts';
import { matchInParts } from './in-parts.ts';
import { sortLeftovers } from './leftovers.ts';
import { MATCH_RULES, type MatchOutcome } from './outcome.ts';
import { MATCH_POLICY, type MatchPolicy } from './policy.ts';
import { setAsideWhatIsNoMoney } from './preparation.ts';
import { type Workbench, workbenchOf } from './workbench.ts';

export interface MatchInput {
  readonly lines: readonly BankLine[];
  readonly receipts: readonly ExpectedReceipt[];
  /** `MATCH_POLICY` unless told. */
  readonly policy?: MatchPolicy;
  /** Monday to Friday unless told. */
  readonly isBusinessDay?: IsBusinessDay;
}

/** Outcomes by rule, and within a rule by date. */
export function matchReceipts(input: MatchInput): readonly MatchOutcome[] {
  const outcomes: MatchOutcome[] = [];
  const places: number[] = [];
  matchEach(input, (outcome, place) => {
    outcomes.push(outcome);
    places.push(place);
  });
  const rankOf = new Map<string, number>(MATCH_RULES.map((rule, rank) => [rule, rank]));
  const ranks = outcomes.map(({ rule }) => rankOf.get(rule) ?? 0);
  const at = (list: readonly number[], index: number): number => list[index] ?? 0;
  const order = Uint32Array.from(outcomes.keys()).sort(
    (one, other) => at(ranks, one) - at(ranks, other) || at(places, one) - at(places, other),
  );
  return [...order].flatMap((index) => outcomes[index] ?? []);
}

/**
 * The same outcomes one by one as they are found, for those who store them and need not hold them all. Their order is not
 * that of `matchReceipts`, but does not depend on the order of the input either.
 */
export function matchEach(
  input: MatchInput,
  take: (outcome: MatchOutcome, place: number) => void,
): void {
  const { policy = MATCH_POLICY, isBusinessDay = isWeekday } = input;
  const bench = workbenchOf({ ...input, policy, isBusinessDay, take });
  setAsideWhatIsNoMoney(bench);
  matchByReference(bench);
  matchInParts(bench);
  matchByAmount(bench);
  sortLeftovers(bench);
  checkAllSettled(bench);
}

/** Checked on every run: what has no outcome would be forgotten. */
function checkAllSettled({ lines, receipts }: Workbench): void {
  invariant(
    lines.every(({ isOpen }) => !isOpen),
    'a bank line has no outcome',
  );
  invariant(
    receipts.every(({ state }) => state !== 'open'),
    'a receipt has no outcome',
  );
}
