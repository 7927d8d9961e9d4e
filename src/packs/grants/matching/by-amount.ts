/** P4: no reference to go by, so amount, payer and date must point to one receipt, and that receipt to one line. */
import { NAMED_MAX } from './by-reference.ts';
import { type Candidates, OpenReceipts } from './open-receipts.ts';
import { namesPayer } from './references.ts';
import {
  type Line,
  moneyKey,
  payerKey,
  type Receipt,
  settle,
  type Workbench,
} from './workbench.ts';

interface Wish extends Candidates {
  readonly line: Line;
}

export function matchByAmount(bench: Workbench): void {
  const byMoney = new Index(bench.receipts, ({ given }) => moneyKey(given));
  const byPayer = new Index(bench.receipts, payerKeyOf);
  const wishes: Wish[] = [];
  const wantedBy = new Map<Receipt, number>();
  // What a line looked up and had more candidates for than were counted: nothing of it is known to be unique.
  const crowded = new Set<string>();
  for (const line of bench.lines) {
    if (!line.isOpen || line.references.length > 0) continue;
    const { payer } = line;
    const money = moneyKey(line.given);
    const key = payer === undefined ? money : payerKey(money, payer);
    // A named payer is looked up; a name in free text must be searched for among all receipts of the amount.
    const receipts = (payer === undefined ? byMoney : byPayer).of(key);
    const candidates = receipts?.inWindow(line, bench.policy.noReference, NAMED_MAX, (receipt) =>
      canMeet(line, receipt),
    );
    if (candidates === undefined) continue;
    if (!candidates.isComplete) crowded.add(key);
    if (candidates.found.length === 0) continue;
    wishes.push({ line, ...candidates });
    for (const receipt of candidates.found) wantedBy.set(receipt, (wantedBy.get(receipt) ?? 0) + 1);
  }
  for (const { line, found, isComplete } of wishes) {
    const [only] = found;
    const isUnique =
      only !== undefined &&
      found.length === 1 &&
      wantedBy.get(only) === 1 &&
      !crowded.has(moneyKey(only.given)) &&
      !crowded.has(payerKeyOf(only));
    settle(bench, {
      rule: isUnique ? 'P4-amount-date-unique' : 'P4-ambiguous',
      status: isUnique ? 'matched' : 'manual',
      lines: [line],
      receipts: found,
      text: isUnique
        ? 'No reference; amount, payer and date fit one receipt, and no other line fits that receipt.'
        : doubtOf(found.length, isComplete),
    });
  }
}

function payerKeyOf({ given, payer }: Receipt): string {
  return payerKey(moneyKey(given), payer);
}

function doubtOf(candidates: number, isComplete: boolean): string {
  if (candidates === 1) return 'No reference; another line fits the same receipt as well.';
  const count = isComplete ? candidates : `${candidates} or more`;
  return `No reference; amount, payer and date fit ${count} receipts.`;
}

/** A receipt with a reference is not for a line with another one; where one side has none, nothing contradicts. */
function canMeet(line: Line, receipt: Receipt): boolean {
  if (line.saysReference && receipt.reference >= 0) return false;
  if (line.payer !== undefined) return line.payer === receipt.payer;
  return namesPayer(line.given.description ?? '', receipt.payer);
}

class Index {
  readonly #lists = new Map<string, Receipt[]>();
  readonly #open = new Map<string, OpenReceipts>();

  constructor(receipts: readonly Receipt[], keyOf: (receipt: Receipt) => string) {
    for (const receipt of receipts) {
      if (receipt.state !== 'open') continue;
      const key = keyOf(receipt);
      const list = this.#lists.get(key);
      if (list === undefined) this.#lists.set(key, [receipt]);
      else list.push(receipt);
    }
  }

  of(key: string): OpenReceipts | undefined {
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const list = this.#lists.get(key);
    if (list === undefined) return undefined;
    const made = new OpenReceipts(list);
    this.#open.set(key, made);
    return made;
  }
}
