import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Backoff, fractionIn, fractionOf, nextDelayMs } from './backoff.ts';

const DOUBLING: Backoff = { steps: { firstMs: 200, msMax: 5_000 }, spread: [1, 1] };
const LISTED: Backoff = { steps: [5_000, 300_000], spread: [1, 1.1] };

describe('the next delay', () => {
  it('doubles up to its cap, however many failures there were', () => {
    expect([1, 2, 3, 5, 6, 40, 1e9].map((n) => nextDelayMs(DOUBLING, n))).toEqual([
      200, 400, 800, 3_200, 5_000, 5_000, 5_000,
    ]);
  });

  it('goes by the list, and stays at its end', () => {
    expect([1, 2, 3].map((n) => nextDelayMs(LISTED, n))).toEqual([5_000, 300_000, 300_000]);
  });

  it('lies within its spread, whatever the fraction', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 6 }), fc.nat(50), (bytes, failures) => {
        const delayMs = nextDelayMs(LISTED, failures, fractionIn(bytes));
        const [stepMs] = failures > 1 ? [300_000] : [5_000];
        expect(delayMs).toBeGreaterThanOrEqual(stepMs);
        expect(delayMs).toBeLessThanOrEqual(stepMs * 1.1);
      }),
    );
  });

  it('has fractions from 0 to below 1, and one text has always the same', () => {
    expect([fractionIn(Buffer.from([0, 0])), fractionIn(Buffer.from([128, 0]))]).toEqual([0, 0.5]);
    expect(fractionIn(Buffer.from([255, 255, 255, 255]))).toBeLessThan(1);
    expect(fractionOf('notice/1')).toBe(fractionOf('notice/1'));
    expect(fractionOf('notice/1')).not.toBe(fractionOf('notice/2'));
  });
});
