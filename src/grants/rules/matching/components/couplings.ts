/**
 * What can make two entries matter to each other, noted entry by entry as keys. Every rule looks entries up by one of
 * these keys and by nothing else; a rule that looked something up by another one would need a coupling of its own here.
 */
import type { BankLine, ExpectedPayment, LinePayment } from '../bank-line.ts';
import { Numbers } from '../entries/numbers.ts';
import { PackedTexts } from '../entries/packed-texts.ts';
import { textHash } from '../entries/text-hash.ts';
import { announcementKey, deliveryKey, isReturn, reversalKeys } from '../preparation.ts';
import { keysOfBank, keysOfBooks, mayBeCut, PayerNames } from '../payer-names.ts';
import { cutSpellings, eachMention, spelledReference } from '../references.ts';
import { moneyKey, payerKey, payerOfLine } from '../workbench.ts';

/** Keys as hashes, each with the place of the entry that has it. Two keys with one hash join what need not be joined: harmless. */
export class Keyed {
  readonly #keys = new Numbers();
  readonly #entries = new Numbers();

  get length(): number {
    return this.#keys.length;
  }

  add(key: string, entry: number): void {
    this.#keys.push(textHash(key));
    this.#entries.push(entry);
  }

  /** `at` counts the keys. */
  each(visit: (key: number, entry: number, at: number) => void): void {
    for (let at = 0; at < this.#keys.length; at += 1) {
      visit(this.#keys.at(at), this.#entries.at(at), at);
    }
  }

  entryAt(at: number): number {
    return this.#entries.at(at);
  }
}

/** The same with the texts themselves, for where two texts with one hash would do harm. */
class Spelled extends Keyed {
  readonly #texts = new PackedTexts();

  override add(key: string, entry: number): void {
    super.add(key, entry);
    this.#texts.push(key);
  }

  /** Whether the text is certainly this one of the other list. */
  isSame(at: number, other: Spelled, otherAt: number): boolean {
    const text = this.#texts.at(at);
    // Halves of characters come back as U+FFFD, so that two different texts with them look alike.
    return text === other.#texts.at(otherAt) && !text.includes('\uFFFD');
  }
}

/** Days and ids of one side, by place. */
export class Side {
  readonly days = new Numbers();
  /** Hashes. */
  readonly ids = new Numbers();

  get length(): number {
    return this.days.length;
  }

  add(day: number, id: string): void {
    this.days.push(day);
    this.ids.push(textHash(id));
  }
}

export class Couplings {
  readonly lines = new Side();
  readonly expectedPayments = new Side();
  /** P0: lines that would be the same delivery. */
  readonly deliveries = new Keyed();
  /** P0: what a return looks for, and the lines in which it would be found. */
  readonly returns = new Keyed();
  readonly payments = new Keyed();
  /** P1, P2, P3, P5, P6: whatever a line says that could be a reference, and the references that there are. */
  readonly mentions = new Spelled();
  readonly references = new Spelled();
  /** P4: what a line without a known reference looks for, and the expected payments in which it would be found. */
  readonly sought = new Keyed();
  readonly owed = new Keyed();
  /** P2: what the payments of a batch look for by amount and payer, and the lines that list any. */
  readonly listed = new Keyed();
  readonly batches: number[] = [];
  readonly #names = new PayerNames();

  addLine(line: BankLine): void {
    const place = this.lines.length;
    this.lines.add(line.bookingDate, line.id);
    // What is not booked is set aside before any rule looks at it.
    if (line.status !== 'booked') return;
    const delivery = deliveryKey(line);
    if (delivery !== undefined) this.deliveries.add(delivery, place);
    const announcement = announcementKey(line);
    if (announcement !== undefined) this.deliveries.add(announcement, place);
    const names = reversalKeys(line);
    if (isReturn(line)) for (const name of names) this.returns.add(name, place);
    if (!line.isReversal) for (const name of names) this.payments.add(name, place);
    eachMention(line, (spelling) => this.mentions.add(spelling, place));
    const payer = payerOfLine(line);
    const money = moneyKey(line);
    if (line.payments !== undefined) this.#addPayments(line, line.payments, place);
    if (payer === undefined) {
      this.sought.add(money, place);
      return;
    }
    for (const key of keysOfBank(this.#names.of(payer), mayBeCut(payer))) {
      this.sought.add(payerKey(money, key), place);
    }
  }

  #addPayments(line: BankLine, payments: readonly LinePayment[], place: number): void {
    this.batches.push(place);
    for (const { amountCents, counterparty } of payments) {
      if (counterparty === undefined) continue;
      const money = moneyKey({ ...line, amountCents });
      for (const key of keysOfBank(this.#names.of(counterparty), mayBeCut(counterparty))) {
        this.listed.add(payerKey(money, key), place);
      }
    }
  }

  addExpectedPayment(expectedPayment: ExpectedPayment): void {
    const place = this.expectedPayments.length;
    this.expectedPayments.add(expectedPayment.expected, expectedPayment.id);
    if (expectedPayment.reference !== undefined) {
      const spelling = spelledReference(expectedPayment.reference);
      if (spelling !== '') this.references.add(spelling, place);
      for (const cut of cutSpellings(expectedPayment.reference)) this.references.add(cut, place);
    }
    const money = moneyKey(expectedPayment);
    this.owed.add(money, place);
    for (const key of keysOfBooks(this.#names.of(expectedPayment.payer))) {
      this.owed.add(payerKey(money, key), place);
    }
  }
}
