import { expect, test } from 'vitest';
import { runRoutingSeed } from './run-seed.ts';

/** The worlds of 400 seeds take more than 40,000 steps. */
const SEEDS = 400;
/** About a minute on a quiet machine; CI shares its cores with other tests. */
const MINUTES_4_MS = 240_000;

test(
  `no promise of routing is broken in the worlds of ${SEEDS} seeds`,
  () => {
    const counts: Record<string, number> = {};
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const result = runRoutingSeed(seed);
      expect({ seed, violations: result.violations }).toEqual({ seed, violations: [] });
      for (const [name, count] of Object.entries(result.counts))
        counts[name] = (counts[name] ?? 0) + count;
    }
    // Worlds in which nothing goes wrong prove nothing.
    for (const name of [
      'ATTEMPTS_USED',
      'BREAKER_OPEN',
      'DENIED',
      'NOBODY_TO_ASK',
      'NOT_CONFIRMED',
      'SLACK_GONE',
      'TRIGGERED',
      'skipped',
      'redated',
      'manual_required',
      'manual_found',
      'manual_overdue',
      'late',
    ]) {
      expect(counts[name] ?? 0, name).toBeGreaterThan(SEEDS / 30);
    }
  },
  MINUTES_4_MS,
);

test.each([3, 17, 58])('seed %i gives the same trace twice', (seed) => {
  const [once, again] = [runRoutingSeed(seed), runRoutingSeed(seed)];
  expect(again.traceHash).toBe(once.traceHash);
  expect(again.decisions).toBe(once.decisions);
});

test('two seeds give two traces', () => {
  expect(runRoutingSeed(1).traceHash).not.toBe(runRoutingSeed(2).traceHash);
});
