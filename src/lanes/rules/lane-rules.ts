/** What a lane does after an answer, a probe or a person's word. Pure; the loop stores the result by compare-and-set. */
import {
  addMs,
  breakerAfter,
  type BreakerEvent,
  type BreakerState,
  CLOSED,
  type HoldReason,
  instant,
  type Instant,
  isSameBreaker,
  type LaneState,
  nextProbeAt,
  type Pause,
  type Profile,
  type StatusAnswer,
  type Verdict,
} from '../../core/index.ts';

export type LaneEvent =
  | { readonly kind: 'sent'; readonly verdict: Verdict }
  | { readonly kind: 'asked'; readonly answer: StatusAnswer }
  /** `of`: the breaker as it was when the probe began. */
  | { readonly kind: 'probed'; readonly good: boolean; readonly of: BreakerState }
  | { readonly kind: 'paused_by_person' }
  | { readonly kind: 'resumed_by_person' }
  | { readonly kind: 'ceiling'; readonly ceiling: number };

/** The code of sessions that end each other. */
export const RIVALS = 'SESSION_RIVALS';

/** What was on its way when a lane went over to one session has ended by then. */
const RIVALS_SETTLE_MS = 30_000;

/** So many 404s in a row on a lane are a wrong address, not so many bad filings. */
const MISSING_IN_A_ROW_IS_DRIFT = 3;

/** Returns the same object when nothing changes, so that a healthy lane's row is never written. */
export function laneAfter(
  lane: LaneState,
  event: LaneEvent,
  profile: Profile,
  now: Instant,
): LaneState {
  switch (event.kind) {
    case 'sent':
      return afterVerdict(lane, event.verdict, profile, now);
    case 'asked':
      if (event.answer.kind === 'throttled') return throttled(lane, event.answer, profile, now);
      if (event.answer.kind === 'unclear' && event.answer.code === RIVALS)
        return oneSession(lane, profile, now);
      // The next question would post the same password again.
      if (event.answer.kind === 'unclear' && event.answer.code === 'LOGIN_REFUSED')
        return drifted(lane, now, 'drift');
      return afterStatus(lane, event.answer, profile, now);
    case 'probed': {
      // It ran beside everything else. What it found out is about the breaker that it was sent for, and no other.
      if (!isSameBreaker(lane.breaker, event.of)) return lane;
      const breaker = breakerAfter(
        lane.breaker,
        event.good ? 'probe_good' : 'probe_bad',
        profile.breaker,
        now,
      );
      if (breaker === lane.breaker) return lane;
      const recovered = breaker.state === 'closed' && isHeldBy(lane.pause, 'breaker');
      return recovered
        ? { ...lane, breaker, pause: { kind: 'none' }, resumedAt: now }
        : { ...lane, breaker };
    }
    case 'paused_by_person':
      return { ...lane, pause: { kind: 'held', since: now, reason: 'person' } };
    case 'resumed_by_person':
      return {
        ...lane,
        pause: { kind: 'none' },
        breaker: CLOSED,
        throttles: 0,
        missing: 0,
        resumedAt: now,
      };
    case 'ceiling':
      return withCeiling(lane, event.ceiling);
  }
}

/** The verdict as the lane's history makes it: the third 404 in a row is drift. */
export function inLaneContext(verdict: Verdict, lane: LaneState): Verdict {
  if (
    verdict.kind === 'rejected' &&
    verdict.missing &&
    lane.missing + 1 >= MISSING_IN_A_ROW_IS_DRIFT
  ) {
    return { kind: 'drift', code: 'MISSING_IN_A_ROW', written: true };
  }
  return verdict;
}

/** How many requests may be in flight now: none while paused, doubling from one after a pause, then the ceiling. */
export function effectiveCeiling(lane: LaneState, profile: Profile, now: Instant): number {
  if (opensAt(lane) > now) return 0;
  if (lane.resumedAt === undefined || profile.slowStartStepMs === 0) return lane.ceiling;
  const steps = Math.floor(Math.max(now - lane.resumedAt, 0) / profile.slowStartStepMs);
  return Math.min(lane.ceiling, 2 ** Math.min(steps, 20));
}

/** When the next probe may run. A person's pause stops probes too; whoever ends it closes the breaker with it. */
export function probeDueAt(lane: Pick<LaneState, 'pause' | 'breaker'>): Instant | undefined {
  return isHeldBy(lane.pause, 'person') ? undefined : nextProbeAt(lane.breaker);
}

/** `Infinity` as an instant: held until somebody, or the recovery protocol, opens it. */
export const NEVER: Instant = instant(Number.POSITIVE_INFINITY);

export function opensAt(lane: LaneState): Instant {
  switch (lane.pause.kind) {
    case 'none':
      return instant(0);
    case 'until':
      return lane.pause.until;
    case 'held':
      return NEVER;
  }
}

