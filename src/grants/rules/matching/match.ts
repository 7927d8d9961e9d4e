/**
 * Bank lines against expected payments. Every line ends in exactly one outcome, a expected payment is given away at most once,
 * and what is matched agrees to the cent. The same lines give the same bytes, in whatever order they come.
 */
import type { Day } from '../../../calendar/index.ts';
import { invariant } from '../../../core/index.ts';
import { type BankLine, type ExpectedPayment, isHint } from './bank-line.ts';
import { BusinessDays, type IsBusinessDay, isWeekday } from './business-days.ts';
import { matchByAmount } from './by-amount.ts';
import { matchByReference } from './by-reference.ts';
import { matchBatches } from './batch-details.ts';
import { type Batch, batchesOf } from './components/batches.ts';
import { Deliveries, type IsToldTwice } from './deliveries/deliveries.ts';
import { Tellings } from './deliveries/tellings.ts';
import { toldOutcome } from './deliveries/told-outcomes.ts';
import { ListedEntries, type OpenEntries } from './entries/open-entries.ts';
import { matchInParts } from './in-parts.ts';
import { matchInstallments } from './installments.ts';
import { sortLeftovers } from './leftovers.ts';
import { matchLessFee } from './less-fee.ts';
import { inListOrder } from './list-order.ts';
import type { FoundOutcome, MatchOutcome } from './outcome.ts';
import { MATCH_POLICY, type MatchPolicy } from './policy.ts';
import { setAsideWhatIsNoMoney } from './preparation.ts';
import { type StatementCover, statementKey } from './statement-chain.ts';
import { type Workbench, workbenchOf } from './workbench.ts';

interface MatchOptions {
  /** `MATCH_POLICY` unless told. */
  readonly policy?: MatchPolicy;
  /** Monday to Friday unless told. */
  readonly isBusinessDay?: IsBusinessDay;
  /** Entries that are matched at once, unless more of them hang together; it changes no outcome. `BATCH_ENTRIES` unless told. */
  readonly batchEntries?: number;
}

interface MatchInput extends MatchOptions {
  readonly lines: readonly BankLine[];
  readonly expectedPayments: readonly ExpectedPayment[];
  /** Those that tell the lines, where they are known. */
  readonly statements?: readonly StatementCover[];
}

/** A megabyte or two of objects, which die young. Between 1,000 and 8,000 the cost of a match hardly changes. */
export const BATCH_ENTRIES = 2_000;

/** Outcomes by rule, and within a rule by date. */
export function matchExpectedPayments(input: MatchInput): readonly MatchOutcome[] {
  const { lines, told } = entriesOf(input);
  const entries = new ListedEntries(lines, input.expectedPayments);
  return [...told, ...matchEach(entries, input)].sort(inListOrder).map(({ outcome }) => outcome);
}

/** Deliveries folded into entries; lines that no statement tells stand for themselves. */
function entriesOf({ lines, statements = [] }: MatchInput): {
  readonly lines: readonly BankLine[];
  readonly told: readonly FoundOutcome[];
} {
  const isTold = ({ statement }: BankLine): boolean => statement !== undefined;
  const deliveries = new Deliveries(new Tellings(statements), toldTwice(lines.filter(isTold)));
  for (const line of lines) if (isTold(line) && isHint(line)) deliveries.addHint(line);
  const entries: BankLine[] = [];
  for (const line of lines) {
    if (!isTold(line)) entries.push(line);
    else if (!isHint(line) && !deliveries.keep(line, false)) entries.push(line);
  }
  const told: FoundOutcome[] = [];
  for (const folded of deliveries.folded()) {
    if (folded.kind === 'entry') entries.push(folded.line);
    else told.push(toldOutcome(folded));
  }
  return { lines: entries, told };
}

function toldTwice(lines: readonly BankLine[]): IsToldTwice {
  const first = new Map<string, string>();
  const twice = new Set<string>();
  for (const line of lines) {
    if (isHint(line)) continue;
    const day = `${line.bookingDate} ${line.account}`;
    const key = statementKey(line.source.feed, line.statement ?? 0);
    const known = first.get(day);
    if (known === undefined) first.set(day, key);
    else if (known !== key) twice.add(day);
  }
  return (account, day) => twice.has(`${day} ${account}`);
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
  matchBatches(bench);
  matchByReference(bench);
  matchInParts(bench);
  matchLessFee(bench);
  matchInstallments(bench);
  matchByAmount(bench);
  sortLeftovers(bench);
  checkAllResolved(bench);
  return found.sort(inListOrder);
}

function* allDays({ couplings }: OpenEntries): Generator<Day> {
  for (const { days } of [couplings.lines, couplings.expectedPayments]) {
    // They were days when they were added.
    for (let at = 0; at < days.length; at += 1) yield days.at(at) as Day;
  }
}

/** Checked on every run: what has no outcome would be forgotten. */
function checkAllResolved({ lines, expectedPayments }: Workbench): void {
  invariant(
    lines.every(({ isOpen }) => !isOpen),
    'a bank line has no outcome',
  );
  invariant(
    expectedPayments.every(({ state }) => state !== 'open'),
    'an expected payment has no outcome',
  );
}
