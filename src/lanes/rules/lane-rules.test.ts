import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BreakerState, CLOSED } from '../../core/breaker.ts';
import { laneCode } from '../../core/ids.ts';
import {
  effectiveCeiling,
  inLaneContext,
  laneAfter,
  type LaneEvent,
  NEVER,
  opensAt,
} from './lane-rules.ts';
import type { LaneRecovery, LaneState, Pause } from '../../core/lane.ts';
import type { RecoveryState } from '../../core/recovery.ts';
import { checkDueAt, isDraining } from './recovery/lane-recovery.ts';
import type { CheckVerdict } from './recovery/next-recovery.ts';
import type { Profile } from '../../core/profile.ts';
import { addMs, type Instant, instant } from '../../core/time.ts';
import type { StatusAnswer, Verdict } from '../../core/verdict.ts';

const NOW = instant(1_772_000_000_000);

const PROFILE: Profile = {
  format: 1,
  code: 'US-CA',
  jurisdiction: 'US-CA',
  title: 'California',
  automation: 'allowed',
  effect: 'filing',
  driver: 'json-api',
  baseUrl: 'https://portal.example',
  allowPrivateAddresses: false,
  ceiling: 8,
  timeoutMs: 30_000,
  tlsHandshakeMsMax: 3000,
  longestServiceMs: 60_000,
  expectedServiceMs: 1000,
  personMs: 7_200_000,
  submit: { method: 'POST', path: '/filings' },
  health: { method: 'HEAD', path: '/health' },
  idempotency: { header: 'Idempotency-Key', honouredMs: 0 },
  receipt: { statuses: [200], numberAt: '/receipt', pattern: '.+' },
  received: { submissionIdAt: '/submission', pollMs: 30_000, boundMs: 3_600_000 },
  answers: [],
  captcha: { marks: [], threshold: 3 },
  throttle: { pauseMsMax: 3_600_000 },
  redirects: [],
  retry: { inARowMax: 3, totalMsMax: 900_000, delayMsMin: 1000, delayMsMax: 60_000 },
  breaker: { failures: 3, coolDownMs: 30_000, probeSpacingMs: 15_000 },
  slowStartStepMs: 1000,
  credentials: [],
  quirks: [],
};

const HEALTHY: LaneState = {
  code: laneCode('US-CA'),
  version: 1,
  ceiling: 8,
  pause: { kind: 'none' },
  breaker: CLOSED,
  throttles: 0,
  missing: 0,
  resumedAt: undefined,
};

const ACCEPTED: Verdict = { kind: 'accepted', receipt: { number: 'r' } };
const MISSING: Verdict = { kind: 'rejected', code: 'HTTP_404', missing: true };
const UNKNOWN: Verdict = { kind: 'unknown', code: 'CUT' };
const OPEN_UNTIL = addMs(NOW, 30_000);
const OPEN: BreakerState = { state: 'open', since: NOW, until: OPEN_UNTIL };
const STATUS: NonNullable<Profile['status']> = {
  path: '/status?key={key}',
  visibilityLagMs: 0,
  stateAt: '/state',
  accepted: ['FILED'],
  refused: ['REFUSED'],
  processing: ['PENDING'],
  notFound: ['NONE'],
};
/** Can be asked, so that it shows by itself that it is well. */
const ASKABLE: Profile = { ...PROFILE, status: STATUS };

function throttle(waitMs?: number): Verdict & { kind: 'throttled' } {
  return {
    kind: 'throttled',
    code: 'HTTP_429',
    captcha: false,
    written: false,
    ...(waitMs === undefined ? {} : { waitMs }),
  };
}

function held(reason: 'drift' | 'breaker' | 'person'): Pause {
  return { kind: 'held', since: NOW, reason };
}

function sent(lane: LaneState, verdict: Verdict, at: Instant = NOW): LaneState {
  return laneAfter(lane, { kind: 'sent', verdict }, PROFILE, at);
}

function asked(lane: LaneState, answer: StatusAnswer, at: Instant = NOW): LaneState {
  return laneAfter(lane, { kind: 'asked', answer }, PROFILE, at);
}

const ENDED: RecoveryState = { state: 'closed', at: NOW };

/** The answer to whatever check the lane is at. */
function checked(lane: LaneState, verdict: CheckVerdict, of?: RecoveryState): LaneEvent {
  const run = lane.recovery?.run ?? ENDED;
  const step = run.state === 'checking' ? run.step : 'health';
  return { kind: 'checked', step, verdict, of: of ?? run };
}

