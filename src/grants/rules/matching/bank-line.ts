/** What the matcher compares: money that moved on an account, and money that a grantor has promised. */
import type { Day } from '../../../calendar/index.ts';
import { badCase } from '../../../core/index.ts';
import type { LineEvent } from '../feeds/feed-events.ts';

export type Direction = 'credit' | 'debit';

/** Where a line stands in what the bank sent, so that a figure can be followed back to it. */
export interface SourcePlace {
  readonly feed: string;
  readonly line: number;
}

/** What of an entry means the same in a feed and among the lines that are matched. */
type ToldOfEntry = Pick<
  LineEvent,
  | 'account'
  | 'nativeId'
  | 'bookingDate'
  | 'valueDate'
  | 'amountCents'
  | 'currency'
  | 'direction'
  | 'status'
  | 'isReversal'
  | 'trace'
  | 'references'
  | 'counterparty'
>;

export interface BankLine extends ToldOfEntry {
  /** Unique among the lines that are matched together; two deliveries of one entry have two ids. */
  readonly id: string;
  readonly description: string | undefined;
  /** What a bank on the way kept, where it says so: the payer sent this much more. */
  readonly feeCents?: number | undefined;
  /** Payments that the bank booked as this one line, where it lists them all with their amounts. */
  readonly payments?: readonly LinePayment[];
  /** Why payments that were announced for it are not used, as a sentence. */
  readonly unusedPayments?: string;
  readonly source: SourcePlace;
  /** Which statement of its feed tells it, from 1; absent where lines stand for themselves, as in a data set. */
  readonly statement?: number;
  /** Money that is only announced (intraday, clearing): a hint about an entry, never one of its own. */
  readonly isAnnounced?: boolean;
  /** The day on which it counts for the balance, where that is another than the day of booking. */
  readonly postedOn?: Day;
}

/** The day on which a line belongs to a period. */
export function postingDay({ postedOn, bookingDate }: BankLine): Day {
  return postedOn ?? bookingDate;
}

/** Below zero for money that went out: a sum of lines is what they did to the account. */
export function signedCents({
  amountCents,
  direction,
}: Pick<BankLine, 'amountCents' | 'direction'>): number {
  return direction === 'credit' ? amountCents : -amountCents;
}

/** What a line says about an entry and what it is not itself: a hint. */
export function isHint({ status, isAnnounced }: BankLine): boolean {
  return status !== 'booked' || isAnnounced === true;
}

export interface LinePayment {
  readonly amountCents: number;
  readonly references: readonly string[];
  readonly counterparty: string | undefined;
}

/** One line of the grantor ledger: what should still arrive, from whom, when. */
export interface ExpectedPayment {
  readonly id: string;
  readonly grant: string;
  readonly payer: string;
  readonly reference: string | undefined;
  readonly amountCents: number;
  readonly currency: string;
  readonly direction: Direction;
  readonly expected: Day;
  /** What of it may come in several payments, closings apart; `some` where a closed period has counted a first one. */
  readonly parts?: 'may' | 'some' | undefined;
  /** Goods and services that the award brings with its first payment; they are not in `amountCents`. */
  readonly goodsCents?: number | undefined;
  /** Of the award document that promised it. */
  readonly payloadHash: string | undefined;
}

/** Fifteen digits, as in a return; six of them added up stay exact. */
export const AMOUNT_CENTS_MAX = 999_999_999_999_999;

/** Refuses amounts with which no result could be exact; matching never changes an amount. */
export function checkAmount(
  what: string,
  { id, amountCents }: { readonly id: string; readonly amountCents: number },
): void {
  if (!Number.isInteger(amountCents) || amountCents < 0 || amountCents > AMOUNT_CENTS_MAX) {
    refuse(what, id, `expected whole cents from 0 to ${AMOUNT_CENTS_MAX}`);
  }
}

/** With two entries of one id an outcome would not say which it means. */
export function refuseRepeatedId(what: string, id: string): never {
  refuse(what, id, 'its id appears twice');
}

function refuse(what: string, id: string, reason: string): never {
  throw badCase(`${what} ${JSON.stringify(id)}: ${reason}`, {
    details: { id },
  });
}
