/**
 * P2: a line for many payments, which it lists. Each of them is looked for by itself, by its reference or by its payer; only
 * all of them together are a match, however many they are.
 */
import { NAMED_MAX } from './by-reference.ts';
import { isNamedIn, isSamePayer, keysOfBank, textOfNames } from './payer-names.ts';
import { payerKeysOf, ExpectedPaymentIndex } from './expected-payment-index.ts';
import { namesAnother } from './references.ts';
import {
  isInWindow,
  type Line,
  moneyKey,
  payerKey,
  type Payment,
  type Expected,
  resolve,
  type Workbench,
} from './workbench.ts';

/** Receipts under one reference that are looked at for one payment. */
const LOOKED_AT_MAX = 100;

interface Listed {
  readonly payment: Payment;
  /** In canonical order. */
  readonly candidates: readonly Expected[];
}

interface Wish {
  readonly line: Line;
  /** All candidates, each once: where nothing is doubtful, exactly the expected payments of its payments. */
  readonly expectedPayments: readonly Expected[];
  readonly doubtful: readonly Payment[];
}

export function matchBatches(bench: Workbench): void {
  const batches = bench.lines.filter(({ isOpen, payments }) => isOpen && payments.length > 0);
  // Most feeds have none.
  if (batches.length === 0) return;
  const search = new Search(bench);
  const wishes = batches.map((line) => wishOf(line, search));
  const wantedBy = new Map<Expected, number>();
  for (const { expectedPayments } of wishes) {
    for (const expectedPayment of expectedPayments)
      wantedBy.set(expectedPayment, (wantedBy.get(expectedPayment) ?? 0) + 1);
  }
  for (const { line, expectedPayments, doubtful } of wishes) {
    // Nothing is known of any: the line is looked at as any other.
    if (expectedPayments.length === 0) continue;
    const isAlone = expectedPayments.every(
      (expectedPayment) => wantedBy.get(expectedPayment) === 1,
    );
    const isWhole = doubtful.length === 0 && isAlone;
    resolve(bench, {
      rule: isWhole ? 'P2-batch-details' : 'P2-ambiguous',
      status: isWhole ? 'matched' : 'manual',
      lines: [line],
      expectedPayments,
      text: isWhole
        ? `Each of the ${expectedPayments.length} payments on the line fits one expected payment, by reference or payer, and by amount.`
        : doubtOf(line, doubtful),
    });
  }
}

function doubtOf({ payments }: Line, doubtful: readonly Payment[]): string {
  const [first] = doubtful;
  if (first === undefined) {
    return `The line lists ${payments.length} payments, and another batch lists some of the same.`;
  }
  const { amountCents, counterparty, references } = first.given;
  const name = counterparty ?? references[0];
  const of = name === undefined ? '' : ` of ${name}`;
  return `The line lists ${payments.length} payments; ${doubtful.length} of them fit no expected payment, or more than one, or another line as well. The first is ${amountCents} cents${of}.`;
}

/** Payments that have the same candidates take them all, where there are as many; which has which makes no difference. */
function wishOf(line: Line, search: Search): Wish {
  const groups = new Map<string, Listed[]>();
  for (const payment of line.payments) {
    const candidates = search.candidatesOf(line, payment);
    const key = candidates.map(({ at }) => at).join(' ');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [{ payment, candidates }]);
    else group.push({ payment, candidates });
  }
  const expectedPayments = new Set<Expected>();
  const doubtful: Payment[] = [];
  for (const group of groups.values()) {
    const candidates = group[0]?.candidates ?? [];
    const isCertain =
      candidates.length === group.length && !candidates.some((one) => expectedPayments.has(one));
    for (const expectedPayment of candidates) expectedPayments.add(expectedPayment);
    if (!isCertain) doubtful.push(...group.map(({ payment }) => payment));
  }
  return { line, expectedPayments: [...expectedPayments].sort((a, b) => a.at - b.at), doubtful };
}

