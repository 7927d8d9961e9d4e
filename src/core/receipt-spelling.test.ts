/** Numbers as people copy them. The adversary: a second use under another spelling, and two numbers that only look alike. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { receiptSpelling } from './receipt-spelling.ts';

describe('all spellings of a receipt', () => {
  it.each([
    ['NV-20270301-1', 'nv 20270301-1'],
    ['NV-20270301-1', ' NV20270301-1'],
    ['NV-20270301-1', 'NV–20270301–1'],
    ['NV-20270301-1', 'ＮＶ－２０２７０３０１－１'],
    ['NV-20270301-1', 'NV-\u200b20270301-1'],
    ['A0B1', 'AOBI'],
    ['A0B1', 'aobl'],
    ['12 345', '12-345'],
  ])('%s and %s are one', (one, other) => {
    expect(receiptSpelling(other)).toBe(receiptSpelling(one));
  });

  it.each([
    ['2027-1-11', '2027-11-1'],
    ['NV-1', 'NV-11'],
    ['00123', '123'],
    ['A1', 'B1'],
    ['NV-1', 'NY-1'],
  ])('%s and %s are two', (one, other) => {
    expect(receiptSpelling(other)).not.toBe(receiptSpelling(one));
  });

  it('is settled: a spelling of a spelling is the same', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (text) => {
        const once = receiptSpelling(text);
        expect(receiptSpelling(once)).toBe(once);
      }),
    );
  });
});
