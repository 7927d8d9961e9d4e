/** What a lane does after an answer, a check or a person's word. Pure; the loop stores the result by compare-and-set. */
import {
  addMs,
  breakerAfter,
  type BreakerEvent,
  type BreakerState,
  type HoldReason,
  instant,
  type Instant,
  type LaneRecovery,
  type LaneState,
  type Pause,
  type Profile,
  type StatusAnswer,
  type Verdict,
} from '../../core/index.ts';
import {
  afterDrainQuestion,
  afterRecoveryEvent,
  checkedNotBefore,
  failing,
  drainingSince,
  isDraining,
  LOGIN_REFUSED,
  type RecoveryEvent,
} from './recovery/lane-recovery.ts';

export type LaneEvent =
  | { readonly kind: 'sent'; readonly verdict: Verdict }
  | { readonly kind: 'asked'; readonly answer: StatusAnswer }
  | RecoveryEvent
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
      return afterQuestion(lane, event.answer, profile, now);
    case 'checked':
    case 'approved':
    case 'hurried':
      return afterRecoveryEvent(lane, event, profile, now);
    case 'paused_by_person':
      return { ...lane, pause: held('person', now) };
    case 'resumed_by_person':
      return resumed(lane, now);
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
  const startedAt = slowSince(lane);
  if (startedAt === undefined || profile.slowStartStepMs === 0) return lane.ceiling;
  const steps = Math.floor(Math.max(now - startedAt, 0) / profile.slowStartStepMs);
  return Math.min(lane.ceiling, 2 ** Math.min(steps, 20));
}

/** Start of the present slow start; its questions are asked slowly too, while the lane drains. */
export function slowSince(lane: LaneState): Instant | undefined {
  return drainingSince(lane) ?? lane.resumedAt;
}

/** Nothing but somebody's word ends this hold. */
export function waitsForPerson({
  pause,
  recovery,
}: Pick<LaneState, 'pause' | 'recovery'>): boolean {
  if (pause.kind !== 'held') return false;
  const isStanding = recovery === undefined || recovery.run.state === 'awaiting_approval';
  return pause.reason === 'person' || isStanding;
}

/** What a person does about a hold, once they know why it is. */
export function wordNeeded({ code, recovery, pause }: LaneState): string {
  const isTheirs = recovery === undefined || (pause.kind === 'held' && pause.reason === 'person');
  return isTheirs ? `lane resume ${code}` : `recovery approve ${code}`;
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
      return drainingSince(lane) ?? NEVER;
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
      return drifted(lane, verdict.code, profile, now);
    case 'session':
      if (verdict.code === RIVALS) return oneSession(lane, profile, now);
      return verdict.written
        ? drifted(lane, verdict.code, profile, now)
        : afterAnswer(lane, 'failure', profile, now);
  }
}

function afterQuestion(
  lane: LaneState,
  answer: StatusAnswer,
  profile: Profile,
  now: Instant,
): LaneState {
  if (answer.kind === 'throttled') return throttled(lane, answer, profile, now);
  if (isDraining(lane)) {
    const unclear = answer.kind === 'unclear' ? answer.code : undefined;
    return afterDrainQuestion(lane, unclear, profile, now);
  }
  if (answer.kind !== 'unclear') return afterStatus(lane, answer, profile, now);
  if (answer.code === RIVALS) return oneSession(lane, profile, now);
  // The next question would post the same password again.
  if (answer.code === LOGIN_REFUSED) return drifted(lane, LOGIN_REFUSED, profile, now);
  return afterStatus(lane, answer, profile, now);
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
  const next: LaneState = {
    ...lane,
    breaker,
    ...(event === 'success' ? { throttles: 0, missing: 0 } : {}),
    ...(opens && lane.pause.kind !== 'held' ? { pause: held('breaker', now) } : {}),
  };
  if (!opens || next.recovery !== undefined) return next;
  return { ...next, recovery: failing(next, { reason: 'breaker', code: 'FAILURES' }, now) };
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
    const breaker = notBefore(lane.breaker, until);
    return checkedNotBefore({ ...lane, throttles: before + 1, breaker }, until);
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
function drifted(lane: LaneState, code: string, { breaker }: Profile, now: Instant): LaneState {
  if (lane.pause.kind === 'held' && lane.pause.reason !== 'breaker') return lane;
  const reason = code === 'SESSION_COLLISION' ? 'collision' : 'drift';
  const recovery = failing(lane, { reason, code }, addMs(now, breaker.coolDownMs));
  return { ...lane, pause: held(reason, now), missing: 0, recovery };
}

/** A person's pause is that person's to end. What the portal did is not undone by it: then the way back begins anew. */
function resumed(lane: LaneState, now: Instant): LaneState {
  const { recovery } = lane;
  if (recovery === undefined) {
    return { ...lane, pause: { kind: 'none' }, throttles: 0, missing: 0, resumedAt: now };
  }
  if (!isHeldBy(lane.pause, 'person')) return lane;
  const again: LaneRecovery = failing(lane, recovery, now);
  return { ...lane, pause: held(recovery.reason, now), recovery: again };
}

function held(reason: HoldReason, now: Instant): Pause {
  return { kind: 'held', since: now, reason };
}

function isHeldBy(pause: Pause, reason: HoldReason): boolean {
  return pause.kind === 'held' && pause.reason === reason;
}
