/** Where a bank line or an expected payment ended, and why: each outcome carries its rule, figures and dates. */
import type { BankLine, ExpectedPayment } from './bank-line.ts';

/** In the order in which they are tried and listed. */
export const MATCH_RULES = [
  'P0-duplicate-delivery',
  'P0-announcement',
  'P0-pending',
  'P0-information',
  'P0-reversal',
  'P0-return',
  'P1-reference-exact',
  'P1-less-fee',
  'P1-ambiguous',
  'P2-batch-details',
  'P2-many-to-one',
  'P2-ambiguous',
  'P3-one-to-many',
  'P3-ambiguous',
  'P3-installment',
  'P4-amount-date-unique',
  'P4-ambiguous',
  'P5-short-by-fee',
  'P5-ambiguous',
  'P6-suspected-double-payment',
  'P6-currency-mismatch',
  'P6-closed-period',
  'P6-rest-open',
  'P6-unmatched-bank',
  'P6-unmatched-ledger',
] as const;
export type MatchRule = (typeof MATCH_RULES)[number];

/**
 * - `matched`: agrees to the cent, nobody needs to look.
 * - `ignored`, `netted`: no money that a expected payment waits for.
 * - `review`: a person confirms a proposal. `manual`: a person decides. `open`: still expected.
 */
export type MatchStatus = 'matched' | 'ignored' | 'netted' | 'review' | 'manual' | 'open';

export type MatchReason = {
  readonly text: string;
  /** Empty where no side is there. */
  readonly currency: string;
  readonly bankCents: number;
  readonly ledgerCents: number;
  /** What a bank on the way kept: the bank's amount and this are the ledger's. */
  readonly feeCents?: number;
  /** What of the bank's amount is for none of the awards, or not known yet; signed as the bank's amount. */
  readonly restCents?: number;
  readonly bankDates: readonly string[];
  readonly ledgerDates: readonly string[];
  readonly reference?: string;
  /** Business days, bank date minus expected date, for each pair of one line and one expected payment. */
  readonly businessDays?: readonly number[];
};

/** An outcome with the entries that it is about. */
export interface FoundOutcome {
  readonly outcome: MatchOutcome;
  readonly lines: readonly BankLine[];
  readonly expectedPayments: readonly ExpectedPayment[];
}

export type MatchOutcome = {
  readonly rule: MatchRule;
  readonly status: MatchStatus;
  readonly bank: readonly string[];
  readonly ledger: readonly string[];
  /** The line that a second delivery repeats, or that a return takes back. */
  readonly of?: string;
  readonly reason: MatchReason;
  /** How much of which line is for which expected payment; left out where one line is for one expected payment, and nothing else is to say. */
  readonly parts?: readonly OutcomePart[];
};

/** What one booking brought to one award, or took from it. */
export type OutcomePart = {
  /** Places in `bank` and `ledger`. */
  readonly bank: number;
  readonly ledger: number;
  /** Before what the bank kept; below zero where money was taken back. */
  readonly cents: number;
  readonly feeCents?: number;
  /** Goods and services that the award brings with its first payment, beside the cents. */
  readonly goodsCents?: number;
};
