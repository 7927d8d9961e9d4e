/** Breakers of targets: core's state machine, with the names that routing and its ledger facts need. */
import {
  type BreakerEvent,
  type BreakerPolicy,
  type BreakerState,
  breakerAfter,
  CLOSED,
  type Instant,
  nextProbeAt,
} from '../../../core/index.ts';

/** By target id; a target without an entry never failed. */
export type Breakers = ReadonlyMap<string, BreakerState>;

export interface BreakerChange {
  readonly target: string;
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

/** Undefined where nothing changes. */
export function breakerChange(
  breakers: Breakers,
  target: string,
  event: BreakerEvent,
  at: { readonly policy: BreakerPolicy; readonly now: Instant },
): BreakerChange | undefined {
  const before = breakerOf(breakers, target);
  const after = breakerAfter(before, event, at.policy, at.now);
  return after === before ? undefined : { target, before, after };
}

/** Whether a probe is due; who runs it must hold the one lease for it. */
export function isProbeDue(breaker: BreakerState, now: Instant): boolean {
  const at = nextProbeAt(breaker);
  return at !== undefined && now >= at;
}

export function withChange(breakers: Breakers, change: BreakerChange | undefined): Breakers {
  return change === undefined ? breakers : new Map(breakers).set(change.target, change.after);
}
