/** What is to be matched: lines and promised money that no closed period has settled. */
import { type Day, formatDay, parseDay } from '../../calendar/index.ts';
import { FilewrightError, type JsonValue } from '../../core/index.ts';
import {
  type BankLine,
  type ExpectedReceipt,
  type MatchOutcome,
  matchReceipts,
} from '../../packs/grants/index.ts';
import {
  BY_PERSON,
  handedAwards,
  lineGroups,
  type Settlement,
  settlements,
  type StageRun,
  takenAwards,
} from '../../store/index.ts';
import { lineId, openedLine, SharedTexts } from './line-codec.ts';
import type { ReconciliationParts } from './parts.ts';

export interface OpenItems {
  readonly lines: readonly BankLine[];
  readonly receipts: readonly ExpectedReceipt[];
  /** Awards that say no day, or promise no money: nothing can be matched with them. */
  readonly undated: number;
}

/** The part of an award that this boundary needs; the rest of the contract stays unread. */
interface HandedAward {
  readonly payload: {
    readonly grantor_id: string;
    readonly award_amount: number;
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
  const taken = await takenAwards(at);
  const shared = new SharedTexts();
  const receipts: ExpectedReceipt[] = [];
  let undated = 0;
  for await (const group of handedAwards(parts.desk, at)) {
    for (const item of group) {
      // Written by ingestion; its schema has let only such payloads through.
      const award = item as unknown as HandedAward;
      if (taken.has(award.metadata.idempotency_key)) continue;
      const receipt = receiptOf(award, shared);
      if (receipt === undefined) undated += 1;
      else receipts.push(receipt);
    }
  }
  const lines: BankLine[] = [];
  for await (const group of lineGroups(parts.desk, at, formatDay(until))) {
    for (const [index, value] of group.lines.entries()) {
      const ordinal = group.first + index;
      if (group.settled.has(ordinal)) continue;
      const line = openedLine(group.feed, ordinal, value, shared);
      if (line.bookingDate <= until) lines.push(line);
    }
  }
  return { lines, receipts, undated };
}

function receiptOf(
  { payload, metadata }: HandedAward,
  shared: SharedTexts,
): ExpectedReceipt | undefined {
  const expected = parseDay(payload.expected_on ?? '');
  if (expected === undefined || payload.award_amount === 0) return undefined;
  return {
    id: metadata.idempotency_key,
    grant: shared.of(payload.grantor_id),
    payer: shared.of(payload.payer ?? payload.grantor_name ?? ''),
    reference: payload.reference,
    amountCents: payload.award_amount,
    currency: payload.currency,
    direction: 'credit',
    expected,
    // The award itself has it; a hundred thousand copies would be most of the memory.
    payloadHash: undefined,
  };
}

/** Outcomes by the rules, after what people have settled. */
export async function outcomesOf(
  parts: ReconciliationParts,
  at: StageRun,
  items: OpenItems,
): Promise<readonly MatchOutcome[]> {
  const decided = await settlements(at);
  if (decided.length === 0) return matchReceipts({ ...items, isBusinessDay: parts.isBusinessDay });
  const lines = new Map(items.lines.map((line) => [line.id, line]));
  const receipts = new Map(items.receipts.map((receipt) => [receipt.id, receipt]));
  const byPerson: MatchOutcome[] = [];
  for (const settlement of decided) {
    const id = lineId(settlement.feed, settlement.ordinal);
    const line = lines.get(id);
    // Settled, and closed since; or booked later than what is matched now.
    if (line === undefined) continue;
    const wanted = settlement.awards.map((award) => receipts.get(award));
    // Another line has taken one of them since: the matcher looks at this one again.
    if (wanted.some((receipt) => receipt === undefined)) continue;
    const given = wanted.flatMap((receipt) => receipt ?? []);
    byPerson.push(settledOutcome(line, given, settlement));
    lines.delete(id);
    for (const receipt of given) receipts.delete(receipt.id);
  }
  const matched = matchReceipts({
    lines: [...lines.values()],
    receipts: [...receipts.values()],
    isBusinessDay: parts.isBusinessDay,
  });
  return [...byPerson, ...matched];
}

function settledOutcome(
  line: BankLine,
  receipts: readonly ExpectedReceipt[],
  { reason }: Settlement,
): MatchOutcome {
  return {
    // Beside the matcher's own rules; wherever rules are counted, it is counted under its own name.
    rule: BY_PERSON as MatchOutcome['rule'],
    status: receipts.length === 0 ? 'ignored' : 'matched',
    bank: [line.id],
    ledger: receipts.map(({ id }) => id),
    reason: {
      text: `Settled by a person: ${reason}`,
      currency: line.currency,
      bankCents: line.amountCents,
      ledgerCents: receipts.reduce((sum, { amountCents }) => sum + amountCents, 0),
      bankDates: [formatDay(line.bookingDate)],
      ledgerDates: receipts.map(({ expected }) => formatDay(expected)),
    },
  };
}

/** Throws unless the line is open and the receipts are free and of its amount; one receipt may be short or over. */
export function checkSettlement(
  items: OpenItems,
  settlement: { readonly line: string; readonly receipts: readonly string[] },
): void {
  const line = items.lines.find(({ id }) => id === settlement.line);
  if (line === undefined) {
    throw new FilewrightError(
      'NOT_FOUND',
      `No open bank line ${settlement.line}; see the unmatched list`,
    );
  }
  const wanted = settlement.receipts.map((id) => {
    const receipt = items.receipts.find((one) => one.id === id);
    if (receipt === undefined) {
      throw new FilewrightError('NOT_FOUND', `No open receipt ${id}; see the unmatched list`);
    }
    return receipt;
  });
  if (wanted.length === 0) return;
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
