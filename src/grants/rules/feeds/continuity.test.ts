import { describe, expect, it } from 'vitest';
import { dayOf } from '../../../calendar/day.ts';
import { checkContinuity, type FollowingStatement, type PreviousClosing } from './continuity.ts';

const on = dayOf(2026, 3, 1);
const balance = (amountCents: number, currency = 'USD') => ({ amountCents, currency, on });
const previous: PreviousClosing = {
  account: '1',
  currency: 'USD',
  number: 12,
  page: 1,
  closing: balance(500),
};
const next: FollowingStatement = {
  account: '1',
  currency: 'USD',
  number: 13,
  page: 1,
  opening: balance(500),
};

describe('a statement follows on the one before it', () => {
  it('when its opening is the previous closing and its number the next', () => {
    expect(checkContinuity(undefined, next)).toEqual({ kind: 'first' });
    expect(checkContinuity(previous, next)).toEqual({ kind: 'continuous' });
    expect(checkContinuity(previous, { ...next, number: undefined })).toEqual({
      kind: 'continuous',
    });
    expect(checkContinuity(previous, { ...next, number: 12, page: 2 }).kind).toBe('continuous');
    expect(checkContinuity(previous, { ...next, number: 1 }).kind).toBe('continuous');
  });

  it('but not when the opening differs', () => {
    expect(checkContinuity(previous, { ...next, opening: balance(499) })).toMatchObject({
      kind: 'broken',
      findings: [{ code: 'OPENING_DIFFERS', differenceCents: -1 }],
    });
    expect(checkContinuity(previous, { ...next, opening: balance(500, 'EUR') }).kind).toBe(
      'broken',
    );
  });

  it('nor when a number is left out, even if the balances agree', () => {
    expect(checkContinuity(previous, { ...next, number: 16 })).toMatchObject({
      kind: 'broken',
      findings: [{ code: 'STATEMENT_MISSING', missing: [13, 15] }],
    });
    expect(checkContinuity(previous, { ...next, number: 3 })).toMatchObject({
      findings: [{ code: 'STATEMENT_MISSING', missing: [1, 2] }],
    });
    expect(checkContinuity(previous, { ...next, number: 12, page: 4 })).toMatchObject({
      findings: [{ code: 'STATEMENT_MISSING' }],
    });
  });

  it('nor when the same one comes again, or another account', () => {
    expect(checkContinuity(previous, { ...next, number: 12 })).toMatchObject({
      findings: [{ code: 'STATEMENT_REPEATED' }],
    });
    expect(checkContinuity(previous, { ...next, account: '2' })).toMatchObject({
      findings: [{ code: 'OTHER_ACCOUNT' }],
    });
  });

  it('and without balances no one can say', () => {
    expect(checkContinuity(previous, { ...next, opening: undefined }).kind).toBe('unproved');
    expect(checkContinuity({ ...previous, closing: undefined }, next).kind).toBe('unproved');
  });
});
