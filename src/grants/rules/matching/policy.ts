/** How far a payment may be from what was expected, and still be the one that was expected. */

/** Business days, bank date minus expected date; both ends count. */
export interface DateWindow {
  readonly from: number;
  readonly to: number;
}

export interface MatchPolicy {
  readonly withReference: DateWindow;
  /** Wider: the reference and the amount are those of one expected payment, and no other payment was made under them. */
  readonly sameReferenceAndAmount: DateWindow;
  /** Narrower: without a reference only amount, payer and date speak for the match. */
  readonly noReference: DateWindow;
  /** Most parts of a payment that is put together, or of one that is paid in parts. */
  readonly groupMax: number;
  /** A payment with the right reference may be short by this much; a person looks at it all the same. */
  readonly feeCentsMax: number;
  /** A return comes within this many calendar days; an older payment with the same trace is another one. */
  readonly reversalDaysMax: number;
}

/** The windows that the samples of this pack were made with; returns of corporate entries come within days, of consumer entries within 60. */
export const MATCH_POLICY: MatchPolicy = {
  withReference: { from: -5, to: 22 },
  // A quarter too early, a year too late.
  sameReferenceAndAmount: { from: -65, to: 260 },
  noReference: { from: -1, to: 5 },
  groupMax: 6,
  feeCentsMax: 5_000,
  reversalDaysMax: 60,
};