function probed(lane: LaneState, good: boolean, afterMs: number, profile = PROFILE): LaneState {
  const verdict: CheckVerdict = good ? { kind: 'good' } : { kind: 'bad', why: 'HTTP_503' };
  return laneAfter(lane, checked(lane, verdict), profile, addMs(NOW, afterMs));
}

/** On its way back, at its first probe. */
function failed(reason: LaneRecovery['reason'] = 'breaker', code = 'FAILURES'): LaneRecovery {
  const run = { state: 'probing', good: 0, nextAt: OPEN_UNTIL } as const;
  return { reason, code, since: NOW, hurriedBy: [], run };
}

function times(lane: LaneState, count: number, verdict: Verdict): LaneState {
  return Array.from({ length: count }).reduce<LaneState>((state) => sent(state, verdict), lane);
}

describe('a healthy lane', () => {
  it.each<Verdict>([
    ACCEPTED,
    { kind: 'received', submissionId: undefined },
    { kind: 'conflict' },
    { kind: 'denied', code: 'HTTP_401', written: true },
    { kind: 'unclassified', code: 'HTTP_418' },
    { kind: 'rejected', code: 'HTTP_422' },
  ])('is not written after $kind', (verdict) => {
    expect(sent(HEALTHY, verdict)).toBe(HEALTHY);
  });

  it.each<StatusAnswer>([
    { kind: 'accepted', receipt: { number: 'r' } },
    { kind: 'refused', code: 'x' },
    { kind: 'processing', submissionId: undefined },
    { kind: 'not_found' },
  ])('is not written after the status answer $kind', (answer) => {
    expect(asked(HEALTHY, answer)).toBe(HEALTHY);
  });

  it('is not written when the ceiling stays', () => {
    expect(laneAfter(HEALTHY, { kind: 'ceiling', ceiling: 8 }, PROFILE, NOW)).toBe(HEALTHY);
    expect(laneAfter(HEALTHY, { kind: 'ceiling', ceiling: 3 }, PROFILE, NOW).ceiling).toBe(3);
  });
});

describe('a check', () => {
  it.each([
    ['runs when its turn has come', held('breaker'), OPEN_UNTIL],
    ['does not run while a person keeps the lane', held('person'), undefined],
  ])('%s', (_claim, pause, at) => {
    expect(checkDueAt({ pause, recovery: failed() })).toBe(at);
    expect(checkDueAt({ pause })).toBeUndefined();
  });
});

describe('a throttle', () => {
  it.each([
    ['pauses until the stamp', throttle(7000), 7000],
    [
      'is bounded by the profile, should the portal say the year 9999',
      throttle(250_000_000_000_000),
      3_600_000,
    ],
    ['without a stamp pauses for 2^0 + 0.5 s at first', throttle(), 1500],
  ])('%s', (_claim, verdict, waitMs) => {
    expect(sent(HEALTHY, verdict)).toEqual({
      ...HEALTHY,
      throttles: 1,
      pause: { kind: 'until', until: addMs(NOW, waitMs), reason: 'throttled' },
      resumedAt: addMs(NOW, waitMs),
    });
  });

  it('pauses the lane also when the rest of its answer was lost', () => {
    const lost: Verdict = { ...throttle(7000), written: true };
    expect(sent(HEALTHY, lost)).toEqual(sent(HEALTHY, throttle(7000)));
    expect(sent(HEALTHY, { ...throttle(), written: true })).toEqual(sent(HEALTHY, throttle()));
  });

  it('without a stamp doubles with each in a row, up to the bound', () => {
    let lane = HEALTHY;
    const waits: number[] = [];
    for (let round = 0; round < 14; round += 1) {
      const at = opensAt(lane) > NOW ? opensAt(lane) : NOW;
      lane = sent(lane, throttle(), at);
      waits.push(opensAt(lane) - at);
    }
    expect(waits.slice(0, 5)).toEqual([1500, 2500, 4500, 8500, 16_500]);
    expect(waits.slice(12)).toEqual([3_600_000, 3_600_000]);
  });

  it('of eight requests in flight counts once', () => {
    expect(times(HEALTHY, 8, throttle())).toEqual(sent(HEALTHY, throttle()));
  });

  it('never shortens a pause', () => {
    const long = sent(HEALTHY, throttle(60_000));
    expect(opensAt(sent(long, throttle(1000)))).toBe(opensAt(long));
    expect(opensAt(sent(long, throttle(90_000)))).toBe(addMs(NOW, 90_000));
  });

  it('seen by a question pauses the lane alike', () => {
    expect(asked(HEALTHY, throttle(7000))).toEqual(sent(HEALTHY, throttle(7000)));
  });

  it('neither feeds nor calms the breaker', () => {
    const failing = times(HEALTHY, 2, UNKNOWN);
    expect(sent(failing, throttle()).breaker).toEqual({ state: 'closed', failures: 2 });
  });

  it('is over after any other answer: the next one starts at 2^0 again', () => {
    const lane = sent(sent(HEALTHY, throttle()), ACCEPTED);
    expect(lane.throttles).toBe(0);
    expect(lane.pause.kind).toBe('until');
  });

  it('does not open a lane that is held', () => {
    for (const reason of ['drift', 'breaker', 'person'] as const) {
      expect(sent({ ...HEALTHY, pause: held(reason) }, throttle()).pause).toEqual(held(reason));
    }
  });
});

