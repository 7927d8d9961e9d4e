/** What is to be matched: lines and promised money that no closed period has resolved. */
import { type Day, formatDay, parseDay } from '../../../calendar/index.ts';
import type { BankLine, ExpectedPayment } from '../../rules/matching/bank-line.ts';
import type { FoundOutcome } from '../../rules/matching/outcome.ts';
import { matchEach } from '../../rules/matching/match.ts';
import { PackedEntries } from '../../rules/matching/entries/open-entries.ts';
import { type CountedAward, countedAwards } from '../../store/parts.ts';
import { passedAwards, type PassedItem } from '../../store/awards.ts';
import { hasOpenRestsAfter, resolutions } from '../../store/matches.ts';
import type { StageRun } from '../../store/stage.ts';
import type { AccountNets } from './account-nets.ts';
import { ClosedReturns } from './closed-returns.ts';
import { dayOfText } from './day-of-text.ts';
import { foldLines } from './fold-lines.ts';
import { LaterInstallments } from './later-installments.ts';
import type { ReconciliationDeps } from './deps.ts';
import { ResolvedEntries, type WaitingLine } from './resolved-entries.ts';
import type { ToldLines } from './told-lines.ts';
import { withdrawnWords } from './withdrawn-words.ts';

interface OpenItems {
  /** What the rules are asked about. */
  readonly entries: PackedEntries;
  /** What people have resolved, which the rules are not asked about. */
  readonly byPerson: readonly FoundOutcome[];
  /** Of those, lines of which only a part is known. */
  readonly waiting: readonly WaitingLine[];
  /** What takes back a payment that a closed period has counted. */
  readonly returns: ClosedReturns;
  /** Lines that are no entries: second deliveries, hints; and what a closed period should have had. */
  readonly told: ToldLines;
  /** Of all entries, each counted once. */
  readonly nets: AccountNets;
  readonly lines: number;
  readonly expectedPayments: number;
  /** Awards that say no day, or promise no money: nothing can be matched with them. */
  readonly undated: number;
  readonly reopened: Reopened;
}

/** The part of an award that this boundary needs; the rest of the contract stays unread. */
type PassedAward = PassedItem & {
  readonly payload: {
    readonly grantor_id: string;
    readonly award_amount: number;
    readonly noncash_amount?: number;
    readonly expected_on?: string;
    readonly payer?: string;
    readonly grantor_name?: string;
    readonly reference?: string;
    readonly currency: string;
  };
};

export async function openItems(
  deps: ReconciliationDeps,
  at: StageRun,
  until: Day,
): Promise<OpenItems> {
  const said = await resolutions(at);
  const resolved = new ResolvedEntries(said);
  const ofWithdrawn = await withdrawnWords(deps, at, until, said);
  const entries = new PackedEntries();
  const returns = new ClosedReturns();
  const counts = { lines: 0, expectedPayments: 0, undated: 0 };
  const take = (line: BankLine, ids: readonly string[], late: ToldLines | undefined): void => {
    if (resolved.keepLine(line, [...ids, ...ids.flatMap((id) => ofWithdrawn.get(id) ?? [])]))
      return;
    // What a closed period did not have is for a person, not for the rules.
    if (late !== undefined) {
      late.addLate(line);
      return;
    }
    if (!returns.keep(line)) entries.addLine(line);
  };
  const { told, nets, lines: count } = await foldLines(deps, at, until, take);
  counts.lines = count;
  // Before expected payments are looked at: what goes back now is expected again, and may come again before anything is closed.
  for (const line of resolved.doubtful()) if (!returns.keep(line)) entries.addLine(line);
  await returns.find(deps, at, function* () {
    yield* resolved.kept();
    yield* entries.lines();
  });
  for (const line of returns.forRules()) entries.addLine(line);
  const reopened = together(returns.reopened(), resolved.reopened());
  for await (const group of openExpectedPayments(deps, at, reopened)) {
    counts.undated += group.undated;
    counts.expectedPayments += group.expectedPayments.length;
    for (const expectedPayment of group.expectedPayments) {
      if (!resolved.keepExpectedPayment(expectedPayment))
        entries.addExpectedPayment(expectedPayment);
    }
  }
  const { byPerson, waiting, expectedPayments, lines } = resolved.decided();
  const later = new LaterInstallments(await waitingAfter(deps, at, until), waiting);
  for (const expectedPayment of expectedPayments) {
    const free = later.keep(expectedPayment);
    if (free !== undefined) entries.addExpectedPayment(free);
  }
  for (const line of lines) entries.addLine(line);
  return {
    entries,
    byPerson: [...byPerson, ...later.outcomes()],
    waiting,
    returns,
    told,
    nets,
    reopened,
    ...counts,
  };
}

