/** The way back of a portal: what it has to show, whose word it needs, and what sends it back to the start. */
import { describe, expect, it } from 'vitest';
import { CLOSED } from '../../../core/breaker.ts';
import { laneCode } from '../../../core/ids.ts';
import type { LaneRecovery, LaneState } from '../../../core/lane.ts';
import type { Profile } from '../../../core/profile.ts';
import { addMs, type Instant, instant } from '../../../core/time.ts';
import { sampleProfile } from '../../../testing/simulator/sample-profile.ts';
import { effectiveCeiling, laneAfter, type LaneEvent } from '../lane-rules.ts';
import { approvalAlert } from './approval-alert.ts';
import { checkDueAt, isDraining } from './lane-recovery.ts';
import type { CheckVerdict } from './next-recovery.ts';

const NOW = instant(1_772_000_000_000);
const GOOD: CheckVerdict = { kind: 'good' };
const ASKABLE = sampleProfile({ slowStartStepMs: 1_000 });
const SYNTHETIC = { ...ASKABLE, synthetic: { payload: { test: true } } };
const { status: _status, ...MUTE } = ASKABLE;

interface Walk {
  readonly lane: LaneState;
  readonly now: Instant;
}

function begin(failed: Pick<LaneRecovery, 'reason' | 'code'>): Walk {
  const fresh: LaneState = {
    code: laneCode('US-DE'),
    version: 1,
    ceiling: 8,
    pause: { kind: 'none' },
    breaker: CLOSED,
    throttles: 0,
    missing: 0,
    resumedAt: undefined,
  };
  const lost: LaneEvent = { kind: 'sent', verdict: { kind: 'unknown', code: 'CUT' } };
  const drift: LaneEvent = {
    kind: 'sent',
    verdict: { kind: 'drift', code: failed.code, written: false },
  };
  const events = failed.reason === 'breaker' ? [lost, lost, lost] : [drift];
  const lane = events.reduce((state, event) => laneAfter(state, event, ASKABLE, NOW), fresh);
  expect(lane.recovery).toMatchObject({ reason: failed.reason });
  return { lane, now: NOW };
}

/** Answers the next check when its turn has come. */
function answer({ lane, now }: Walk, verdict: CheckVerdict, profile: Profile): Walk {
  const run = lane.recovery?.run;
  const at = instant(Math.max(checkDueAt(lane) ?? now, now));
  if (run === undefined) return { lane, now };
  const step = run.state === 'checking' ? run.step : 'health';
  const event: LaneEvent = { kind: 'checked', step, verdict, of: run };
  return { lane: laneAfter(lane, event, profile, at), now: at };
}

function happen({ lane, now }: Walk, event: LaneEvent, profile: Profile): Walk {
  return { lane: laneAfter(lane, event, profile, now), now };
}

const BROKEN = { reason: 'breaker', code: 'FAILURES' } as const;
const DRIFTED = { reason: 'drift', code: 'HTTP_405' } as const;
const REFUSED = { reason: 'drift', code: 'LOGIN_REFUSED' } as const;
const COLLIDED = { reason: 'collision', code: 'SESSION_COLLISION' } as const;

/** Every check that is made until it is over, with a word where one is needed. */
function wayOf(failed: Pick<LaneRecovery, 'reason' | 'code'>, profile: Profile): string[] {
  let walk = begin(failed);
  const way: string[] = [];
  for (let guard = 0; walk.lane.recovery !== undefined && guard < 10; guard += 1) {
    const { run } = walk.lane.recovery;
    if (run.state === 'awaiting_approval') {
      way.push('a word');
      walk = happen(walk, { kind: 'approved', why: 'looked at it' }, profile);
      continue;
    }
    way.push(run.state === 'checking' ? run.step : 'health');
    walk = answer(walk, GOOD, profile);
  }
  expect(walk.lane.pause).toEqual({ kind: 'none' });
  return way;
}

