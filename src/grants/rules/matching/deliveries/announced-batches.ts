/**
 * Payments of a batch that another delivery lists: many banks book the sum alone, and send what it is made of in a notification.
 * They are used only where they come to what was booked, to the cent.
 */
import type { BankLine } from '../bank-line.ts';
import { compare } from '../workbench.ts';
import { ownNumber } from './same-text.ts';

/** What other deliveries list, of the same money; undefined where the line lists its own, or none is listed. */
export function listedPayments(
  line: BankLine,
  others: readonly BankLine[],
): Pick<BankLine, 'payments' | 'unusedPayments'> | undefined {
  if (line.payments !== undefined) return undefined;
  const lists = others.flatMap(({ payments, amountCents }) =>
    payments === undefined || amountCents !== line.amountCents ? [] : [payments],
  );
  const [first] = lists;
  if (first === undefined) return undefined;
  // In whatever order: two messages need not sort them alike.
  const spelled = new Set(
    lists.map((list) =>
      list
        .map((one) => JSON.stringify(one))
        .sort(compare)
        .join(),
    ),
  );
  if (spelled.size === 1) return { payments: first };
  return {
    unusedPayments: 'The bank announced its payments in two different ways; they are not used.',
  };
}

/** Batches that were announced with another amount than was booked under their number, on one day. */
export class AnnouncedBatches {
  readonly #byNumber = new Map<string, { readonly id: string; readonly cents: number }[]>();
  /** Hints that announce another entry after all: numbers begin again. */
  readonly #found = new Set<string>();

  add(hint: BankLine): void {
    const key = numberKey(hint);
    if (key === undefined || hint.payments === undefined) return;
    const batch = { id: hint.id, cents: hint.amountCents };
    const known = this.#byNumber.get(key);
    if (known === undefined) this.#byNumber.set(key, [batch]);
    else known.push(batch);
  }

  /** Whether a batch was announced under its number. */
  mayBe(line: BankLine): boolean {
    if (this.#byNumber.size === 0 || line.payments !== undefined) return false;
    const key = numberKey(line);
    return key !== undefined && this.#byNumber.has(key);
  }

  found(hint: BankLine): void {
    this.#found.add(hint.id);
  }

  /** With the reason, where the payments of such a batch are not those of the line. */
  noted(line: BankLine): BankLine {
    const batches = this.#byNumber.get(numberKey(line) ?? '') ?? [];
    const other = batches.find(({ id }) => !this.#found.has(id));
    if (other === undefined) return line;
    const unusedPayments = `The bank announced it under the same number with payments of ${other.cents} cents, but booked ${line.amountCents}: these payments are not used.`;
    return { ...line, unusedPayments };
  }
}

function numberKey(line: BankLine): string | undefined {
  const number = ownNumber(line);
  if (number === undefined) return undefined;
  return JSON.stringify([line.account, line.currency, line.direction, line.bookingDate, number]);
}