describe('three 404s in a row', () => {
  it('are a wrong address: the third is drift, and what was written is unknown', () => {
    const two = times(HEALTHY, 2, MISSING);
    expect(two.missing).toBe(2);
    expect(inLaneContext(MISSING, sent(HEALTHY, MISSING))).toBe(MISSING);
    expect(inLaneContext(MISSING, two)).toEqual({
      kind: 'drift',
      code: 'MISSING_IN_A_ROW',
      written: true,
    });
    expect(sent(two, inLaneContext(MISSING, two)).pause).toEqual(held('drift'));
  });

  it('are interrupted by any other answer to what was sent', () => {
    const lane = sent(times(HEALTHY, 2, MISSING), ACCEPTED);
    expect(inLaneContext(MISSING, lane)).toBe(MISSING);
  });

  it('are not interrupted by answers of the status endpoint, which is another address', () => {
    const two = times(HEALTHY, 2, MISSING);
    const lane = asked(two, { kind: 'processing', submissionId: undefined });
    expect(lane).toBe(two);
    expect(inLaneContext(MISSING, lane).kind).toBe('drift');
    const throttledBefore = asked({ ...two, throttles: 2 }, { kind: 'not_found' });
    expect([throttledBefore.throttles, throttledBefore.missing]).toEqual([0, 2]);
  });

  it('are not counted from other refusals', () => {
    const refused: Verdict = { kind: 'rejected', code: 'HTTP_422' };
    expect(inLaneContext(refused, { ...HEALTHY, missing: 9 })).toBe(refused);
  });
});

