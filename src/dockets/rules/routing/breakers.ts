/** Breakers of targets: core's state machine, with the names that routing and its ledger facts need. */
import {
  addMs,
  breakerAfter,
  type BreakerEvent,
  type BreakerPolicy,
  type BreakerState,
  CLOSED,
  type Instant,
  nextProbeAt,
  type TargetId,
} from '../../../core/index.ts';

/** By target id; a target without an entry never failed. */
export type Breakers = ReadonlyMap<string, BreakerState>;

export interface BreakerChange {
  readonly target: TargetId;
  readonly before: BreakerState;
  readonly after: BreakerState;
}

export function breakerOf(breakers: Breakers, target: string): BreakerState {
  return breakers.get(target) ?? CLOSED;
}

/** Dockets go only through closed breakers. An open or half-open one is tried by its one leased probe, never by a docket. */
export function isUsable(breakers: Breakers, target: string): boolean {
  return breakerOf(breakers, target).state === 'closed';
}

/** Longer is not kept: by then somebody has to look at the target, and its own answers say so again. */
const REST_MS_MAX = 3_600_000;

/** A closed breaker of a target that asked (`Retry-After`) to be left alone for a while. */
interface Resting {
  readonly restsUntil?: Instant;
}

/** Until when nobody asks it; undefined where it may be asked now. */
export function restsUntil(breakers: Breakers, target: string, now: Instant): Instant | undefined {
  // Written only by `breakerChange`; core's machine drops it with the next good answer.
  const { restsUntil: until } = breakerOf(breakers, target) as BreakerState & Resting;
  return until !== undefined && until > now ? until : undefined;
}

/** Whether nothing at all is held against a target. */
export function isClean(breakers: Breakers, target: string): boolean {
  const breaker = breakerOf(breakers, target);
  return breaker.state === 'closed' && breaker.failures === 0;
}

/** Undefined where nothing changes. */
export function breakerChange(
  breakers: Breakers,
  target: TargetId,
  event: BreakerEvent,
  at: {
    readonly policy: BreakerPolicy;
    readonly now: Instant;
    /** How long the target asks to be left alone. */
    readonly retryAfterMs?: number | undefined;
  },
): BreakerChange | undefined {
  const before = breakerOf(breakers, target);
  const after = breakerAfter(before, event, at.policy, at.now);
  if (after === before) return undefined;
  // A failure that comes after it, of a request that was under way, does not end the rest; an answer that is good does.
  const leftMs = (restsUntil(breakers, target, at.now) ?? at.now) - at.now;
  const restMs = event === 'failure' ? Math.max(at.retryAfterMs ?? 0, leftMs) : 0;
  return { target, before, after: rested(after, restMs, at.now) };
}

/** An open one is not probed before that, either. */
function rested(after: BreakerState, restMs: number, now: Instant): BreakerState {
  if (restMs <= 0) return after;
  const until = addMs(now, Math.min(restMs, REST_MS_MAX));
  if (after.state === 'open') return until > after.until ? { ...after, until } : after;
  if (after.state === 'half_open') return after;
  const resting: BreakerState & Resting = { ...after, restsUntil: until };
  return resting;
}

/**
 * What a probe does to a breaker. The cool-down lies before the first one alone: a target that is down is asked again at
 * the pace of probes, so that nobody waits for it longer than that once it is back.
 */
export function probedBreaker(
  breaker: BreakerState,
  event: 'probe_good' | 'probe_bad',
  policy: BreakerPolicy,
  now: Instant,
): BreakerState {
  return breakerAfter(breaker, event, probingPolicy(policy), now);
}

export function probingPolicy(policy: BreakerPolicy): BreakerPolicy {
  const coolDownMs = Math.min(policy.coolDownMs, policy.probeSpacingMs);
  return { ...policy, coolDownMs };
}

/** Whether a probe is due; who runs it must hold the one lease for it. */
export function isProbeDue(breaker: BreakerState, now: Instant): boolean {
  const at = nextProbeAt(breaker);
  return at !== undefined && now >= at;
}

export function withChange(breakers: Breakers, change: BreakerChange | undefined): Breakers {
  return change === undefined ? breakers : new Map(breakers).set(change.target, change.after);
}
