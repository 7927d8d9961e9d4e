/**
 * Bank lines against expected receipts. Every line ends in exactly one outcome, a receipt is given away at most once,
 * and what is matched agrees to the cent. The same lines give the same bytes, in whatever order they come.
 */
import type { Day } from '../../../calendar/index.ts';
import { invariant } from '../../../core/index.ts';
import type { BankLine, ExpectedReceipt } from './bank-line.ts';
import { BusinessDays, type IsBusinessDay, isWeekday } from './business-days.ts';
import { matchByAmount } from './by-amount.ts';
import { matchByReference } from './by-reference.ts';
import { type Batch, batchesOf } from './components/batches.ts';
import { ListedEntries, type OpenEntries } from './entries/open-entries.ts';
import { matchInParts } from './in-parts.ts';
import { sortLeftovers } from './leftovers.ts';
import { inListOrder } from './list-order.ts';
import type { FoundOutcome, MatchOutcome } from './outcome.ts';
import { MATCH_POLICY, type MatchPolicy } from './policy.ts';
import { setAsideWhatIsNoMoney } from './preparation.ts';
import { type Workbench, workbenchOf } from './workbench.ts';

export interface MatchOptions {
  /** `MATCH_POLICY` unless told. */
  readonly policy?: MatchPolicy;
  /** Monday to Friday unless told. */
  readonly isBusinessDay?: IsBusinessDay;
  /** Entries that are matched at once, unless more of them hang together; it changes no outcome. `BATCH_ENTRIES` unless told. */
  readonly batchEntries?: number;
}

export interface MatchInput extends MatchOptions {
  readonly lines: readonly BankLine[];
  readonly receipts: readonly ExpectedReceipt[];
}

/** A megabyte or two of objects, which die young. Between 1,000 and 8,000 the cost of a match hardly changes. */
export const BATCH_ENTRIES = 2_000;

/** Outcomes by rule, and within a rule by date. */
export function matchReceipts(input: MatchInput): readonly MatchOutcome[] {
  const entries = new ListedEntries(input.lines, input.receipts);
  return [...matchEach(entries, input)].sort(inListOrder).map(({ outcome }) => outcome);
}

/**
 * The same outcomes batch by batch, for those who need not hold them all. Their order is that of `matchReceipts` only within
 * a batch, but does not depend on the order of the input either. Outcomes that name the same entry are in the same batch.
 */
export function* matchEach(
  entries: OpenEntries,
  options: MatchOptions = {},
): Generator<FoundOutcome> {
  const { policy = MATCH_POLICY, isBusinessDay = isWeekday } = options;
  const days = new BusinessDays(allDays(entries), isBusinessDay);
  for (const batch of batchesOf(entries, options.batchEntries ?? BATCH_ENTRIES)) {
    yield* matchBatch(batch, policy, days);
  }
}

function matchBatch(batch: Batch, policy: MatchPolicy, days: BusinessDays): FoundOutcome[] {
  const found: FoundOutcome[] = [];
  const bench = workbenchOf({ ...batch, policy, days, take: (one) => found.push(one) });
  setAsideWhatIsNoMoney(bench);
  matchByReference(bench);
  matchInParts(bench);
  matchByAmount(bench);
  sortLeftovers(bench);
  checkAllSettled(bench);
  return found.sort(inListOrder);
}

function* allDays({ couplings }: OpenEntries): Generator<Day> {
  for (const { days } of [couplings.lines, couplings.receipts]) {
    // They were days when they were added.
    for (let at = 0; at < days.length; at += 1) yield days.at(at) as Day;
  }
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