describe('the breaker of a lane', () => {
  it.each<[string, LaneEvent]>([
    ['unknown', { kind: 'sent', verdict: UNKNOWN }],
    ['transient', { kind: 'sent', verdict: { kind: 'transient', code: 'DNS' } }],
    [
      'an expired session',
      { kind: 'sent', verdict: { kind: 'session', code: 'x', written: false } },
    ],
    [
      'a status endpoint that tells nothing',
      { kind: 'asked', answer: { kind: 'unclear', code: 'x' } },
    ],
  ])('opens at the third %s in a row and holds the lane', (_what, event) => {
    const after = (lane: LaneState): LaneState => laneAfter(lane, event, PROFILE, NOW);
    expect(after(after(HEALTHY)).pause.kind).toBe('none');
    const lane = after(after(after(HEALTHY)));
    expect(lane.breaker).toEqual(OPEN);
    expect(lane.pause).toEqual(held('breaker'));
    expect(effectiveCeiling(lane, PROFILE, addMs(NOW, 10 ** 12))).toBe(0);
  });

  const broken: LaneState = {
    ...HEALTHY,
    breaker: OPEN,
    pause: held('breaker'),
    recovery: failed(),
  };

  it('recovers by two spaced good probes, a question and a drain, and then starts slowly, on probation', () => {
    const half = probed(broken, true, 30_000, ASKABLE);
    expect([half.breaker.state, half.pause]).toEqual(['half_open', held('breaker')]);
    expect(probed(half, true, 44_999, ASKABLE)).toBe(half);
    const well = probed(half, true, 45_000, ASKABLE);
    expect(well.recovery?.run).toMatchObject({ state: 'checking', step: 'synthetic' });
    const draining = probed(well, true, 46_000, ASKABLE);
    expect(draining.recovery?.run).toMatchObject({ state: 'checking', step: 'drain' });
    expect([draining.breaker.state, draining.pause]).toEqual(['half_open', held('breaker')]);
    const lane = probed(draining, true, 47_000, ASKABLE);
    const breaker = { state: 'closed', failures: 2 } as const;
    expect(lane).toEqual({ ...HEALTHY, breaker, resumedAt: addMs(NOW, 47_000) });
    expect(sent(lane, UNKNOWN).breaker.state).toBe('open');
    expect(sent(sent(lane, ACCEPTED), UNKNOWN).breaker.state).toBe('closed');
  });

  it.each<[string, LaneEvent]>([
    ['a receipt', { kind: 'sent', verdict: ACCEPTED }],
    ['a status answer', { kind: 'asked', answer: { kind: 'not_found' } }],
    ['a probe inside the cool-down', checked(broken, { kind: 'good' })],
  ])('is not closed by the late arrival of %s', (_what, event) => {
    const lane = laneAfter(broken, event, PROFILE, addMs(NOW, 29_999));
    expect([lane.breaker, lane.pause]).toEqual([OPEN, held('breaker')]);
  });

  it.each([true, false])('is not moved by a check of an earlier opening, good %s', (good) => {
    const again = [1, 2, 3].reduce<LaneState>(
      (lane) => sent(lane, UNKNOWN, addMs(NOW, 2_000)),
      HEALTHY,
    );
    const verdict: CheckVerdict = good ? { kind: 'good' } : { kind: 'bad', why: 'x' };
    const event = checked(broken, verdict);
    expect(laneAfter(again, event, PROFILE, addMs(NOW, 40_000))).toBe(again);
  });

  it('counts one probe once, even if several workers saw it', () => {
    const half = probed(broken, true, 30_000);
    const event = checked(broken, { kind: 'good' });
    expect(laneAfter(half, event, PROFILE, addMs(NOW, 90_000))).toBe(half);
  });

  it('does not end a person’s pause, and is not moved by a check while it lasts', () => {
    const lane = { ...broken, pause: held('person') };
    expect(probed(lane, true, 30_000)).toBe(lane);
  });

  it('does not probe before the stamp of a throttle that came first', () => {
    const lane = times(sent(HEALTHY, throttle(600_000)), 3, UNKNOWN);
    expect(lane.pause).toEqual(held('breaker'));
    expect(lane.breaker).toEqual({ state: 'open', since: NOW, until: addMs(NOW, 600_000) });
    expect(checkDueAt(lane)).toBe(addMs(NOW, 600_000));
  });

  it('does not probe before the stamp of a throttle that came later', () => {
    expect(sent(broken, throttle(600_000)).breaker).toMatchObject({ until: addMs(NOW, 600_000) });
    expect(sent(broken, throttle(1000)).breaker).toBe(OPEN);
    const half = probed(broken, true, 30_000);
    const later = sent(half, throttle(600_000));
    expect(later.breaker).toMatchObject({ nextProbeAt: addMs(NOW, 600_000) });
    expect(checkDueAt(later)).toBe(addMs(NOW, 600_000));
  });
});

describe('drift', () => {
  it.each<Verdict>([
    { kind: 'drift', code: 'HTTP_405', written: true },
    { kind: 'drift', code: 'CREDENTIAL', written: false },
    { kind: 'session', code: 'HTTP_511', written: true },
  ])('holds the lane at once: $code', (verdict) => {
    expect(sent(HEALTHY, verdict).pause).toEqual(held('drift'));
  });

  it('outranks a throttle and the breaker, because it does not end by itself', () => {
    const drift: Verdict = { kind: 'drift', code: 'HTTP_405', written: true };
    expect(sent(sent(HEALTHY, throttle()), drift).pause).toEqual(held('drift'));
    const broken = { ...HEALTHY, pause: held('breaker'), breaker: OPEN, recovery: failed() };
    expect(sent(broken, drift)).toMatchObject({
      pause: held('drift'),
      recovery: { reason: 'drift', code: 'HTTP_405' },
    });
  });

  it('does not replace a person’s pause, nor restart its own', () => {
    const drift: Verdict = { kind: 'drift', code: 'HTTP_405', written: true };
    for (const reason of ['person', 'drift'] as const) {
      const lane = { ...HEALTHY, pause: held(reason) };
      expect(sent(lane, drift, addMs(NOW, 5000))).toBe(lane);
    }
  });

  it('is not ended by good answers that were still under way', () => {
    const lane = { ...HEALTHY, pause: held('drift') };
    expect(sent(lane, ACCEPTED).pause).toEqual(held('drift'));
  });
});

