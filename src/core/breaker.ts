import type { BreakerPolicy } from './profile.ts';
import { addMs, type Instant } from './time.ts';

/**
 * A circuit breaker as a state machine over values. It is persisted with its lane and shared by all processes; only
 * one leased probe runs at a time, so "half-open" never lets everybody through.
 */
export type BreakerState =
  | { readonly state: 'closed'; readonly failures: number }
  | { readonly state: 'open'; readonly since: Instant; readonly until: Instant }
  | { readonly state: 'half_open'; readonly good: number; readonly nextProbeAt: Instant };

export type BreakerEvent = 'success' | 'failure' | 'probe_good' | 'probe_bad';

/** Two good probes close it, as the recovery protocol asks. */
const GOOD_PROBES_TO_CLOSE = 2;

export const CLOSED: BreakerState = { state: 'closed', failures: 0 };

export function breakerAfter(
  breaker: BreakerState,
  event: BreakerEvent,
  policy: BreakerPolicy,
  now: Instant,
): BreakerState {
  switch (breaker.state) {
    case 'closed': {
      if (event === 'success') return breaker.failures === 0 ? breaker : CLOSED;
      if (event !== 'failure') return breaker;
      const failures = breaker.failures + 1;
      return failures >= policy.failures ? opened(policy, now) : { state: 'closed', failures };
    }
    case 'open':
      // Late answers of requests sent before it opened neither close nor extend it; only probes move it on.
      if (event === 'probe_good' && now >= breaker.until) return afterGoodProbe(0, policy, now);
      if (event === 'probe_bad' && now >= breaker.until) return opened(policy, now);
      return breaker;
    case 'half_open':
      if (event === 'probe_bad') return opened(policy, now);
      if (event === 'probe_good' && now >= breaker.nextProbeAt)
        return afterGoodProbe(breaker.good, policy, now);
      return breaker;
  }
}

/** When the next probe may run; undefined while the breaker is closed. */
export function nextProbeAt(breaker: BreakerState): Instant | undefined {
  switch (breaker.state) {
    case 'closed':
      return undefined;
    case 'open':
      return breaker.until;
    case 'half_open':
      return breaker.nextProbeAt;
  }
}

function opened(policy: BreakerPolicy, now: Instant): BreakerState {
  return { state: 'open', since: now, until: addMs(now, policy.coolDownMs) };
}

function afterGoodProbe(goodBefore: number, policy: BreakerPolicy, now: Instant): BreakerState {
  const good = goodBefore + 1;
  return good >= GOOD_PROBES_TO_CLOSE
    ? CLOSED
    : { state: 'half_open', good, nextProbeAt: addMs(now, policy.probeSpacingMs) };
}
