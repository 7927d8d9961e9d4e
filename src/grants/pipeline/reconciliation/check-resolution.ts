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
  /** A split: what each of them has, in their order. */
  readonly cents: readonly number[] | undefined;
  readonly feeCents: number;
  readonly rest: ResolvedRest | undefined;
}

interface CheckedResolution extends Pick<LineResolution, 'cents' | 'awards'> {
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
    if (resolution.cents !== undefined) {
      throw misuse('Only money received can be split; a debit reverses payments of one award');
    }
    const awards = await takenBackFrom(deps, at, line, resolution.expectedPayments);
    return { line: line.id, awards, cents: undefined };
  }
  const wanted = await wantedExpectedPayments(deps, at, resolution.expectedPayments);
  const asked = new Set(wanted.map(({ id }) => id));
  if (asked.size < wanted.length) throw misuse(`Line ${line.id}: name each award once`);
  const said = resolution.cents === undefined ? undefined : partsSaid(wanted, resolution.cents);
  const ofEach = said ?? wanted.map(({ amountCents }) => amountCents);
  const cents = ofEach.reduce((sum, one) => sum + one, 0);
  const isMoneyIn = line.direction === 'credit' && line.status === 'booked';
  if (!isMoneyIn || wanted.some(({ currency }) => currency !== line.currency)) {
    throw ruledOut(
      `Line ${line.id} is not booked money in the currency of the expected payment; resolve it without an award`,
    );
  }
  const gross = line.amountCents + feeCents;
  if (rest !== undefined) checkRest(line.id, { gross, known: cents, rest });
  else if ((wanted.length > 1 || said !== undefined) && cents !== gross) {
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
  const isToTheCent = wanted.length > 1 || rest !== undefined || said !== undefined;
  return { line: line.id, awards: [...asked], cents: isToTheCent ? ofEach : undefined };
}

/** Throws unless each award has room for its part. */
function partsSaid(
  wanted: readonly ExpectedPayment[],
  cents: readonly number[],
): readonly number[] {
  if (cents.length !== wanted.length) throw misuse('A split needs one amount for each award');
  for (const [index, { id, amountCents }] of wanted.entries()) {
    const part = cents[index] ?? 0;
    if (!Number.isSafeInteger(part) || part <= 0) {
      throw misuse(`Award ${id}: expected an amount above zero, found ${part} cents`);
    }
    if (part > amountCents) {
      throw ruledOut(
        `Award ${id} has ${amountCents} cents open, and its part is ${part}; correct the amounts`,
      );
    }
  }
  return cents;
}

/** The open expected payments with these names, in their order. */
async function wantedExpectedPayments(
  deps: ReconciliationDeps,
  at: StageRun,
  names: readonly string[],
): Promise<readonly ExpectedPayment[]> {
  const found = names.map(() => new Map<string, ExpectedPayment>());
  const look = async (reopened: Reopened): Promise<void> => {
    for await (const { expectedPayments } of openExpectedPayments(deps, at, reopened)) {
      for (const expectedPayment of expectedPayments) {
        for (const [index, name] of names.entries()) {
          if (isAwardNamed(name, expectedPayment.id))
            found[index]?.set(expectedPayment.id, expectedPayment);
        }
      }
    }
  };
  await look(NOTHING);
  // What a return of this matching sets free is known only when everything open was looked at.
  if (found.some(({ size }) => size === 0))
    await look((await openItems(deps, at, LAST_DAY)).reopened);
  return found.map((payments, index) => onlyOne(names[index] ?? '', [...payments.values()]));
}

/** The whole key of an award, or its beginning. */
function isAwardNamed(name: string, key: string): boolean {
  return key === name || (name.length >= AWARD_NAME_MIN && key.startsWith(name));
}

/** Fewer characters of a key would name too many awards. */
const AWARD_NAME_MIN = 8;

function onlyOne<One>(name: string, found: readonly One[]): One {
  const [one, second] = found;
  if (one === undefined) throw notFound(`No open award ${name}; see grants awards`);
  if (second !== undefined) {
    throw misuse(`"${name}" matches ${found.length} open awards; add more characters of its key`);
  }
  return one;
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

/** The one award that money out is to be taken off; throws unless it has a payment of closed or open periods. */
async function takenBackFrom(
  deps: ReconciliationDeps,
  at: StageRun,
  line: BankLine,
  awards: readonly string[],
): Promise<readonly string[]> {
  const [award, second] = awards;
  if (award === undefined) return [];
  if (second !== undefined || line.status !== 'booked') {
    throw ruledOut(
      `Line ${line.id} is a debit; it can reverse payments of one award only, and only when it is booked`,
    );
  }
  if ((await countedAwards(at, [award])).has(award)) return awards;
  const open = new Set<string>();
  for await (const { expectedPayments } of openExpectedPayments(deps, at, NOTHING)) {
    for (const { id } of expectedPayments) if (isAwardNamed(award, id)) open.add(id);
  }
  if (open.size === 0) throw notFound(`Award ${award} has received no money`);
  return [onlyOne(award, [...open])];
}
