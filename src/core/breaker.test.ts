import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  breakerAfter,
  type BreakerEvent,
  type BreakerState,
  CLOSED,
  nextProbeAt,
} from './breaker.ts';
import type { BreakerPolicy } from './profile.ts';
import { addMs, type Instant, instant } from './time.ts';

const POLICY: BreakerPolicy = { failures: 3, coolDownMs: 30_000, probeSpacingMs: 15_000 };
const NOW = instant(1_772_000_000_000);
const OPEN: BreakerState = { state: 'open', since: NOW, until: addMs(NOW, 30_000) };
const HALF: BreakerState = { state: 'half_open', good: 1, nextProbeAt: addMs(NOW, 15_000) };

function run(
  from: BreakerState,
  steps: readonly (readonly [BreakerEvent, number])[],
): BreakerState {
  return steps.reduce(
    (state, [event, afterMs]) => breakerAfter(state, event, POLICY, addMs(NOW, afterMs)),
    from,
  );
}

describe('breaker', () => {
  it('opens at the third failure in a row', () => {
    expect(
      run(CLOSED, [
        ['failure', 0],
        ['failure', 1],
      ]),
    ).toEqual({ state: 'closed', failures: 2 });
    expect(
      run(CLOSED, [
        ['failure', 0],
        ['failure', 1],
        ['failure', 2],
      ]),
    ).toEqual({
      state: 'open',
      since: addMs(NOW, 2),
      until: addMs(NOW, 30_002),
    });
  });

  it('counts only failures in a row', () => {
    const mixed = [
      ['failure', 0],
      ['failure', 0],
      ['success', 0],
      ['failure', 0],
      ['failure', 0],
    ] as const;
    expect(run(CLOSED, mixed)).toEqual({ state: 'closed', failures: 2 });
  });

  it('is not written while healthy: success leaves the same object', () => {
    expect(breakerAfter(CLOSED, 'success', POLICY, NOW)).toBe(CLOSED);
  });

  it('closes after the cool-down by two good probes, far enough apart', () => {
    const half = run(OPEN, [['probe_good', 30_000]]);
    expect(half).toEqual({ state: 'half_open', good: 1, nextProbeAt: addMs(NOW, 45_000) });
    expect(run(half, [['probe_good', 45_000]])).toEqual(CLOSED);
  });

  it.each<[string, BreakerState, BreakerEvent, number]>([
    ['a late success does not close an open one', OPEN, 'success', 40_000],
    ['a late failure does not extend an open one', OPEN, 'failure', 40_000],
    ['a probe inside the cool-down does not count', OPEN, 'probe_good', 29_999],
    ['a bad probe inside the cool-down does not extend it', OPEN, 'probe_bad', 29_999],
    ['a late success does not close a half-open one', HALF, 'success', 20_000],
    ['a late failure does not open a half-open one', HALF, 'failure', 20_000],
    ['a second probe too soon after the first does not count', HALF, 'probe_good', 14_999],
    ['a good probe does nothing to a closed one', CLOSED, 'probe_good', 0],
    ['a bad probe does nothing to a closed one', CLOSED, 'probe_bad', 0],
  ])('%s', (_claim, state, event, afterMs) => {
    expect(breakerAfter(state, event, POLICY, addMs(NOW, afterMs))).toBe(state);
  });

  it('starts a new cool-down after a bad probe, from open and from half-open', () => {
    const again = { state: 'open', since: addMs(NOW, 50_000), until: addMs(NOW, 80_000) };
    expect(run(OPEN, [['probe_bad', 50_000]])).toEqual(again);
    expect(run(HALF, [['probe_bad', 50_000]])).toEqual(again);
  });

  it('forgets the first good probe when the second is bad', () => {
    const state = run(OPEN, [
      ['probe_good', 30_000],
      ['probe_bad', 45_000],
      ['probe_good', 75_000],
    ]);
    expect(state).toMatchObject({ state: 'half_open', good: 1 });
  });

  it('says when the next probe may run', () => {
    expect([CLOSED, OPEN, HALF].map(nextProbeAt)).toEqual([
      undefined,
      addMs(NOW, 30_000),
      addMs(NOW, 15_000),
    ]);
  });

  it('has exactly one way to close: two spaced good probes after the cool-down and nothing bad between', () => {
    const event = fc.constantFrom<BreakerEvent>('success', 'failure', 'probe_good', 'probe_bad');
    const steps = fc.array(fc.tuple(event, fc.integer({ min: 0, max: 20_000 })), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (sequence) => {
        let state: BreakerState = OPEN;
        let now: Instant = NOW;
        let openedAt: Instant = NOW;
        let firstGoodAt: Instant | undefined;
        for (const [kind, afterMs] of sequence) {
          now = addMs(now, afterMs);
          const ripe: boolean = firstGoodAt === undefined ? now >= openedAt + 30_000 : true;
          const spaced = firstGoodAt !== undefined && now >= firstGoodAt + 15_000;
          state = breakerAfter(state, kind, POLICY, now);
          expect(state.state === 'closed').toBe(kind === 'probe_good' && spaced);
          if (state.state === 'closed') return;
          if (kind === 'probe_good' && ripe) firstGoodAt ??= now;
          if (kind === 'probe_bad' && ripe) {
            firstGoodAt = undefined;
            openedAt = now;
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
