/** Open expected payments by what a line may ask for: their money, or their money and their payer. */
import { OpenExpectedPayments } from './open-expected-payments.ts';
import { keysOfBooks } from './payer-names.ts';
import { moneyKey, payerKey, type Expected } from './workbench.ts';

export function payerKeysOf({ given, payer }: Expected): readonly string[] {
  const money = moneyKey(given);
  return keysOfBooks(payer).map((key) => payerKey(money, key));
}

export class ExpectedPaymentIndex {
  readonly #lists = new Map<string, Expected[]>();
  readonly #open = new Map<string, OpenExpectedPayments>();

  constructor(
    expectedPayments: readonly Expected[],
    keysOf: (expectedPayment: Expected) => readonly string[],
  ) {
    for (const expectedPayment of expectedPayments) {
      if (expectedPayment.state !== 'open') continue;
      for (const key of keysOf(expectedPayment)) {
        const list = this.#lists.get(key);
        if (list === undefined) this.#lists.set(key, [expectedPayment]);
        else list.push(expectedPayment);
      }
    }
  }

  of(key: string): OpenExpectedPayments | undefined {
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const list = this.#lists.get(key);
    if (list === undefined) return undefined;
    const made = new OpenExpectedPayments(list);
    this.#open.set(key, made);
    return made;
  }
}
