import { setMaxListeners } from 'node:events';
import { expect, test } from 'vitest';
import { runRouterSeed } from './run-seed.ts';

setMaxListeners(0);

/** Each is some minutes of two or three routers, with a dozen faults; about ten worlds a second. */
const SEEDS = 150;
const MINUTES_3_MS = 180_000;

test(
  `no promise of the router is broken in the worlds of ${SEEDS} seeds`,
  async () => {
    const counts: Record<string, number> = {};
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const result = await runRouterSeed(seed);
      expect({ seed, violations: result.violations }).toEqual({ seed, violations: [] });
      for (const [name, count] of Object.entries({ ...result.counts, ...result.faults }))
        counts[name] = (counts[name] ?? 0) + count;
    }
    // Worlds in which nothing goes wrong prove nothing.
    for (const name of [
      'cut before commit',
      'cut after commit',
      'kill before commit',
      'kill after commit',
      'freeze before commit',
      'freeze after commit',
      'freeze',
      'database away',
      'recoveries',
      'differences',
      'target_failing',
      'docket_manual',
      'docket_manual_overdue',
      'docket_late',
      'docket_unfiled',
      'queue_saturated',
    ]) {
      expect(counts[name] ?? 0, name).toBeGreaterThan(SEEDS / 10);
    }
  },
  MINUTES_3_MS,
);

test.each([3, 17, 58])('seed %i gives the same trace twice', async (seed) => {
  const [once, again] = [await runRouterSeed(seed), await runRouterSeed(seed)];
  expect(again.traceHash).toBe(once.traceHash);
  expect(again.events).toBe(once.events);
});

/** Worlds in which the code as it stood broke a promise, and what was wrong then. */
const REGRESSIONS: readonly { readonly seed: number; readonly was: string }[] = [
  { seed: 319, was: 'a second acknowledgement passed over the warning that was due just then' },
  { seed: 2191, was: 'the same, in another world' },
];

test.each(REGRESSIONS)('seed $seed: $was', async ({ seed }) => {
  expect((await runRouterSeed(seed)).violations).toEqual([]);
});

test('two seeds give two traces', async () => {
  const [one, two] = [await runRouterSeed(1), await runRouterSeed(2)];
  expect(one.traceHash).not.toBe(two.traceHash);
});
