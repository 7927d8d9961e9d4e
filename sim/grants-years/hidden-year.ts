/** The truth of a year: what was promised, what moved on the accounts, and what belongs to what. */
import type { Format, Habit } from './habits.ts';

/** An award, a pledge or a gift, as the organization's own books have it. */
export interface Promised {
  readonly number: string;
  /** As the books spell it. */
  readonly payer: string;
  readonly cents: number;
  readonly reference: string | undefined;
  readonly expectedOn: string;
  readonly kind: 'foundation' | 'government' | 'corporation' | 'individual';
}

/** Money of an entry that counts for an award; less than nothing where the entry takes it back. */
export interface Share {
  readonly award: Promised;
  readonly cents: number;
}

/** How a bank writes one payment. */
export interface Payment {
  readonly cents: number;
  readonly payer: string | undefined;
  /** What stands in the field for a reference. */
  readonly reference: string | undefined;
  readonly text: string;
}

/** What truly moved on an account, once, however often the bank tells of it. */
export interface Entry extends Payment {
  /** Known to nobody but the truth. */
  readonly id: string;
  readonly account: string;
  readonly on: string;
  readonly isOut: boolean;
  /** The bank itself says that it takes an earlier one back. */
  readonly isMarkedReturn: boolean;
  /** Number of the payment in the clearing, where it came through it. */
  readonly trace: string | undefined;
  /** Payments that the line is made of, where the bank lists them. */
  readonly details: readonly Payment[];
  /** Empty for money that is for no award. */
  readonly shares: readonly Share[];
  /** What a bank on the way has kept. */
  readonly feeCents: number;
  /**
   * - `evidence`: whoever reads the bank's files and the books can tell, and must not ask.
   * - `person`: nothing says it; a person must be asked.
   * - `either`: it may be told or asked, and both are right.
   */
  readonly decidedBy: 'evidence' | 'person' | 'either';
  readonly habit: Habit | 'plain';
}

export interface Account {
  readonly number: string;
  readonly format: Format;
  readonly openingCents: number;
  /** How the bank numbers its entries. */
  readonly numbers: 'unique' | 'filler' | 'restarting' | 'day-and-amount';
}

export interface HiddenYear {
  readonly seed: number;
  readonly habits: ReadonlySet<Habit>;
  readonly accounts: readonly Account[];
  readonly promised: readonly Promised[];
  /** In the order of their days. */
  readonly entries: readonly Entry[];
}

/** What an entry counts for all its awards together. */
export function countedCents({ shares }: Entry): number {
  return shares.reduce((sum, { cents }) => sum + cents, 0);
}

export function signedCents({ cents, isOut }: Pick<Entry, 'cents' | 'isOut'>): number {
  return isOut ? -cents : cents;
}
