/** Whether a person may settle a line as said: it is open, and the awards have room for it. */
import { FilewrightError } from '../../core/index.ts';
import type { BankLine, ExpectedReceipt } from '../../packs/grants/index.ts';
import { countedAwards, type StageRun } from '../../store/index.ts';
import { dayOfText } from './day-of-text.ts';
import { openLine } from './fold-lines.ts';
import { openItems, openReceipts, type Reopened } from './open-items.ts';
import type { ReconciliationParts } from './parts.ts';

const LAST_DAY = dayOfText('2999-12-31', 'the last day');
const NOTHING: Reopened = new Map();

interface AskedSettlement {
  readonly line: string;
  readonly receipts: readonly string[];
  readonly feeCents: number;
}

/**
 * The line that is meant, by its whole id. Throws unless it is open and the receipts are free and of its amount; one
 * receipt may be short, and then the rest stays open, or over. Money out takes back what came for one award.
 */
export async function checkSettlement(
  parts: ReconciliationParts,
  at: StageRun,
  settlement: AskedSettlement,
): Promise<string> {
  const line = await openLine(parts, at, settlement.line);
  const { feeCents } = settlement;
  if (settlement.receipts.length === 0 || line.direction === 'debit') {
    if (feeCents > 0) {
      throw new FilewrightError('USAGE', 'A fee is kept from money that came in for an award');
    }
    if (settlement.receipts.length > 0) await checkTakenBack(parts, at, line, settlement.receipts);
    return line.id;
  }
  const asked = new Set(settlement.receipts);
  const found = new Map<string, ExpectedReceipt>();
  const look = async (reopened: Reopened): Promise<void> => {
    for await (const { receipts } of openReceipts(parts, at, reopened)) {
      for (const receipt of receipts) if (asked.has(receipt.id)) found.set(receipt.id, receipt);
    }
  };
  await look(NOTHING);
  // What a return of this matching sets free is known only when everything open was looked at.
  if (found.size < asked.size) await look((await openItems(parts, at, LAST_DAY)).reopened);
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
  const gross = line.amountCents + feeCents;
  if (wanted.length > 1 && cents !== gross) {
    throw new FilewrightError(
      'REFUSED_BY_RULE',
      `The receipts come to ${cents} cents, the line has ${gross}; several receipts need the exact amount`,
    );
  }
  if (feeCents > 0 && gross > cents) {
    throw new FilewrightError(
      'REFUSED_BY_RULE',
      `With its fee the line has ${gross} cents, but only ${cents} are open; a fee is a part of what was promised`,
    );
  }
  return line.id;
}

/** Throws unless money out is to be taken off one award, which has a payment of closed or open periods. */
async function checkTakenBack(
  parts: ReconciliationParts,
  at: StageRun,
  line: BankLine,
  awards: readonly string[],
): Promise<void> {
  const [award = '', second] = awards;
  if (second !== undefined || line.status !== 'booked') {
    throw new FilewrightError(
      'REFUSED_BY_RULE',
      `Line ${line.id} took money out; it can take back what came for one award, and only when it is booked`,
    );
  }
  if ((await countedAwards(at, [award])).has(award)) return;
  for await (const { receipts } of openReceipts(parts, at, NOTHING)) {
    if (receipts.some(({ id }) => id === award)) return;
  }
  throw new FilewrightError('NOT_FOUND', `No award ${award} that money came for`);
}
