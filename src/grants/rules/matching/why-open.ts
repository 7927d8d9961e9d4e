/** Why money that came in stays open: exactly what stands between the line and the expected payment that is nearest to it. */
import { POOL_MAX } from './in-parts.ts';
import { isNamedIn, isSamePayer, textOfNames } from './payer-names.ts';
import { contradicting } from './references.ts';
import {
  isInWindow,
  type Line,
  mentions,
  moneyKey,
  type Expected,
  type Workbench,
} from './workbench.ts';

/** Receipts of one amount that are looked at for a reason; the one that is nearest is among them or told by none. */
const LOOKED_AT_MAX = 400;

export class Reasons {
  readonly #bench: Workbench;
  /** Lines that no rule has taken. */
  readonly #open: readonly Line[];
  #byMoney: ReadonlyMap<string, readonly Expected[]> | undefined;

  constructor(bench: Workbench) {
    this.#bench = bench;
    this.#open = bench.lines.filter(({ isOpen }) => isOpen);
  }

  /** `named`: expected payments under the references of the line that no other line has. */
  whyOpen(line: Line, named: readonly Expected[]): string {
    if (line.references.length > 0) return this.#underReference(line, named);
    return line.payer === undefined ? this.#ofAmount(line) : this.#ofPayer(line);
  }

  #underReference(line: Line, named: readonly Expected[]): string {
    if (named.length === 0) return 'Everything expected under this reference has been received.';
    if (line.isUnsearched) {
      return `More than ${POOL_MAX} open entries under this reference: not searched for sums.`;
    }
    const { withReference, sameReferenceAndAmount } = this.#bench.policy;
    const { expectedPayment, obstacles } = nearest(named, (one) => {
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
      line.given.amountCents === expectedPayment.given.amountCents &&
      currencies(line, expectedPayment).length === 0;
    const what = isAmount ? 'The reference and the amount fit' : 'The reference fits';
    return `${what} ${expectedPayment.given.id}, but ${butWhat(obstacles, expectedPayment)}.`;
  }

  #ofPayer(line: Line): string {
    const { payer, given, isPayerCut } = line;
    const own = this.#ofMoney(line).filter(
      (one) => payer !== undefined && isSamePayer(payer, one.payer, isPayerCut),
    );
    const open = own.filter(({ state }) => state !== 'taken');
    if (open.length === 0)
      return 'No payment of this amount from this payer is expected near this date.';
    const { expectedPayment, obstacles } = nearest(open, (one) => [
      ...this.#dates(line, one),
      ...otherReference(given, one),
    ]);
    return `The amount and the payer fit ${expectedPayment.given.id}, but ${butWhat(obstacles, expectedPayment)}.`;
  }

  /** The line names nobody: its text is all that could. */
  #ofAmount(line: Line): string {
    const open = this.#ofMoney(line).filter(({ state }) => state !== 'taken');
    if (open.length === 0) return 'No payment of this amount is expected.';
    const texts = textOfNames(line.given.description ?? '');
    const { expectedPayment, obstacles } = nearest(open, (one) => [
      ...(isNamedIn(texts, one.payer) ? [] : ['the line does not name its payer']),
      ...this.#dates(line, one),
      ...otherReference(line.given, one),
    ]);
    return `The amount fits ${expectedPayment.given.id}, but ${butWhat(obstacles, expectedPayment)}.`;
  }

  #dates(line: Line, expectedPayment: Expected): readonly string[] {
    return isInWindow(line, expectedPayment, this.#bench.policy.noReference)
      ? []
      : [apart(line, expectedPayment)];
  }

  #hasRival(line: Line, expectedPayment: Expected): boolean {
    const money = moneyKey(line.given);
    return this.#open.some(
      (other) =>
        other !== line && mentions(other, expectedPayment) && moneyKey(other.given) === money,
    );
  }

  #ofMoney(line: Line): readonly Expected[] {
    this.#byMoney ??= byMoney(this.#bench.expectedPayments);
    return this.#byMoney.get(moneyKey(line.given)) ?? [];
  }
}

const ANOTHER_LINE = 'another line has the same reference and amount';

function apart(line: Line, expectedPayment: Expected): string {
  return `the dates are ${line.day - expectedPayment.day} business days apart`;
}

function currencies({ given }: Line, { given: { currency } }: Expected): readonly string[] {
  return given.currency === currency
    ? []
    : [`${given.currency} was received where ${currency} is expected`];
}

function otherReference(
  given: Line['given'],
  { given: { reference } }: Expected,
): readonly string[] {
  const other = reference === undefined ? undefined : contradicting(given, reference);
  return other === undefined ? [] : [`the line names another reference, ${other}`];
}

/** Where nothing of its own stands in the way, somebody else's claim does. */
function butWhat(obstacles: readonly string[], { state }: Expected): string {
  if (obstacles.length > 0) return obstacles.join(', and ');
  return state === 'open' ? 'another line fits it as well' : 'another line may be for it as well';
}

/** The expected payment with the fewest obstacles; of equal ones the first. */
function nearest(
  expectedPayments: readonly Expected[],
  obstaclesOf: (expectedPayment: Expected) => readonly string[],
): { readonly expectedPayment: Expected; readonly obstacles: readonly string[] } {
  const [first, ...others] = expectedPayments;
  if (first === undefined) throw new TypeError('an expected payment is missing');
  let best = { expectedPayment: first, obstacles: obstaclesOf(first) };
  for (const expectedPayment of others) {
    const obstacles = obstaclesOf(expectedPayment);
    if (obstacles.length < best.obstacles.length) best = { expectedPayment, obstacles };
  }
  return best;
}

function byMoney(expectedPayments: readonly Expected[]): ReadonlyMap<string, readonly Expected[]> {
  const found = new Map<string, Expected[]>();
  for (const expectedPayment of expectedPayments) {
    const key = moneyKey(expectedPayment.given);
    const list = found.get(key);
    if (list === undefined) found.set(key, [expectedPayment]);
    else if (list.length < LOOKED_AT_MAX) list.push(expectedPayment);
  }
  return found;
}