describe('a person', () => {
  it('pauses a lane whatever its state', () => {
    const lane = laneAfter(sent(HEALTHY, throttle()), { kind: 'paused_by_person' }, PROFILE, NOW);
    expect(lane.pause).toEqual(held('person'));
    expect(effectiveCeiling(lane, PROFILE, addMs(NOW, 10 ** 9))).toBe(0);
  });

  it('resumes it with clean counters and a slow start', () => {
    const lane = { ...HEALTHY, pause: held('person'), throttles: 4, missing: 2 };
    expect(laneAfter(lane, { kind: 'resumed_by_person' }, PROFILE, NOW)).toEqual({
      ...HEALTHY,
      resumedAt: NOW,
    });
  });

  it('does not undo what the portal did: the recovery stays, or begins anew after their pause', () => {
    const lane = { ...HEALTHY, pause: held('drift'), recovery: failed('drift', 'HTTP_405') };
    expect(laneAfter(lane, { kind: 'resumed_by_person' }, PROFILE, NOW)).toBe(lane);
    const paused = laneAfter(lane, { kind: 'paused_by_person' }, PROFILE, NOW);
    const again = laneAfter(paused, { kind: 'resumed_by_person' }, PROFILE, addMs(NOW, 7_000));
    expect(again.pause).toEqual({ kind: 'held', since: addMs(NOW, 7_000), reason: 'drift' });
    expect(checkDueAt(again)).toBe(addMs(NOW, 7_000));
  });
});

describe('the width of a lane', () => {
  it('is its ceiling when it was never paused', () => {
    expect(effectiveCeiling(HEALTHY, PROFILE, NOW)).toBe(8);
  });

  it.each([
    [-1, 0],
    [0, 1],
    [999, 1],
    [1000, 2],
    [2000, 4],
    [3000, 8],
    [4000, 8],
    [10 ** 11, 8],
  ])('%i ms after a throttle ended is %i', (afterMs, width) => {
    const lane = sent(HEALTHY, throttle(7000));
    expect(effectiveCeiling(lane, PROFILE, addMs(NOW, 7000 + afterMs))).toBe(width);
  });

  it('is full at once where the profile asks for no slow start', () => {
    const lane = sent(HEALTHY, throttle(7000));
    expect(effectiveCeiling(lane, { ...PROFILE, slowStartStepMs: 0 }, addMs(NOW, 7000))).toBe(8);
  });

  it('is nothing forever while held', () => {
    expect(opensAt({ ...HEALTHY, pause: held('drift') })).toBe(NEVER);
  });

  it('never exceeds the ceiling, and is nothing while paused, after any history', () => {
    const verdicts = fc.constantFrom<Verdict>(
      ACCEPTED,
      MISSING,
      UNKNOWN,
      throttle(),
      throttle(5000),
      {
        kind: 'drift',
        code: 'x',
        written: true,
      },
    );
    const event = fc.oneof(
      verdicts.map((verdict): LaneEvent => ({ kind: 'sent', verdict })),
      fc.tuple(fc.boolean(), fc.boolean()).map(
        ([good, isOld]) =>
          (lane: LaneState): LaneEvent =>
            checked(
              lane,
              good ? { kind: 'good' } : { kind: 'bad', why: 'x' },
              isOld ? ENDED : undefined,
            ),
      ),
      fc.nat(9).map((ceiling): LaneEvent => ({ kind: 'ceiling', ceiling })),
      fc.constantFrom<LaneEvent>(
        { kind: 'paused_by_person' },
        { kind: 'resumed_by_person' },
        { kind: 'approved', why: 'looked' },
        { kind: 'hurried', by: 'ann' },
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(event, fc.nat(20_000))), (history) => {
        let lane = HEALTHY;
        let now = NOW;
        for (const [one, afterMs] of history) {
          now = addMs(now, afterMs);
          lane = laneAfter(lane, typeof one === 'function' ? one(lane) : one, PROFILE, now);
          const width = effectiveCeiling(lane, PROFILE, now);
          expect(width).toBeLessThanOrEqual(lane.ceiling);
          const isHeld = lane.pause.kind === 'held';
          // While it drains questions go out, and no filing does: see claims.
          if (isHeld && !isDraining(lane)) expect(width).toBe(0);
          if (lane.breaker.state !== 'closed') expect(isHeld).toBe(true);
          const isByPerson = lane.pause.kind === 'held' && lane.pause.reason === 'person';
          if (isHeld && !isByPerson) expect(lane.recovery).toBeDefined();
          if (lane.recovery !== undefined) expect(isHeld).toBe(true);
        }
      }),
    );
  });
});
