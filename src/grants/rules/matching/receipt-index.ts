/** Open receipts by what a line may ask for: their money, or their money and their payer. */
import { OpenReceipts } from './open-receipts.ts';
import { keysOfBooks } from './payer-names.ts';
import { moneyKey, payerKey, type Receipt } from './workbench.ts';

export function payerKeysOf({ given, payer }: Receipt): readonly string[] {
  const money = moneyKey(given);
  return keysOfBooks(payer).map((key) => payerKey(money, key));
}

export class ReceiptIndex {
  readonly #lists = new Map<string, Receipt[]>();
  readonly #open = new Map<string, OpenReceipts>();

  constructor(receipts: readonly Receipt[], keysOf: (receipt: Receipt) => readonly string[]) {
    for (const receipt of receipts) {
      if (receipt.state !== 'open') continue;
      for (const key of keysOf(receipt)) {
        const list = this.#lists.get(key);
        if (list === undefined) this.#lists.set(key, [receipt]);
        else list.push(receipt);
      }
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
