/** One row of a bank's own table as a booking: its day, its money with a sign, who and what for. Pure. */
import { type Day, parseDay } from '../../../calendar/index.ts';
import type { JsonValue } from '../../../core/index.ts';

/** What a row says; a row without money says a balance alone. */
export interface BankRow {
  /** In the file. */
  readonly line: number;
  readonly account: string;
  readonly currency: string;
  readonly on: Day;
  readonly valueOn: Day | undefined;
  /** Below zero where it went out; undefined in a row that only tells a balance. */
  readonly cents: number | undefined;
  /** After the row. */
  readonly balanceCents: number | undefined;
  readonly payer: string | undefined;
  readonly text: string;
  readonly reference: string | undefined;
  readonly bankNumber: string | undefined;
  readonly isPending: boolean;
}

export interface RowFault {
  readonly line: number;
  readonly why: string;
}

type Cells = Readonly<Record<string, JsonValue>>;

const OUT: ReadonlySet<string> = new Set([
  'd',
  'dr',
  'db',
  'debit',
  'dbit',
  'out',
  '-',
  's',
  'soll',
]);
const IN: ReadonlySet<string> = new Set(['c', 'cr', 'credit', 'crdt', 'in', '+', 'h', 'haben']);
const PENDING: ReadonlySet<string> = new Set(['pending', 'processing', 'scheduled', 'authorized']);

/** What the cells hold, as they were read: days as YYYY-MM-DD, money as dollars with a sign. */
export function bankRowOf(line: number, cells: Cells): BankRow | RowFault {
  const fault = (why: string): RowFault => ({ line, why });
  const on = parseDay(textOf(cells, 'date'));
  if (on === undefined) return fault('date: expected the day of the booking, found nothing');
  const account = textOf(cells, 'account');
  if (account === '') return fault('account: expected the account; give it with --account');
  const currency = textOf(cells, 'currency').toUpperCase() || 'USD';
  if (!/^[A-Z]{3}$/.test(currency)) {
    return fault(`currency: expected a code of three letters, found "${currency}"`);
  }
  const cents = moneyOf(cells);
  if (typeof cents === 'string') return fault(cents);
  const balanceCents = centsOf(textOf(cells, 'balance'));
  if (cents === undefined && balanceCents === undefined) {
    return fault('expected an amount, a debit, a credit or a balance, found none of them');
  }
  return {
    line,
    account,
    currency,
    on,
    valueOn: parseDay(textOf(cells, 'value_date')),
    cents,
    balanceCents,
    payer: textOf(cells, 'payer') || undefined,
    text: textOf(cells, 'text'),
    reference: textOf(cells, 'reference') || undefined,
    bankNumber: textOf(cells, 'bank_number') || undefined,
    isPending: PENDING.has(textOf(cells, 'status').toLowerCase()),
  };
}

/** A text says what is wrong; undefined where the row has no money. */
function moneyOf(cells: Cells): number | string | undefined {
  const amount = centsOf(textOf(cells, 'amount'));
  const debit = centsOf(textOf(cells, 'debit'));
  const credit = centsOf(textOf(cells, 'credit'));
  const told = [amount, debit || undefined, credit || undefined].filter((one) => one !== undefined);
  if (told.length > 1) {
    return 'expected one of amount, debit and credit, found more than one of them';
  }
  if (amount !== undefined) return directed(amount, textOf(cells, 'direction'));
  // A debit goes out however its column writes it; a credit below zero is one that was taken back.
  if (debit !== undefined && debit !== 0) return -Math.abs(debit);
  if (credit !== undefined && credit !== 0) return credit;
  return debit === undefined && credit === undefined ? undefined : 0;
}

function directed(amount: number, direction: string): number | string {
  const word = direction.toLowerCase();
  if (word === '') return amount;
  if (OUT.has(word)) return amount === 0 ? 0 : -Math.abs(amount);
  if (IN.has(word)) return amount;
  return `direction: expected debit or credit, found "${direction}"`;
}

function textOf(cells: Cells, name: string): string {
  const cell = Object.hasOwn(cells, name) ? cells[name] : undefined;
  return typeof cell === 'string' ? cell.trim() : '';
}

/** `-1234.50` or `1234`, as the sheet has read it. */
function centsOf(text: string): number | undefined {
  const [, sign = '', whole = '', fraction = ''] =
    /^(-?)(\d{1,13})(?:\.(\d{2}))?$/.exec(text) ?? [];
  if (whole === '') return undefined;
  const cents = Number(`${whole}${fraction.padEnd(2, '0')}`);
  return sign === '-' && cents !== 0 ? -cents : cents;
}
