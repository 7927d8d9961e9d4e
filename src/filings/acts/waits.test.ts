import { describe, expect, it } from 'vitest';
import { instant } from '../../core/time.ts';
import type { LaneState } from '../../core/lane.ts';
import { laneCode } from '../../core/ids.ts';
import type { RecoveryState } from '../../core/recovery.ts';
import type { LaneCounts } from '../../lanes/store/lane-counts.ts';
import { sampleProfile } from '../../testing/simulator/sample-profile.ts';
import type { LaneWithProfile } from '../../lanes/acts/lanes.ts';
import { waitsOf } from './waits.ts';

// A Sunday.
const NOW = instant(Date.parse('2026-11-15T05:00:00Z'));
const MINUTE = 60_000;
const waiting = { state: 'awaiting_approval', since: NOW, reasons: ['x'] } as const;

const weekdays = {
  zone: 'UTC',
  weekly: [{ days: ['mon' as const], from: '08:00', to: '17:00' }],
  closedOn: [],
};

describe('what an open batch waits for', () => {
  const cases: [string, Deps, string | undefined][] = [
    ['a filing that is due now', { nextAt: NOW }, undefined],
    ['a retry in half a minute', { nextAt: NOW + MINUTE / 2 }, undefined],
    [
      'a filing that is not due for a year',
      { nextAt: NOW + 525_600 * MINUTE },
      'nothing is due before',
    ],
    ['a filing in a worker’s hands', { held: 1, nextAt: NOW + 60 * MINUTE }, undefined],
    [
      'a portal that opens tomorrow',
      { nextAt: NOW, hours: weekdays },
      'the portal is closed until',
    ],
    [
      'a filing of next year, though the portal opens tomorrow',
      { nextAt: NOW + 525_600 * MINUTE, hours: weekdays },
      'nothing is due before',
    ],
    [
      'a filing of next year, though the portal asked for an hour',
      { nextAt: NOW + 525_600 * MINUTE, pause: until(60 * MINUTE) },
      'nothing is due before',
    ],
    [
      'a pause of an hour on a portal that opens tomorrow',
      { nextAt: NOW, pause: until(60 * MINUTE), hours: weekdays },
      'the portal is closed until',
    ],
    ['a short pause', { nextAt: NOW, pause: until(MINUTE / 2) }, undefined],
    [
      'a long pause',
      { nextAt: NOW, pause: until(60 * MINUTE) },
      'the portal asked for a pause until',
    ],
    [
      'a lane that a person holds',
      { nextAt: NOW, pause: held('person') },
      'the lane is held (person); find out why, then lane resume US-DE',
    ],
    [
      'a lane that was paused while it recovers',
      { nextAt: NOW, pause: held('person'), run: waiting },
      'the lane is held (person); find out why, then lane resume US-DE',
    ],
    [
      'a portal that cannot show that it is well',
      { nextAt: NOW, pause: held('drift'), run: waiting },
      'the lane is held (drift); find out why, then recovery approve US-DE',
    ],
    [
      'a breaker, which is probed',
      { nextAt: NOW, pause: held('breaker'), run: { state: 'probing', good: 0, nextAt: NOW } },
      undefined,
    ],
  ];

  it.each(cases)('%s', (_name, parts, reason) => {
    expect(waitsOf([counts(parts)], [lane(parts)], NOW)?.map((wait) => wait.reason)).toEqual(
      reason === undefined ? undefined : [reason],
    );
  });

  it('is reported only when no lane can move, and is nothing when all is done', () => {
    const far = { nextAt: NOW + 60 * MINUTE };
    expect(waitsOf([counts(far), counts({ nextAt: NOW })], [lane({})], NOW)).toBeUndefined();
    expect(waitsOf([{ ...counts({}), pending: 0 }], [lane({})], NOW)).toEqual([]);
  });
});

interface Deps {
  readonly nextAt?: number;
  readonly held?: number;
  readonly pause?: LaneState['pause'];
  readonly run?: RecoveryState;
  readonly hours?: typeof weekdays;
}

function until(ms: number): LaneState['pause'] {
  return { kind: 'until', until: instant(NOW + ms), reason: 'throttled' };
}

function held(reason: 'person' | 'breaker' | 'drift'): LaneState['pause'] {
  return { kind: 'held', since: NOW, reason };
}

function counts({ nextAt, held: inHand = 0 }: Deps): LaneCounts {
  const none = {
    unapproved: 0,
    submitted: 0,
    accepted: 0,
    rejected: 0,
    fallout: 0,
    leastSlackMs: undefined,
  };
  return { lane: 'US-DE', pending: 1, held: inHand, nextAt, ...none };
}

function lane({ pause = { kind: 'none' }, hours, run }: Deps): LaneWithProfile {
  const state: LaneState = {
    code: laneCode('US-DE'),
    version: 1,
    ceiling: 1,
    pause,
    breaker: { state: 'closed', failures: 0 },
    throttles: 0,
    missing: 0,
    resumedAt: undefined,
    ...(run && { recovery: { reason: 'drift', code: 'HTTP_405', since: NOW, hurriedBy: [], run } }),
  };
  return { state, profile: sampleProfile(hours === undefined ? {} : { hours }) };
}
