/** What every reader gives, whatever the bank's format: statements, their lines, and an end that means "all of it agrees". */
import type { Day } from '../../../calendar/index.ts';

export const FEED_FORMATS = [
  'camt.053',
  'camt.052',
  'camt.054',
  'ofx',
  'bai2',
  'mt940',
  'nacha',
  /** The bank's own table; its columns are told beside it. */
  'csv',
] as const;
export type FeedFormat = (typeof FEED_FORMATS)[number];

/** Counted from 1, as an editor shows it. */
export interface FeedPlace {
  readonly line: number;
  readonly column: number;
}

/** Negative when the account is overdrawn. */
export interface Balance {
  readonly amountCents: number;
  readonly currency: string;
  readonly on: Day;
}

export interface Statement {
  /** Which statement of the feed, from 1. */
  readonly ordinal: number;
  readonly place: FeedPlace;
  /** Undefined only for a NACHA batch, whose lines name their own accounts. */
  readonly account: string | undefined;
  /** Routing number or bank id, where the feed gives it beside the account. */
  readonly bank: string | undefined;
  readonly statementId: string | undefined;
  /** The bank counts its statements with this; `page` counts the parts of one statement. */
  readonly number: number | undefined;
  readonly page: number | undefined;
  /** The statement itself says that it goes on from a page before it, or in a page after it. */
  readonly hasPageBefore: boolean;
  readonly hasPageAfter: boolean;
  readonly currency: string | undefined;
  readonly from: Day | undefined;
  readonly to: Day | undefined;
  /** The same lines will come again in a final statement. */
  readonly isInterim: boolean;
  readonly notice: 'copy' | 'duplicate' | 'correction' | undefined;
  readonly opening: Balance | undefined;
  readonly closing: Balance | undefined;
}

/** Begins a statement. Balances that the format gives only after the lines are still undefined here. */
interface StatementEvent extends Statement {
  readonly kind: 'statement';
}

/** One payment inside a line that the bank booked as a batch. */
export interface LineDetail {
  readonly amountCents: number | undefined;
  readonly currency: string | undefined;
  readonly references: readonly string[];
  readonly trace: string | undefined;
  readonly counterparty: string | undefined;
  readonly description: string;
  /** The bank gives a reason for which the payment was returned. */
  readonly isReturn?: boolean;
  /** As those of the line. */
  readonly chargesCents?: number | undefined;
}

export interface LineEvent {
  readonly kind: 'line';
  readonly place: FeedPlace;
  /** The `ordinal` of its statement. */
  readonly statement: number;
  readonly account: string;
  /** The bank's own number of the entry; undefined where the format promises none. */
  readonly nativeId: string | undefined;
  readonly bookingDate: Day;
  readonly valueDate: Day | undefined;
  /** Minor units of the currency, never negative: `direction` carries the sign. */
  readonly amountCents: number;
  readonly currency: string;
  readonly direction: 'credit' | 'debit';
  /** Only what is booked is money. */
  readonly status: 'booked' | 'pending' | 'information';
  /** The bank itself says that the line takes an earlier one back. */
  readonly isReversal: boolean;
  /** Number of the payment in the clearing; a return carries that of the payment it returns. */
  readonly trace: string | undefined;
  readonly references: readonly string[];
  readonly counterparty: string | undefined;
  readonly description: string;
  /** The bank's transaction code, in the words of its format. */
  readonly code: string | undefined;
  /** What was kept on the way, where a field of the format says so: the payer sent this much more. */
  readonly chargesCents?: number | undefined;
  /** Empty unless several payments were booked as one line. */
  readonly details: readonly LineDetail[];
}

/**
 * Ends a statement, with both balances where the format has them. `proof` says what its lines were held against:
 * opening plus lines equals closing, the feed's own control totals, or nothing, because the format gives nothing.
 */
export interface StatementEndEvent extends Statement {
  readonly kind: 'statementEnd';
  readonly lines: number;
  /** Booked credits less booked debits. */
  readonly netCents: number;
  readonly proof: 'balances' | 'controlTotals' | 'none';
  /** What the statement says of itself and its lines do not show, in words; a period with it cannot be closed. */
  readonly doubt: string | undefined;
}

/** Comes only when the whole feed was read and everything in it agrees. Without it nothing before may be used. */
export interface EndEvent {
  readonly kind: 'end';
  readonly format: FeedFormat;
  readonly statements: number;
  readonly lines: number;
}

export type FeedEvent = StatementEvent | LineEvent | StatementEndEvent | EndEvent;

/** A reader takes text in pieces of any size and gives events; it never looks ahead and holds one record at most. */
export interface FeedReader {
  push(piece: string): Iterable<FeedEvent>;
  /** The input is over: gives what was still held, and the end; throws when something is missing. */
  finish(): Iterable<FeedEvent>;
}
