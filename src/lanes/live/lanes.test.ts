import { describe, expect, it } from 'vitest';
import { CLOSED } from '../../core/breaker.ts';
import type { DeliveryStore } from '../../core/ports.ts';
import { inLaneContext } from '../rules/lane-rules.ts';
import { instant } from '../../core/time.ts';
import type { LaneState } from '../../core/lane.ts';
import { laneCode } from '../../core/ids.ts';
import { sampleProfile } from '../../testing/simulator/sample-profile.ts';
import { Lanes } from './lanes.ts';

const LANE = laneCode('US-DE');
const NOW = instant(1_772_000_000_000);
const PROFILE = { ...sampleProfile(), code: LANE, ceiling: 1 };
const HEALTHY: LaneState = {
  code: LANE,
  version: 1,
  ceiling: 1,
  pause: { kind: 'none' },
  breaker: CLOSED,
  throttles: 0,
  missing: 0,
  resumedAt: undefined,
};

/** A database that keeps its answers back until it is told to give them. */
function slowStore(): {
  readonly store: Pick<DeliveryStore, 'survey' | 'changeLane'>;
  readonly committed: LaneState[];
  readonly answerAll: () => Promise<void>;
} {
  const open: (() => void)[] = [];
  const committed: LaneState[] = [];
  return {
    committed,
    store: {
      survey: () => Promise.reject(new Error('not asked here')),
      changeLane: (_expected, next) =>
        new Promise((resolve) => {
          open.push(() => {
            committed.push(next);
            resolve(true);
          });
        }),
    },
    answerAll: async () => {
      for (let answer = open.shift(); answer !== undefined; answer = open.shift()) {
        answer();
        await new Promise(setImmediate);
      }
    },
  };
}

describe('a lane while a change of it is being committed', () => {
  it('is closed at once by an answer whose own change still waits', async () => {
    const { store, committed, answerAll } = slowStore();
    const lanes = new Lanes({
      store,
      clock: {
        now: () => NOW,
        monotonicMs: () => 0,
        sleep: () => Promise.resolve(),
      },
      ids: { next: () => '00000000-0000-7000-8000-000000000000' },
      profiles: new Map([[LANE, PROFILE]]),
      stopped: new AbortController().signal,
    });
    lanes.refresh([HEALTHY], NOW);
    expect(lanes.ceiling(LANE, NOW)).toBe(1);
    const missing = { kind: 'rejected', code: 'HTTP_404', missing: true } as const;
    const changes = [1, 2, 3].map(() => {
      const verdict = inLaneContext(missing, lanes.state(LANE) ?? HEALTHY);
      return lanes.apply(LANE, { kind: 'sent', verdict }, NOW);
    });
    expect(lanes.ceiling(LANE, NOW)).toBe(0);
    lanes.refresh([HEALTHY], NOW);
    expect(lanes.ceiling(LANE, NOW)).toBe(0);
    await answerAll();
    await Promise.all(changes);
    expect(committed.map((state) => state.missing)).toEqual([1, 2, 0]);
    expect(lanes.state(LANE)?.pause).toMatchObject({ kind: 'held', reason: 'drift' });
    expect(lanes.ceiling(LANE, NOW)).toBe(0);
  });
});
