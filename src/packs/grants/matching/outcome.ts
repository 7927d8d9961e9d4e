/** Where a bank line or an expected receipt ended, and why: each outcome carries its rule, figures and dates. */
import type { BankLine, ExpectedReceipt } from './bank-line.ts';

/** In the order in which they are tried and listed. */
export const MATCH_RULES = [
  'P0-duplicate-delivery',
  'P0-pending',
  'P0-information',
  'P0-reversal',
  'P1-reference-exact',
  'P1-ambiguous',
  'P2-many-to-one',
  'P2-ambiguous',
  'P3-one-to-many',
  'P3-ambiguous',
  'P4-amount-date-unique',
  'P4-ambiguous',
  'P5-short-by-fee',
  'P5-ambiguous',
  'P6-suspected-double-payment',
  'P6-currency-mismatch',
  'P6-unmatched-bank',
  'P6-unmatched-ledger',
] as const;
export type MatchRule = (typeof MATCH_RULES)[number];

/**
 * - `matched`: agrees to the cent, nobody needs to look.
 * - `ignored`, `netted`: no money that a receipt waits for.
 * - `review`: a person confirms a proposal. `manual`: a person decides. `open`: still expected.
 */
export type MatchStatus = 'matched' | 'ignored' | 'netted' | 'review' | 'manual' | 'open';

export interface MatchReason {
  readonly text: string;
  /** Empty where no side is there. */
  readonly currency: string;
  readonly bankCents: number;
  readonly ledgerCents: number;
  readonly bankDates: readonly string[];
  readonly ledgerDates: readonly string[];
  readonly reference?: string;
  /** Business days, bank date minus expected date, for each pair of one line and one receipt. */
  readonly businessDays?: readonly number[];
}

/** An outcome with the entries that it is about. */
export interface FoundOutcome {
  readonly outcome: MatchOutcome;
  readonly lines: readonly BankLine[];
  readonly receipts: readonly ExpectedReceipt[];
}

export interface MatchOutcome {
  readonly rule: MatchRule;
  readonly status: MatchStatus;
  readonly bank: readonly string[];
  readonly ledger: readonly string[];
  /** The line that a second delivery repeats. */
  readonly of?: string;
  readonly reason: MatchReason;
}
