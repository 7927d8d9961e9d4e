/** The adversary: a program that tries a door a million times, to be unseen among its own entries or to fill the ledger. */
import { array, assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instant } from '../core/time.ts';
import { afterRefusal, type RefusalCount } from './refusals.ts';

const HOUR_MS = 3_600_000;
const at = (ms: number) => instant(1_800_000_000_000 + ms);

/** What the entries tell, after refusals at these moments. */
function told(moments: readonly number[]): { readonly tells: number[]; readonly untold: number } {
  let count: RefusalCount | undefined;
  const tells: number[] = [];
  for (const ms of moments) {
    const next = afterRefusal(count, at(ms));
    ({ count } = next);
    if (next.tells !== undefined) tells.push(next.tells);
  }
  return { tells, untold: count === undefined ? 0 : count.times - count.told };
}

describe('a refused act', () => {
  it('is an entry the first time, and each time that the number has doubled', () => {
    expect(told(Array.from({ length: 20 }, (_, ms) => ms)).tells).toEqual([1, 1, 2, 4, 8]);
  });

  it('a million times in a day is at most twenty-one entries, which tell at least half of them', () => {
    const { tells, untold } = told(Array.from({ length: 1_000_000 }, (_, n) => n * 86));
    expect(tells.length).toBeLessThanOrEqual(21);
    expect(untold).toBeLessThan(500_000);
  });

  it('is never forgotten: entries and the count of today make up all of them', () => {
    const gaps = array(integer({ min: 0, max: 30 * HOUR_MS }), { maxLength: 300 });
    assert(
      property(gaps, (all) => {
        let now = 0;
        const { tells, untold } = told(all.map((gap) => (now += gap)));
        expect(tells.reduce((sum, n) => sum + n, untold)).toBe(all.length);
      }),
    );
  });

  it('is told at once again on another day, with what the day before kept back', () => {
    expect(told([0, 1, 2, 25 * HOUR_MS]).tells).toEqual([1, 1, 2]);
  });
});
