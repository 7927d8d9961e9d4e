import { describe, expect, it } from 'vitest';
import { HAND_BUGS } from './planted-bugs.ts';
import { runHand } from './world.ts';

/** 2,000 take about two seconds. */
const SEEDS = 2_000;
const BUG_SEEDS = 400;

describe('people who file by hand', () => {
  it('lose nothing, file nothing twice and are late in no silence, whatever they forget', () => {
    const broken: string[] = [];
    let [accepted, lost] = [0, 0];
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const found = runHand(seed);
      if (found.violations.length > 0) broken.push(`seed ${seed}: ${found.violations.join(', ')}`);
      accepted += found.accepted;
      lost += found.lost;
    }
    expect(broken.slice(0, 5)).toEqual([]);
    // The worlds are worth something: much is filed, and much is lost on the way.
    expect(accepted).toBeGreaterThan(SEEDS);
    expect(lost).toBeGreaterThan(SEEDS / 2);
  });

  it('the same seed is the same day', () => {
    expect(runHand(17)).toEqual(runHand(17));
  });

  it.each(Object.entries(HAND_BUGS))('a rule by which %s is noticed', (_name, rules) => {
    const caught = Array.from({ length: BUG_SEEDS }, (_, seed) => runHand(seed + 1, rules)).filter(
      ({ violations }) => violations.length > 0,
    );
    expect(caught.length).toBeGreaterThan(0);
  });
});