/** Behind every line. */
export const LAST_DAY = dayOfText('2999-12-31', 'the last day');

/** Lines behind the last day of a matching of which only a part is known: a matching of earlier days must leave it to them. */
async function waitingAfter(
  deps: ReconciliationDeps,
  at: StageRun,
  until: Day,
): Promise<readonly WaitingLine[]> {
  // Nearly always: nothing is matched twice.
  if (until >= LAST_DAY || !(await hasOpenRestsAfter(at, formatDay(until)))) return [];
  return (await openItems(deps, at, LAST_DAY)).waiting;
}

/** What goes back in this matching of what closed periods have counted: cents by award. */
export type Reopened = ReadonlyMap<string, number>;

function together(one: Reopened, other: Reopened): Reopened {
  const sums = new Map(one);
  for (const [award, cents] of other) sums.set(award, (sums.get(award) ?? 0) + cents);
  return sums;
}

interface OpenExpectedPayments {
  readonly expectedPayments: readonly ExpectedPayment[];
  readonly undated: number;
}

export async function* openExpectedPayments(
  deps: ReconciliationDeps,
  at: StageRun,
  reopened: Reopened,
): AsyncGenerator<OpenExpectedPayments> {
  for await (const group of passedAwards(deps.store, at)) {
    // Written by ingestion; its schema has let only such payloads through.
    const awards = group as readonly PassedAward[];
    const keys = awards.map(({ metadata }) => metadata.idempotency_key);
    const counted = less(await countedAwards(at, keys), reopened);
    const open = awards.filter((award) => openCents(award, counted) !== 0);
    const expectedPayments = open.flatMap((award) => expectedPaymentOf(award, counted) ?? []);
    yield { expectedPayments, undated: open.length - expectedPayments.length };
  }
}

/** What closed periods have counted, without what goes back in this matching. */
function less(
  counted: ReadonlyMap<string, CountedAward>,
  reopened: Reopened,
): ReadonlyMap<string, CountedAward> {
  if (reopened.size === 0) return counted;
  return new Map(
    [...counted].map(([award, known]) => {
      const cents = Math.max(0, known.cents - (reopened.get(award) ?? 0));
      return [award, { ...known, cents }];
    }),
  );
}

/** What is still to come; undefined for an award of goods and services alone, which never come to a bank. */
function openCents(
  { payload, metadata }: PassedAward,
  counted: ReadonlyMap<string, CountedAward>,
): number | undefined {
  const money = payload.award_amount - (payload.noncash_amount ?? 0);
  if (money === 0) return undefined;
  // More than was promised may have come, where a person said so.
  return Math.max(0, money - (counted.get(metadata.idempotency_key)?.cents ?? 0));
}

function expectedPaymentOf(
  award: PassedAward,
  counted: ReadonlyMap<string, CountedAward>,
): ExpectedPayment | undefined {
  const { payload, metadata } = award;
  const expected = parseDay(payload.expected_on ?? '');
  const money = openCents(award, counted);
  if (expected === undefined || money === undefined || money === 0) return undefined;
  const before = counted.get(metadata.idempotency_key);
  const goods = before?.hasGoods === true ? 0 : (payload.noncash_amount ?? 0);
  return {
    id: metadata.idempotency_key,
    grant: payload.grantor_id,
    payer: payload.payer ?? payload.grantor_name ?? '',
    reference: payload.reference,
    amountCents: money,
    currency: payload.currency,
    direction: 'credit',
    expected,
    parts: before === undefined ? 'may' : 'some',
    goodsCents: goods === 0 ? undefined : goods,
    // The award itself has it.
    payloadHash: undefined,
  };
}

/** What people have resolved, what is no entry, what takes closed payments back, then outcomes by the rules as they are found. */
export function* outcomesOf(
  { isBusinessDay }: ReconciliationDeps,
  { byPerson, told, entries, returns }: OpenItems,
): Generator<FoundOutcome> {
  yield* byPerson;
  yield* told;
  yield* returns.outcomes();
  yield* matchEach(entries, { isBusinessDay });
}
