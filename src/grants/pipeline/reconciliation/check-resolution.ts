/** Whether a person may resolve a line as said: it is open, and the awards have room for it. */
import { misuse, notFound, ruledOut } from '../../../core/index.ts';
import type { BankLine, ExpectedPayment } from '../../rules/matching/bank-line.ts';
import { countedAwards } from '../../store/parts.ts';
import { type ResolvedRest, type LineResolution, resolutions } from '../../store/matches.ts';
import type { StageRun } from '../../store/stage.ts';
import { openLine } from './fold-lines.ts';
import { LAST_DAY, openItems, openExpectedPayments, type Reopened } from './open-items.ts';
import type { ReconciliationDeps } from './deps.ts';

const NOTHING: Reopened = new Map();

interface AskedResolution {
  readonly line: string;
  readonly expectedPayments: readonly string[];
  readonly feeCents: number;
  readonly rest: ResolvedRest | undefined;
}

interface CheckedResolution extends Pick<LineResolution, 'cents'> {
  /** By its whole id. */
  readonly line: string;
}

/**
 * The line that is meant. Throws unless it is open and the expected payments are free and, with the rest that was said, of its
 * amount; one expected payment without a rest may be short, and then what is left of it stays open, or over. Money out takes back
 * what came for one award.
 */
export async function checkResolution(
  deps: ReconciliationDeps,
  at: StageRun,
  resolution: AskedResolution,
): Promise<CheckedResolution> {
  const line = await openLine(deps, at, resolution.line);
  const { feeCents, rest } = resolution;
  if (resolution.expectedPayments.length === 0 || line.direction === 'debit') {
    if (rest !== undefined) {
      throw misuse(
        `Line ${line.id}: a remainder needs the awards that the line pays; name them, or omit the remainder`,
      );
    }
    if (feeCents > 0) throw misuse('A fee can only be deducted from money received for an award');
    if (resolution.expectedPayments.length > 0)
      await checkTakenBack(deps, at, line, resolution.expectedPayments);
    return { line: line.id, cents: undefined };
  }
  const asked = new Set(resolution.expectedPayments);
  if (asked.size < resolution.expectedPayments.length) {
    throw misuse(`Line ${line.id}: name each award once`);
  }
  const wanted = await wantedExpectedPayments(deps, at, asked);
  const cents = wanted.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const isMoneyIn = line.direction === 'credit' && line.status === 'booked';
  if (!isMoneyIn || wanted.some(({ currency }) => currency !== line.currency)) {
    throw ruledOut(
      `Line ${line.id} is not booked money in the currency of the expected payment; resolve it without an award`,
    );
  }
  const gross = line.amountCents + feeCents;
  if (rest !== undefined) checkRest(line.id, { gross, known: cents, rest });
  else if (wanted.length > 1 && cents !== gross) {
    const remedy =
      cents < gross
        ? `; use --rest-open if the other ${gross - cents} cents are not identified, or --rest-none if they pay none of your awards`
        : '';
    throw ruledOut(
      `The awards come to ${cents} cents, the line has ${gross}; several awards need the exact amount${remedy}`,
    );
  }
  if (feeCents > 0 && rest === undefined && gross > cents) {
    throw ruledOut(
      `With its fee the line has ${gross} cents, but only ${cents} are open; a fee is part of the awarded amount`,
    );
  }
  await checkNotHeld(deps, at, line, asked);
  const isToTheCent = wanted.length > 1 || rest !== undefined;
  return {
    line: line.id,
    cents: isToTheCent ? wanted.map(({ amountCents }) => amountCents) : undefined,
  };
}

/** The open expected payments with these ids, in their order. */
async function wantedExpectedPayments(
  deps: ReconciliationDeps,
  at: StageRun,
  asked: ReadonlySet<string>,
): Promise<readonly ExpectedPayment[]> {
  const found = new Map<string, ExpectedPayment>();
  const look = async (reopened: Reopened): Promise<void> => {
    for await (const { expectedPayments } of openExpectedPayments(deps, at, reopened)) {
      for (const expectedPayment of expectedPayments)
        if (asked.has(expectedPayment.id)) found.set(expectedPayment.id, expectedPayment);
    }
  };
  await look(NOTHING);
  // What a return of this matching sets free is known only when everything open was looked at.
  if (found.size < asked.size) await look((await openItems(deps, at, LAST_DAY)).reopened);
  return [...asked].map((id) => {
    const expectedPayment = found.get(id);
    if (expectedPayment === undefined) throw notFound(`No open award ${id}; see grants unmatched`);
    return expectedPayment;
  });
}

interface AskedRest {
  /** What the line has, with what the bank kept. */
  readonly gross: number;
  readonly known: number;
  readonly rest: ResolvedRest;
}

/** Throws unless known parts and rest come to the line, to the cent. */
function checkRest(line: string, { gross, known, rest }: AskedRest): void {
  if (!Number.isSafeInteger(rest.cents) || rest.cents <= 0) {
    throw misuse(
      `Line ${line}: a remainder must be a whole number of cents above zero; omit it if the awards account for the whole line`,
    );
  }
  const right = gross - known;
  if (rest.cents === right) return;
  if (right <= 0) {
    throw ruledOut(
      `Line ${line} has ${gross} cents; its awards come to ${known}, which is ${right === 0 ? 'all of it: omit the remainder' : 'more than the line: omit the awards that it does not pay'}`,
    );
  }
  const off = rest.cents - right;
  throw ruledOut(
    `Line ${line} has ${gross} cents; its awards come to ${known} and the remainder to ${rest.cents}, ${Math.abs(off)} ${Math.abs(off) === 1 ? 'cent' : 'cents'} too ${off > 0 ? 'much' : 'little'}. These awards leave ${right}: enter that remainder, or correct the awards`,
  );
}

/** Throws where one of the awards is a known part of another line, whose rest is open: it waits with that line. */
async function checkNotHeld(
  deps: ReconciliationDeps,
  at: StageRun,
  line: BankLine,
  asked: ReadonlySet<string>,
): Promise<void> {
  const isAsked = (award: string): boolean => asked.has(award);
  const said = await resolutions(at);
  // Nearly always: nothing open needs to be looked at.
  if (!said.some(({ rest, awards }) => rest?.state === 'open' && awards.some(isAsked))) return;
  const { waiting } = await openItems(deps, at, LAST_DAY);
  for (const { line: other, deliveries, known } of waiting) {
    const award = [...known.keys()].find(isAsked);
    // A word about another delivery of the same entry is a new word about the entry.
    if (award === undefined || deliveries.includes(line.id)) continue;
    throw ruledOut(
      `Award ${award} is already part of line ${other}, whose remainder is open; if ${line.id} pays it, first resolve that line without it`,
    );
  }
}

/** Throws unless money out is to be taken off one award, which has a payment of closed or open periods. */
async function checkTakenBack(
  deps: ReconciliationDeps,
  at: StageRun,
  line: BankLine,
  awards: readonly string[],
): Promise<void> {
  const [award = '', second] = awards;
  if (second !== undefined || line.status !== 'booked') {
    throw ruledOut(
      `Line ${line.id} is a debit; it can reverse payments of one award only, and only when it is booked`,
    );
  }
  if ((await countedAwards(at, [award])).has(award)) return;
  for await (const { expectedPayments } of openExpectedPayments(deps, at, NOTHING)) {
    if (expectedPayments.some(({ id }) => id === award)) return;
  }
  throw notFound(`Award ${award} has received no money`);
}
