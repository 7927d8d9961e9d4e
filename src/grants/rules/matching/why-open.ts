/** Why money that came in stays open: exactly what stands between the line and the receipt that is nearest to it. */
import { POOL_MAX } from './in-parts.ts';
import { isNamedIn, isSamePayer, textOfNames } from './payer-names.ts';
import { contradicting } from './references.ts';
import {
  isInWindow,
  type Line,
  mentions,
  moneyKey,
  type Receipt,
  type Workbench,
} from './workbench.ts';

/** Receipts of one amount that are looked at for a reason; the one that is nearest is among them or told by none. */
const LOOKED_AT_MAX = 400;

export class Reasons {
  readonly #bench: Workbench;
  /** Lines that no rule has taken. */
  readonly #open: readonly Line[];
  #byMoney: ReadonlyMap<string, readonly Receipt[]> | undefined;

  constructor(bench: Workbench) {
    this.#bench = bench;
    this.#open = bench.lines.filter(({ isOpen }) => isOpen);
  }

  /** `named`: receipts under the references of the line that no other line has. */
  whyOpen(line: Line, named: readonly Receipt[]): string {
    if (line.references.length > 0) return this.#underReference(line, named);
    return line.payer === undefined ? this.#ofAmount(line) : this.#ofPayer(line);
  }

  #underReference(line: Line, named: readonly Receipt[]): string {
    if (named.length === 0) return 'What was expected under the reference is already there.';
    if (line.isUnsearched) {
      return `More than ${POOL_MAX} open entries under this reference: not searched for sums.`;
    }
    const { withReference, sameReferenceAndAmount } = this.#bench.policy;
    const { receipt, obstacles } = nearest(named, (one) => {
      const difference = line.given.amountCents - one.given.amountCents;
      const isNear = isInWindow(line, one, withReference);
      const isFar = difference !== 0 || !isInWindow(line, one, sameReferenceAndAmount);
      const rival = isNear || isFar || !this.#hasRival(line, one) ? [] : [ANOTHER_LINE];
      return [
        ...currencies(line, one),
        ...(difference === 0 ? [] : [`the amount differs by ${difference} cents`]),
        ...(isNear ? [] : [apart(line, one)]),
        ...rival,
      ];
    });
    const isAmount =
      line.given.amountCents === receipt.given.amountCents &&
      currencies(line, receipt).length === 0;
    const what = isAmount ? 'The reference and the amount fit' : 'The reference fits';
    return `${what} ${receipt.given.id}, but ${butWhat(obstacles, receipt)}.`;
  }

  #ofPayer(line: Line): string {
    const { payer, given, isPayerCut } = line;
    const own = this.#ofMoney(line).filter(
      (one) => payer !== undefined && isSamePayer(payer, one.payer, isPayerCut),
    );
    const open = own.filter(({ state }) => state !== 'taken');
    if (open.length === 0) return 'No receipt of this amount and payer is expected near this date.';
    const { receipt, obstacles } = nearest(open, (one) => [
      ...this.#dates(line, one),
      ...otherReference(given, one),
    ]);
    return `The amount and the payer fit ${receipt.given.id}, but ${butWhat(obstacles, receipt)}.`;
  }

  /** The line names nobody: its text is all that could. */
  #ofAmount(line: Line): string {
    const open = this.#ofMoney(line).filter(({ state }) => state !== 'taken');
    if (open.length === 0) return 'No receipt of this amount is expected.';
    const texts = textOfNames(line.given.description ?? '');
    const { receipt, obstacles } = nearest(open, (one) => [
      ...(isNamedIn(texts, one.payer) ? [] : ['the line does not name its payer']),
      ...this.#dates(line, one),
      ...otherReference(line.given, one),
    ]);
    return `The amount fits ${receipt.given.id}, but ${butWhat(obstacles, receipt)}.`;
  }

  #dates(line: Line, receipt: Receipt): readonly string[] {
    return isInWindow(line, receipt, this.#bench.policy.noReference) ? [] : [apart(line, receipt)];
  }

  #hasRival(line: Line, receipt: Receipt): boolean {
    const money = moneyKey(line.given);
    return this.#open.some(
      (other) => other !== line && mentions(other, receipt) && moneyKey(other.given) === money,
    );
  }

  #ofMoney(line: Line): readonly Receipt[] {
    this.#byMoney ??= byMoney(this.#bench.receipts);
    return this.#byMoney.get(moneyKey(line.given)) ?? [];
  }
}

const ANOTHER_LINE = 'another line stands under the reference with the same amount';

function apart(line: Line, receipt: Receipt): string {
  return `the dates are ${line.day - receipt.day} business days apart`;
}

function currencies({ given }: Line, { given: { currency } }: Receipt): readonly string[] {
  return given.currency === currency
    ? []
    : [`${given.currency} came where ${currency} is expected`];
}

function otherReference(
  given: Line['given'],
  { given: { reference } }: Receipt,
): readonly string[] {
  const other = reference === undefined ? undefined : contradicting(given, reference);
  return other === undefined ? [] : [`the line names another reference, ${other}`];
}

/** Where nothing of its own stands in the way, somebody else's claim does. */
function butWhat(obstacles: readonly string[], { state }: Receipt): string {
  if (obstacles.length > 0) return obstacles.join(', and ');
  return state === 'open' ? 'another line fits it as well' : 'another line may be for it as well';
}

/** The receipt with the fewest obstacles; of equal ones the first. */
function nearest(
  receipts: readonly Receipt[],
  obstaclesOf: (receipt: Receipt) => readonly string[],
): { readonly receipt: Receipt; readonly obstacles: readonly string[] } {
  const [first, ...others] = receipts;
  if (first === undefined) throw new TypeError('a receipt was expected');
  let best = { receipt: first, obstacles: obstaclesOf(first) };
  for (const receipt of others) {
    const obstacles = obstaclesOf(receipt);
    if (obstacles.length < best.obstacles.length) best = { receipt, obstacles };
  }
  return best;
}

function byMoney(receipts: readonly Receipt[]): ReadonlyMap<string, readonly Receipt[]> {
  const found = new Map<string, Receipt[]>();
  for (const receipt of receipts) {
    const key = moneyKey(receipt.given);
    const list = found.get(key);
    if (list === undefined) found.set(key, [receipt]);
    else if (list.length < LOOKED_AT_MAX) list.push(receipt);
  }
  return found;
}