/** What the payments of batches are looked up in. */
class Search {
  readonly #bench: Workbench;
  readonly #byReference = new Map<number, Expected[]>();
  readonly #byPayer: ExpectedPaymentIndex;
  /** What lines of their own ask for: a expected payment that one of them may be for is not certain. */
  readonly #rivals = new Set<string>();
  readonly #rivalTexts = new Map<string, (readonly string[])[]>();

  constructor(bench: Workbench) {
    this.#bench = bench;
    this.#byPayer = new ExpectedPaymentIndex(bench.expectedPayments, payerKeysOf);
    for (const expectedPayment of bench.expectedPayments) {
      if (expectedPayment.reference < 0 || expectedPayment.state !== 'open') continue;
      const list = this.#byReference.get(expectedPayment.reference);
      if (list === undefined) this.#byReference.set(expectedPayment.reference, [expectedPayment]);
      else if (list.length < LOOKED_AT_MAX) list.push(expectedPayment);
    }
    for (const line of bench.lines) {
      if (line.isOpen && line.payments.length === 0) this.#addRival(line);
    }
  }

  #addRival(line: Line): void {
    const money = moneyKey(line.given);
    for (const reference of line.references) this.#rivals.add(`${reference} ${money}`);
    if (line.references.length > 0) return;
    if (line.payer === undefined) {
      const texts = this.#rivalTexts.get(money) ?? [];
      this.#rivalTexts.set(money, [...texts, textOfNames(line.given.description ?? '')]);
      return;
    }
    for (const key of keysOfBank(line.payer, line.isPayerCut)) {
      this.#rivals.add(payerKey(money, key));
    }
  }

  /** Empty where a line of its own may be the payment as well. */
  candidatesOf(line: Line, payment: Payment): readonly Expected[] {
    const money = moneyKey({ ...line.given, amountCents: payment.given.amountCents });
    const found =
      payment.references.length > 0
        ? this.#named(line, payment, money)
        : this.#ofPayer(line, payment, money);
    return found.some((expectedPayment) => this.#hasRival(expectedPayment, money)) ? [] : found;
  }

  #hasRival(expectedPayment: Expected, money: string): boolean {
    if (this.#rivals.has(`${expectedPayment.reference} ${money}`)) return true;
    if (payerKeysOf(expectedPayment).some((key) => this.#rivals.has(key))) return true;
    return (this.#rivalTexts.get(money) ?? []).some((texts) =>
      isNamedIn(texts, expectedPayment.payer),
    );
  }

  #named(line: Line, { references }: Payment, money: string): readonly Expected[] {
    const { withReference, sameReferenceAndAmount } = this.#bench.policy;
    const all = references
      .flatMap((reference) => this.#byReference.get(reference) ?? [])
      .filter(({ given }) => moneyKey(given) === money);
    const near = all.filter((expectedPayment) => isInWindow(line, expectedPayment, withReference));
    if (near.length > 0 || all.length !== 1) return near.sort((a, b) => a.at - b.at);
    return all.filter((expectedPayment) =>
      isInWindow(line, expectedPayment, sameReferenceAndAmount),
    );
  }

  #ofPayer(line: Line, payment: Payment, money: string): readonly Expected[] {
    const { payer, isPayerCut, given } = payment;
    if (payer === undefined) return [];
    const says = { references: given.references, description: undefined };
    const fits = (expectedPayment: Expected): boolean => {
      const { reference } = expectedPayment.given;
      if (reference !== undefined && namesAnother(says, reference)) return false;
      return isSamePayer(payer, expectedPayment.payer, isPayerCut);
    };
    const found = new Set<Expected>();
    for (const key of keysOfBank(payer, isPayerCut)) {
      const window = this.#bench.policy.noReference;
      const open = this.#byPayer.of(payerKey(money, key));
      const candidates = open?.inWindow(line, window, NAMED_MAX, fits);
      // More than are counted: none of them is certain.
      if (candidates?.isComplete === false) return [];
      for (const expectedPayment of candidates?.found ?? []) found.add(expectedPayment);
    }
    return [...found].sort((one, other) => one.at - other.at);
  }
}
