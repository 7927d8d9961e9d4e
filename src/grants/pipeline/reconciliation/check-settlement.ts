/** Whether a person may settle a line as said: it is open, and the awards have room for it. */
import { FilewrightError } from '../../../core/index.ts';
import type { BankLine, ExpectedReceipt } from '../../rules/matching/bank-line.ts';
import { countedAwards } from '../../store/parts.ts';
import { type SettledRest, type Settlement, settlements } from '../../store/matches.ts';
import type { StageRun } from '../../store/stage.ts';
import { openLine } from './fold-lines.ts';
import { LAST_DAY, openItems, openReceipts, type Reopened } from './open-items.ts';
import type { ReconciliationParts } from './parts.ts';

const NOTHING: Reopened = new Map();

interface AskedSettlement {
  readonly line: string;
  readonly receipts: readonly string[];
  readonly feeCents: number;
  readonly rest: SettledRest | undefined;
}

interface CheckedSettlement extends Pick<Settlement, 'cents'> {
  /** By its whole id. */
  readonly line: string;
}

/**
 * The line that is meant. Throws unless it is open and the receipts are free and, with the rest that was said, of its
 * amount; one receipt without a rest may be short, and then what is left of it stays open, or over. Money out takes back
 * what came for one award.
 */
export async function checkSettlement(
  parts: ReconciliationParts,
  at: StageRun,
  settlement: AskedSettlement,
): Promise<CheckedSettlement> {
  const line = await openLine(parts, at, settlement.line);
  const { feeCents, rest } = settlement;
  if (settlement.receipts.length === 0 || line.direction === 'debit') {
    if (rest !== undefined) {
      throw new FilewrightError(
        'USAGE',
        `Line ${line.id}: a rest is what known gifts leave of money that came in; name their awards, or leave the rest out`,
      );
    }
    if (feeCents > 0) {
      throw new FilewrightError('USAGE', 'A fee is kept from money that came in for an award');
    }
    if (settlement.receipts.length > 0) await checkTakenBack(parts, at, line, settlement.receipts);
    return { line: line.id, cents: undefined };
  }
  const asked = new Set(settlement.receipts);
  if (asked.size < settlement.receipts.length) {
    throw new FilewrightError('USAGE', `Line ${line.id}: name each award once`);
  }
  const wanted = await wantedReceipts(parts, at, asked);
  const cents = wanted.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const isMoneyIn = line.direction === 'credit' && line.status === 'booked';
  if (!isMoneyIn || wanted.some(({ currency }) => currency !== line.currency)) {
    throw new FilewrightError(
      'REFUSED_BY_RULE',
      `Line ${line.id} is not booked money in the receipt's currency; settle it with no receipts`,
    );
  }
  const gross = line.amountCents + feeCents;
  if (rest !== undefined) checkRest(line.id, { gross, known: cents, rest });
  else if (wanted.length > 1 && cents !== gross) {
    const remedy =
      cents < gross
        ? `; where the other ${gross - cents} cents are not known, say --rest-open, where they pay none of our awards, --rest-none`
        : '';
    throw new FilewrightError(
      'REFUSED_BY_RULE',
      `The receipts come to ${cents} cents, the line has ${gross}; several receipts need the exact amount${remedy}`,
    );
  }
  if (feeCents > 0 && rest === undefined && gross > cents) {
    throw new FilewrightError(
      'REFUSED_BY_RULE',
      `With its fee the line has ${gross} cents, but only ${cents} are open; a fee is a part of what was promised`,
    );
  }
  await checkNotHeld(parts, at, line, asked);
  const isToTheCent = wanted.length > 1 || rest !== undefined;
  return {
    line: line.id,
    cents: isToTheCent ? wanted.map(({ amountCents }) => amountCents) : undefined,
  };
}

/** The open receipts with these ids, in their order. */
async function wantedReceipts(
  parts: ReconciliationParts,
  at: StageRun,
  asked: ReadonlySet<string>,
): Promise<readonly ExpectedReceipt[]> {
  const found = new Map<string, ExpectedReceipt>();
  const look = async (reopened: Reopened): Promise<void> => {
    for await (const { receipts } of openReceipts(parts, at, reopened)) {
      for (const receipt of receipts) if (asked.has(receipt.id)) found.set(receipt.id, receipt);
    }
  };
  await look(NOTHING);
  // What a return of this matching sets free is known only when everything open was looked at.
  if (found.size < asked.size) await look((await openItems(parts, at, LAST_DAY)).reopened);
  return [...asked].map((id) => {
    const receipt = found.get(id);
    if (receipt === undefined) {
      throw new FilewrightError('NOT_FOUND', `No open receipt ${id}; see the unmatched list`);
    }
    return receipt;
  });
}

interface AskedRest {
  /** What the line has, with what the bank kept. */
  readonly gross: number;
  readonly known: number;
  readonly rest: SettledRest;
}

/** Throws unless known parts and rest come to the line, to the cent. */
function checkRest(line: string, { gross, known, rest }: AskedRest): void {
  if (!Number.isSafeInteger(rest.cents) || rest.cents <= 0) {
    throw new FilewrightError(
      'USAGE',
      `Line ${line}: a rest is a whole number of cents above zero; leave it out where the awards are all that the line pays`,
    );
  }
  const right = gross - known;
  if (rest.cents === right) return;
  if (right <= 0) {
    throw new FilewrightError(
      'REFUSED_BY_RULE',
      `Line ${line} has ${gross} cents; its awards come to ${known}, which is ${right === 0 ? 'all of it: leave the rest out' : 'more than the line: leave out those that it does not pay'}`,
    );
  }
  const off = rest.cents - right;
  throw new FilewrightError(
    'REFUSED_BY_RULE',
    `Line ${line} has ${gross} cents; its awards come to ${known} and the rest to ${rest.cents}, ${Math.abs(off)} ${Math.abs(off) === 1 ? 'cent' : 'cents'} too ${off > 0 ? 'much' : 'little'}. These awards leave ${right}: say so, or name the awards that are meant`,
  );
}

/** Throws where one of the awards is a known part of another line, whose rest is open: it waits with that line. */
async function checkNotHeld(
  parts: ReconciliationParts,
  at: StageRun,
  line: BankLine,
  asked: ReadonlySet<string>,
): Promise<void> {
  const isAsked = (award: string): boolean => asked.has(award);
  const said = await settlements(at);
  // Nearly always: nothing open needs to be looked at.
  if (!said.some(({ rest, awards }) => rest?.state === 'open' && awards.some(isAsked))) return;
  const { waiting } = await openItems(parts, at, LAST_DAY);
  for (const { line: other, deliveries, known } of waiting) {
    const award = [...known.keys()].find(isAsked);
    // A word about another delivery of the same entry is a new word about the entry.
    if (award === undefined || deliveries.includes(line.id)) continue;
    throw new FilewrightError(
      'REFUSED_BY_RULE',
      `Award ${award} is a known part of line ${other}, whose rest is open; if it is paid by ${line.id}, settle that line without it first`,
    );
  }
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
