import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RetryPolicy } from './profile.ts';
import { backoffMs } from './retry.ts';

const POLICY: RetryPolicy = {
  inARowMax: 3,
  totalMsMax: 900_000,
  delayMsMin: 1000,
  delayMsMax: 60_000,
};
const inputs = fc.record({
  id: fc.uuid(),
  attempt: fc.nat(1000),
  failures: fc.nat(1_000_000),
});

describe('backoff', () => {
  it('lies between half and the whole of a step that doubles up to the cap', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const step = Math.min(60_000, 1000 * 2 ** Math.max(input.failures - 1, 0));
        const delayMs = backoffMs(POLICY, input);
        expect(delayMs).toBeGreaterThanOrEqual(step / 2);
        expect(delayMs).toBeLessThanOrEqual(step);
        expect(Number.isInteger(delayMs)).toBe(true);
      }),
    );
  });

  it('is the same for the same filing, attempt and row of failures', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        expect(backoffMs(POLICY, { ...input })).toBe(backoffMs(POLICY, input));
      }),
    );
  });

  it('never changes between releases: a replay of an old ledger decides the same', () => {
    const id = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f';
    expect([1, 2, 3].map((n) => backoffMs(POLICY, { id, attempt: n, failures: n }))).toEqual([
      870, 1793, 2720,
    ]);
  });

  it('spreads the filings of one failed group over the whole half-step', () => {
    const delays = Array.from({ length: 2000 }, (_, n) =>
      backoffMs(POLICY, { id: `filing-${n}`, attempt: 1, failures: 1 }),
    );
    const perTenth = Array.from({ length: 10 }, () => 0);
    for (const delayMs of delays) {
      const tenth = Math.min(Math.floor((delayMs - 500) / 50), 9);
      perTenth[tenth] = (perTenth[tenth] ?? 0) + 1;
    }
    // 200 are expected in each; 120 and 280 are six standard deviations away.
    for (const count of perTenth) {
      expect(count).toBeGreaterThan(120);
      expect(count).toBeLessThan(280);
    }
  });

  it('differs between attempts of one filing', () => {
    const id = 'one';
    const delays = [1, 2, 3, 4, 5].map((attempt) =>
      backoffMs({ ...POLICY, delayMsMin: 60_000 }, { id, attempt, failures: 1 }),
    );
    expect(new Set(delays).size).toBe(5);
  });
});
