/** What is to be matched: lines and promised money that no closed period has settled. */
import { type Day, formatDay, parseDay } from '../../calendar/index.ts';
import { FilewrightError, type JsonValue } from '../../core/index.ts';
import {
  type BankLine,
  type ExpectedReceipt,
  type FoundOutcome,
  matchEach,
  PackedEntries,
} from '../../packs/grants/index.ts';
import {
  handedAwards,
  lineGroups,
  settlements,
  type StageRun,
  takenAwards,
} from '../../store/index.ts';
import { linesNamed, openedLine } from './line-codec.ts';
import type { ReconciliationParts } from './parts.ts';
import { SettledEntries } from './settled-entries.ts';

export interface OpenItems {
  /** What the rules are asked about. */
  readonly entries: PackedEntries;
  /** What people have settled, which the rules are not asked about. */
  readonly byPerson: readonly FoundOutcome[];
  readonly lines: number;
  readonly receipts: number;
  /** Awards that say no day, or promise no money: nothing can be matched with them. */
  readonly undated: number;
}

/** The part of an award that this boundary needs; the rest of the contract stays unread. */
interface HandedAward {
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
  readonly metadata: { readonly idempotency_key: string };
}

export async function openItems(
  parts: ReconciliationParts,
  at: StageRun,
  until: Day,
): Promise<OpenItems> {
  const settled = new SettledEntries(await settlements(at));
  const entries = new PackedEntries();
  const counts = { lines: 0, receipts: 0, undated: 0 };
  for await (const group of openReceipts(parts, at)) {
    counts.undated += group.undated;
    counts.receipts += group.receipts.length;
    for (const receipt of group.receipts) {
      if (!settled.keepReceipt(receipt)) entries.addReceipt(receipt);
    }
  }
  for await (const group of openLines(parts, at, until)) {
    counts.lines += group.length;
    for (const line of group) if (!settled.keepLine(line)) entries.addLine(line);
  }
  const { byPerson, receipts, lines } = settled.decided();
  for (const receipt of receipts) entries.addReceipt(receipt);
  for (const line of lines) entries.addLine(line);
  return { entries, byPerson, ...counts };
}

interface OpenReceipts {
  readonly receipts: readonly ExpectedReceipt[];
  readonly undated: number;
}

async function* openReceipts(
  parts: ReconciliationParts,
  at: StageRun,
): AsyncGenerator<OpenReceipts> {
  for await (const group of handedAwards(parts.desk, at)) {
    // Written by ingestion; its schema has let only such payloads through.
    const awards = group as unknown as readonly HandedAward[];
    const keys = awards.map(({ metadata }) => metadata.idempotency_key);
    const taken = await takenAwards(at, keys);
    const open = awards.filter(({ metadata }) => !taken.has(metadata.idempotency_key));
    const receipts = open.flatMap((award) => receiptOf(award) ?? []);
    yield { receipts, undated: open.length - receipts.length };
  }
}

async function* openLines(
  parts: ReconciliationParts,
  at: StageRun,
  until: Day,
): AsyncGenerator<readonly BankLine[]> {
  for await (const { feed, first, lines, settled } of lineGroups(
    parts.desk,
    at,
    formatDay(until),
  )) {
    yield lines
      .map((value, index) => ({ ordinal: first + index, value }))
      .filter(({ ordinal }) => !settled.has(ordinal))
      .map(({ ordinal, value }) => openedLine(feed, ordinal, value))
      .filter(({ bookingDate }) => bookingDate <= until);
  }
}

function receiptOf({ payload, metadata }: HandedAward): ExpectedReceipt | undefined {
  const expected = parseDay(payload.expected_on ?? '');
  // Goods and services never come to a bank.
  const money = payload.award_amount - (payload.noncash_amount ?? 0);
  if (expected === undefined || money === 0) return undefined;
  return {
    id: metadata.idempotency_key,
    grant: payload.grantor_id,
    payer: payload.payer ?? payload.grantor_name ?? '',
    reference: payload.reference,
    amountCents: money,
    currency: payload.currency,
    direction: 'credit',
    expected,
    // The award itself has it.
    payloadHash: undefined,
  };
}

/** What people have settled, then outcomes by the rules as they are found. */
export function* outcomesOf(
  { isBusinessDay }: ReconciliationParts,
  { byPerson, entries }: OpenItems,
): Generator<FoundOutcome> {
  yield* byPerson;
  yield* matchEach(entries, { isBusinessDay });
}

/**
 * The line that is meant, by its whole id. Throws unless it is open and the receipts are free and of its amount; one
 * receipt may be short or over.
 */
export async function checkSettlement(
  parts: ReconciliationParts,
  at: StageRun,
  settlement: { readonly line: string; readonly receipts: readonly string[] },
): Promise<string> {
  const line = await openLine(parts, at, settlement.line);
  if (settlement.receipts.length === 0) return line.id;
  const asked = new Set(settlement.receipts);
  const found = new Map<string, ExpectedReceipt>();
  for await (const { receipts } of openReceipts(parts, at)) {
    for (const receipt of receipts) if (asked.has(receipt.id)) found.set(receipt.id, receipt);
  }
  const wanted = settlement.receipts.map((id) => {
    const receipt = found.get(id);
    if (receipt === undefined) {
      throw new FilewrightError('NOT_FOUND', `No open receipt ${id}; see the unmatched list`);
    }
    return receipt;
  });
  const cents = wanted.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const isMoneyIn = line.direction === 'credit' && line.status === 'booked';
  if (!isMoneyIn || wanted.some(({ currency }) => currency !== line.currency)) {
    throw new FilewrightError(
      'REFUSED_BY_RULE',
      `Line ${line.id} is not booked money in the receipt's currency; settle it with no receipts`,
    );
  }
  if (wanted.length > 1 && cents !== line.amountCents) {
    throw new FilewrightError(
      'REFUSED_BY_RULE',
      `The receipts come to ${cents} cents, the line has ${line.amountCents}; several receipts need the exact amount`,
    );
  }
  return line.id;
}

async function openLine(parts: ReconciliationParts, at: StageRun, name: string): Promise<BankLine> {
  const isNamed = linesNamed(name);
  let found: BankLine | undefined;
  let count = 0;
  for await (const group of openLines(parts, at, dayOfText('2999-12-31', 'the last day'))) {
    for (const line of group) {
      if (!isNamed(line.id)) continue;
      found ??= line;
      count += 1;
    }
  }
  if (found === undefined) {
    throw new FilewrightError('NOT_FOUND', `No open bank line ${name}; see the unmatched list`);
  }
  if (count > 1) {
    throw new FilewrightError(
      'USAGE',
      `"${name}" begins the ids of ${count} open bank lines; give the number behind the #, or more digits`,
    );
  }
  return found;
}

/** Days of people: YYYY-MM-DD. */
export function dayOfText(text: string, what: string): Day {
  const day = parseDay(text);
  if (day !== undefined) return day;
  throw new FilewrightError(
    'USAGE',
    `${what}: a day like 2026-12-31 was expected, found "${text}"`,
  );
}

export function plain(value: object): JsonValue {
  // For records whose members are all JSON; their interfaces say so only member by member.
  return value as unknown as JsonValue;
}
