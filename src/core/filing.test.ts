import { describe, expect, it } from 'vitest';
import { FILING_STATUSES, type FilingStatus, isLegalTransition } from './filing.ts';

/** Design § 1, row by row, written down a second time on purpose; a withdrawal before anything was sent came later. */
const LEGAL: readonly [FilingStatus | null, FilingStatus, string][] = [
  [null, 'pending', 'intake froze the payload'],
  ['pending', 'submitted', 'an intent is committed'],
  ['pending', 'fallout', 'a gate refuses, the slack is gone, or every tier is closed'],
  ['pending', 'rejected', 'a person withdrew it before anything was sent'],
  ['submitted', 'pending', 'transient or throttled with proof that nothing was accepted'],
  ['submitted', 'submitted', 'received or unknown'],
  ['submitted', 'accepted', 'receipt'],
  ['submitted', 'rejected', 'proven refusal'],
  ['submitted', 'fallout', 'automation gives up'],
  ['rejected', 'pending', 'review: replay or correct'],
  ['fallout', 'pending', 'review: replay or correct'],
  ['rejected', 'accepted', 'review: accept as filed'],
  ['fallout', 'accepted', 'review: accept as filed'],
  ['fallout', 'rejected', 'review: closed, or withdrawn'],
];

const FROM: readonly (FilingStatus | null)[] = [null, ...FILING_STATUSES];
const ILLEGAL = FROM.flatMap((from) =>
  FILING_STATUSES.filter((to) => !LEGAL.some((row) => row[0] === from && row[1] === to)).map(
    (to) => [from, to] as const,
  ),
);

describe('filing status', () => {
  it.each(LEGAL)('may go from %s to %s: %s', (from, to) => {
    expect(isLegalTransition(from, to)).toBe(true);
  });

  it.each(ILLEGAL)('never goes from %s to %s', (from, to) => {
    expect(isLegalTransition(from, to)).toBe(false);
  });

  it('is covered pair by pair: 14 legal and 16 illegal', () => {
    expect([LEGAL.length, ILLEGAL.length]).toEqual([14, 16]);
  });

  it('is final once accepted', () => {
    expect(FILING_STATUSES.filter((to) => isLegalTransition('accepted', to))).toEqual([]);
  });
});
