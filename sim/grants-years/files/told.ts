/** What the bank's files are made of: entries under the bank's own numbers, in statements with balances. */
import { type Entry, signedCents } from '../hidden-year.ts';

/** An entry as one file tells it. */
export interface Told {
  readonly entry: Entry;
  /** The bank's own number, as its habit makes it. */
  readonly number: string;
  readonly isPending?: boolean;
}

export interface Statement {
  readonly account: string;
  /** The name of the message; two messages have two. */
  readonly id: string;
  readonly number: number;
  readonly from: string;
  readonly to: string;
  readonly openingCents: number;
  readonly lines: readonly Told[];
  readonly notice?: 'COPY' | 'DUPL';
  /** Of a statement that comes in pages. */
  readonly page?: { readonly number: number; readonly isLast: boolean; readonly whole?: Statement };
}

export function closingOf({
  openingCents,
  lines,
}: Pick<Statement, 'openingCents' | 'lines'>): number {
  return lines.reduce((sum, { entry }) => sum + signedCents(entry), openingCents);
}

/** Units and cents with a mark between them. */
export function decimal(cents: number, mark: '.' | ','): string {
  const whole = Math.abs(cents);
  return `${Math.floor(whole / 100)}${mark}${String(whole % 100).padStart(2, '0')}`;
}
