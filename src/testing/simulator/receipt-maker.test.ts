import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReceiptMaker } from './receipt-maker.ts';

const PATTERNS = [
  '^DE-\\d{8}$',
  '^[A-Z]{2}[0-9]{10}$',
  '^\\d+$',
  '^CA\\.[A-F0-9]{6,}$',
  '^\\w{3,12}$',
  '.+',
  '^NY[-/]?\\d{4,6}$',
];

describe('receipt numbers', () => {
  it.each(PATTERNS)('fit %s and are never given twice', (pattern) => {
    const maker = new ReceiptMaker(pattern);
    const number = fc.integer({ min: 0, max: Math.min(maker.capacity - 1, 1_000_000) });
    fc.assert(
      fc.property(number, number, (a, b) => {
        expect(maker.receipt(a)).toMatch(new RegExp(pattern));
        expect(maker.receipt(a) === maker.receipt(b)).toBe(a === b);
      }),
    );
  });

  it.each(['^(A|B)\\d+$', '^[^x]+$', '^fixed$', '^\\p{L}+$', '^[]$'])(
    'are refused for %s, naming the field',
    (pattern) => {
      expect(() => new ReceiptMaker(pattern)).toThrow(
        expect.objectContaining({
          code: 'PROFILE_INVALID',
          details: { field: '/receipt/pattern', pattern },
        }),
      );
    },
  );

  it('end loudly when the pattern has no more of them', () => {
    const maker = new ReceiptMaker('^R\\d{2}$');
    expect(maker.capacity).toBe(100);
    expect(maker.receipt(99)).toBe('R99');
    expect(() => maker.receipt(100)).toThrow('no more numbers');
  });

  it('have a malformed counterpart unless everything is allowed', () => {
    expect(new ReceiptMaker('^\\d+$').malformed()).toBe('#pending#');
    expect(new ReceiptMaker('.+').malformed()).toBe('');
  });
});
