/** Where a bank line or an award stands, in the words of the lists. */

/**
 * - `open`: a person decides. `matched`: paid an award. `none`: a person said that it pays no award.
 * - `returned`: a payment and its return. `repeated`: a second delivery. `announced`: not money yet. `withdrawn`.
 */
export const LINE_STATES = [
  'open',
  'matched',
  'none',
  'returned',
  'repeated',
  'announced',
  'withdrawn',
] as const;
export type LineState = (typeof LINE_STATES)[number];

/** `expected`: nothing has come, and its day is not past. `overdue`: its day is past. `ended`: amended or canceled. */
export const AWARD_STATES = [
  'expected',
  'overdue',
  'partly',
  'received',
  'undated',
  'ended',
] as const;
export type AwardState = (typeof AWARD_STATES)[number];