function afterVerdict(
  lane: LaneState,
  verdict: Verdict,
  profile: Profile,
  now: Instant,
): LaneState {
  switch (verdict.kind) {
    case 'accepted':
    case 'received':
    case 'conflict':
    case 'denied':
    case 'unclassified':
      return afterAnswer(lane, 'success', profile, now);
    case 'rejected': {
      const answered = afterAnswer(lane, 'success', profile, now);
      return verdict.missing ? { ...answered, missing: lane.missing + 1 } : answered;
    }
    case 'throttled':
      return throttled(lane, verdict, profile, now);
    case 'unknown':
    case 'transient':
      return afterAnswer(lane, 'failure', profile, now);
    case 'drift':
      return drifted(lane, now, verdict.code === 'SESSION_COLLISION' ? 'collision' : 'drift');
    case 'session':
      if (verdict.code === RIVALS) return oneSession(lane, profile, now);
      return verdict.written
        ? drifted(lane, now, 'drift')
        : afterAnswer(lane, 'failure', profile, now);
  }
}

/** A status answer comes from another address: it does not interrupt a row of 404s to what was sent. */
function afterStatus(
  lane: LaneState,
  answer: StatusAnswer,
  profile: Profile,
  now: Instant,
): LaneState {
  const event = answer.kind === 'unclear' ? 'failure' : 'success';
  const next = afterAnswer({ ...lane, missing: 0 }, event, profile, now);
  const same = next.breaker === lane.breaker && next.throttles === lane.throttles;
  return same ? lane : { ...next, missing: lane.missing };
}

function afterAnswer(
  lane: LaneState,
  event: BreakerEvent & ('success' | 'failure'),
  profile: Profile,
  now: Instant,
): LaneState {
  const after = breakerAfter(lane.breaker, event, profile.breaker, now);
  const opens = after.state === 'open' && lane.breaker.state === 'closed';
  const breaker = opens && lane.pause.kind === 'until' ? notBefore(after, lane.pause.until) : after;
  const cleared = event === 'success' && (lane.throttles > 0 || lane.missing > 0);
  if (breaker === lane.breaker && !cleared) return lane;
  return {
    ...lane,
    breaker,
    ...(event === 'success' ? { throttles: 0, missing: 0 } : {}),
    ...(opens && lane.pause.kind !== 'held' ? { pause: held('breaker', now) } : {}),
  };
}

function throttled(
  lane: LaneState,
  verdict: { readonly waitMs?: number },
  profile: Profile,
  now: Instant,
): LaneState {
  // Requests in flight when the first of them was throttled are throttled alike: together they count once.
  const standing = lane.pause.kind === 'until' && lane.pause.until > now;
  const before = standing ? Math.max(lane.throttles - 1, 0) : lane.throttles;
  // Without a stamp 2^n + 0.5 s; with one, the stamp; both bounded, since a portal may say "year 9999".
  const ownMs = 2 ** Math.min(before, 20) * 1000 + 500;
  const until = addMs(now, Math.min(verdict.waitMs ?? ownMs, profile.throttle.pauseMsMax));
  if (lane.pause.kind === 'held') {
    return { ...lane, throttles: before + 1, breaker: notBefore(lane.breaker, until) };
  }
  const later = lane.pause.kind === 'until' && lane.pause.until > until ? lane.pause.until : until;
  return {
    ...lane,
    throttles: before + 1,
    pause: { kind: 'until', until: later, reason: 'throttled' },
    resumedAt: later,
  };
}

/** No probe before the portal's own stamp: a block is waited out, also when the breaker has taken over the pause. */
function notBefore(breaker: BreakerState, until: Instant): BreakerState {
  switch (breaker.state) {
    case 'closed':
      return breaker;
    case 'open':
      return breaker.until >= until ? breaker : { ...breaker, until };
    case 'half_open':
      return breaker.nextProbeAt >= until ? breaker : { ...breaker, nextProbeAt: until };
  }
}

/** A person's word: whatever made the lane narrow is over. */
function withCeiling(lane: LaneState, ceiling: number): LaneState {
  if (ceiling === lane.ceiling && lane.oneSessionSince === undefined) return lane;
  const { oneSessionSince: _over, ...rest } = lane;
  return { ...rest, ceiling };
}

/** Sessions of one account end each other: all processes go on with one. Where there is one, it is somebody else's. */
function oneSession(lane: LaneState, profile: Profile, now: Instant): LaneState {
  if (lane.ceiling > 1) return { ...lane, ceiling: 1, oneSessionSince: now };
  return afterAnswer(lane, 'failure', profile, now);
}

/**
 * Whether a login that looks refused may have been ended by another process of ours: one is at work on the lane, and
 * the lane has not gone on with one session for longer than a request of before takes.
 */
export function mayBeRivals(lane: LaneState, isShared: boolean, now: Instant): boolean {
  if (!isShared) return false;
  if (lane.ceiling > 1) return true;
  return lane.oneSessionSince !== undefined && now - lane.oneSessionSince < RIVALS_SETTLE_MS;
}

/** The first reason stands: a person must see why the lane stopped, not what happened to it while it stood. */
function drifted(lane: LaneState, now: Instant, reason: 'drift' | 'collision'): LaneState {
  return lane.pause.kind === 'held' && lane.pause.reason !== 'breaker'
    ? lane
    : { ...lane, pause: held(reason, now), missing: 0 };
}

function held(reason: HoldReason, now: Instant): Pause {
  return { kind: 'held', since: now, reason };
}

function isHeldBy(pause: Pause, reason: HoldReason): boolean {
  return pause.kind === 'held' && pause.reason === reason;
}