describe('the recovery', () => {
  const probes = ['health', 'health'];
  it.each([
    ['a synthetic filing', BROKEN, SYNTHETIC, [...probes, 'synthetic', 'drain']],
    ['a question', BROKEN, ASKABLE, [...probes, 'synthetic', 'drain']],
    ['a person, where the portal can show nothing', BROKEN, MUTE, [...probes, 'a word', 'drain']],
    [
      'a synthetic filing, of what has drifted',
      DRIFTED,
      SYNTHETIC,
      [...probes, 'synthetic', 'drain'],
    ],
    ['a person, since a question shows no form', DRIFTED, ASKABLE, [...probes, 'a word', 'drain']],
    [
      'a person before the password is posted again',
      REFUSED,
      SYNTHETIC,
      [...probes, 'a word', 'synthetic', 'drain'],
    ],
    [
      'a person after sessions were mixed up',
      COLLIDED,
      SYNTHETIC,
      [...probes, 'a word', 'synthetic', 'drain'],
    ],
  ])('needs %s', (_what, failed, profile, way) => {
    expect(wayOf(failed, profile)).toEqual(way);
  });

  it('lets nothing out before it drains, then questions slowly, then filings slowly', () => {
    let walk = begin(BROKEN);
    while (!isDraining(walk.lane)) {
      expect(effectiveCeiling(walk.lane, ASKABLE, walk.now)).toBe(0);
      walk = answer(walk, GOOD, ASKABLE);
    }
    const width = (afterMs: number): number =>
      effectiveCeiling(walk.lane, ASKABLE, addMs(walk.now, afterMs));
    expect([width(0), width(1_000), width(2_000), width(9_000)]).toEqual([1, 2, 4, 8]);
    walk = answer(walk, GOOD, ASKABLE);
    expect([width(0), width(1_000), width(2_000), width(9_000)]).toEqual([1, 2, 4, 8]);
  });

  const draining = (): Walk => {
    let walk = begin(BROKEN);
    while (!isDraining(walk.lane)) walk = answer(walk, GOOD, ASKABLE);
    return walk;
  };

  it('begins anew when as many questions in a row as open a breaker bring nothing usable while it drains', () => {
    const unclear = asked({ kind: 'unclear', code: 'HTTP_503' });
    const found = asked({ kind: 'not_found' });
    // A portal that stumbles over one filing now and then comes back all the same.
    const stumbling = [unclear, unclear, found, unclear, unclear];
    const walk = stumbling.reduce((at, event) => happen(at, event, ASKABLE), draining());
    expect(isDraining(walk.lane)).toBe(true);
    const { lane } = happen(walk, unclear, ASKABLE);
    expect(lane.recovery?.run).toMatchObject({ state: 'probing', good: 0 });
    expect(lane.recovery?.unclear).toBeUndefined();
    expect(lane.breaker.state).toBe('open');
    expect(effectiveCeiling(lane, ASKABLE, addMs(walk.now, 10_000))).toBe(0);
  });

  it('begins anew at once when a login is refused while it drains', () => {
    const { lane } = happen(draining(), asked({ kind: 'unclear', code: 'LOGIN_REFUSED' }), ASKABLE);
    expect(lane.recovery).toMatchObject({ code: 'LOGIN_REFUSED', run: { state: 'probing' } });
  });

  it('waits out the stamp of a throttle that comes while it drains', () => {
    const walk = draining();
    const throttle = asked({ kind: 'throttled', code: 'HTTP_429', waitMs: 90_000, captcha: false });
    const { lane } = happen(walk, throttle, ASKABLE);
    const width = (afterMs: number) => effectiveCeiling(lane, ASKABLE, addMs(walk.now, afterMs));
    expect([width(89_999), width(90_000), width(91_000)]).toEqual([0, 1, 2]);
    expect(checkDueAt(lane)).toBe(addMs(walk.now, 90_000));
  });

  it('waits out a short stamp too, that ends before the drain is looked at again', () => {
    const walk = draining();
    const waiting = answer(walk, { kind: 'wait', why: '1 open' }, ASKABLE);
    const throttle = asked({ kind: 'throttled', code: 'HTTP_429', waitMs: 1_000, captcha: false });
    const { lane } = happen(waiting, throttle, ASKABLE);
    const width = (afterMs: number) => effectiveCeiling(lane, ASKABLE, addMs(waiting.now, afterMs));
    expect([width(0), width(999), width(1_000)]).toEqual([0, 0, 1]);
    expect(checkDueAt(lane)).toBe(checkDueAt(waiting.lane));
  });

  it('asks for a person once a check has met a refused login', () => {
    let walk = answer(answer(begin(BROKEN), GOOD, ASKABLE), GOOD, ASKABLE);
    walk = answer(walk, { kind: 'bad', why: 'LOGIN_REFUSED' }, ASKABLE);
    walk = answer(answer(walk, GOOD, ASKABLE), GOOD, ASKABLE);
    expect(walk.lane.recovery?.run).toMatchObject({
      state: 'awaiting_approval',
      reasons: ['the login was refused'],
    });
  });

  it('that someone hurries keeps the distance of its probes, and waits for another person', () => {
    const first = answer(begin(DRIFTED), GOOD, SYNTHETIC);
    const at = checkDueAt(first.lane);
    const hurried = happen(first, { kind: 'hurried', by: 'ann' }, SYNTHETIC);
    expect(checkDueAt(hurried.lane)).toBe(at);
    expect(hurried.lane.recovery?.hurriedBy).toEqual(['ann']);
    const { lane } = answer(hurried, GOOD, SYNTHETIC);
    expect(lane.recovery?.run).toMatchObject({ state: 'awaiting_approval' });
  });
});

describe('the alert', () => {
  it('is raised when a wait begins, with the command that ends it, and not again while it lasts', () => {
    const before = answer(begin(BROKEN), GOOD, MUTE);
    const after = answer(before, GOOD, MUTE);
    const alert = approvalAlert(before.lane, after.lane);
    expect(alert).toMatchObject({ kind: 'recovery_waits', severity: 'critical', subject: 'US-DE' });
    expect(alert?.text).toContain('recovery approve US-DE');
    expect(approvalAlert(after.lane, { ...after.lane, ceiling: 1 })).toBeUndefined();
  });
});

function asked(answerOf: Extract<LaneEvent, { kind: 'asked' }>['answer']): LaneEvent {
  return { kind: 'asked', answer: answerOf };
}
