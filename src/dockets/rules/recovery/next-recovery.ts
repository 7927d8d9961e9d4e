/**
 * What follows from a check: pure. The breaker hears of it only at three moments: the first good health (half-open), any
 * failure (open again, with its cool-down), and the end of the way (closed). So the breaker's own rule of two good probes
 * means here: the first answer, and everything after it.
 */
import { addMs, type BreakerEvent, type Instant } from '../../../core/index.ts';
import {
  RECOVERY_STEPS,
  type RecoveryPolicy,
  type RecoveryState,
  type RecoveryStep,
} from './state.ts';

export type CheckVerdict =
  | { readonly kind: 'good' }
  /** Not yet, and no failure: the queue is still draining. */
  | { readonly kind: 'wait'; readonly why: string }
  /** Only for `reconciliation`: found something that no program may settle. */
  | { readonly kind: 'ask'; readonly reasons: readonly string[] }
  | { readonly kind: 'bad'; readonly why: string };

export type RecoveryHappening =
  | { readonly kind: 'checked'; readonly step: RecoveryStep; readonly verdict: CheckVerdict }
  | { readonly kind: 'approved' }
  /** A person wants it now, and not at the next turn. */
  | { readonly kind: 'hurried' }
  | { readonly kind: 'target_gone' };

interface RecoveryTurn {
  readonly next: RecoveryState;
  readonly breaker: BreakerEvent | undefined;
}

export function startRecovery(at: Instant): RecoveryState {
  return { state: 'probing', good: 0, nextAt: at };
}

/** Which check is due; undefined where none is. */
export function dueCheck(state: RecoveryState, now: Instant): RecoveryStep | undefined {
  if (state.state === 'probing') return now >= state.nextAt ? 'health' : undefined;
  if (state.state === 'checking') return now >= state.nextAt ? state.step : undefined;
  return undefined;
}

export function nextRecovery(
  state: RecoveryState,
  happening: RecoveryHappening,
  at: {
    readonly now: Instant;
    readonly policy: RecoveryPolicy;
    /** False: a person approves before the synthetic transaction. */
    readonly isAutomatic: boolean;
    /** When the breaker may be probed, as it is now and after a failure now. Its cool-down is kept even in a hurry. */
    readonly notBefore: Instant;
    readonly afterFailure: Instant;
  },
): RecoveryTurn {
  const stay: RecoveryTurn = { next: state, breaker: undefined };
  if (state.state === 'closed' || state.state === 'abandoned') return stay;
  switch (happening.kind) {
    case 'target_gone':
      return { next: { state: 'abandoned', at: at.now }, breaker: undefined };
    case 'approved':
      return state.state === 'awaiting_approval'
        ? { next: checking('synthetic', at.now), breaker: undefined }
        : stay;
    case 'hurried':
      return state.state === 'awaiting_approval'
        ? stay
        : { next: { ...state, nextAt: later(at.now, at.notBefore) }, breaker: undefined };
    case 'checked':
      return afterCheck(state, happening, at);
  }
}

function afterCheck(
  state: Exclude<RecoveryState, { state: 'closed' | 'abandoned' }>,
  { step, verdict }: RecoveryHappening & { kind: 'checked' },
  at: Parameters<typeof nextRecovery>[2],
): RecoveryTurn {
  const { now, policy } = at;
  // A result that comes after the state went on says nothing about the state there is now.
  const current =
    state.state === 'probing' ? 'health' : state.state === 'checking' ? state.step : undefined;
  if (current !== step) return { next: state, breaker: undefined };
  const failed: RecoveryTurn = {
    next: { state: 'probing', good: 0, nextAt: at.afterFailure },
    breaker: 'probe_bad',
  };
  switch (verdict.kind) {
    case 'bad':
      return failed;
    case 'wait': {
      const since = state.state === 'checking' ? state.since : now;
      if (step !== 'drain' || now - since >= policy.drainMsMax) return failed;
      return {
        next: { state: 'checking', step, since, nextAt: addMs(now, policy.probeEveryMs) },
        breaker: undefined,
      };
    }
    case 'ask':
      return step === 'reconciliation' ? ask(now, verdict.reasons) : failed;
    case 'good':
      break;
  }
  if (state.state === 'probing') {
    const good = state.good + 1;
    if (good >= policy.goodProbes) return { next: checking('schema', now), breaker: undefined };
    const next = { state: 'probing', good, nextAt: addMs(now, policy.probeEveryMs) } as const;
    return { next, breaker: good === 1 ? 'probe_good' : undefined };
  }
  if (step === 'synthetic') return { next: { state: 'closed', at: now }, breaker: 'probe_good' };
  if (step === 'reconciliation' && !at.isAutomatic) return ask(now, ['the run is by hand']);
  const following = RECOVERY_STEPS[RECOVERY_STEPS.indexOf(step) + 1] ?? 'synthetic';
  return {
    next: checking(following === 'health' ? 'schema' : following, now),
    breaker: undefined,
  };
}

function checking(step: Exclude<RecoveryStep, 'health'>, now: Instant): RecoveryState {
  return { state: 'checking', step, since: now, nextAt: now };
}

function later(a: Instant, b: Instant): Instant {
  return a > b ? a : b;
}

function ask(since: Instant, reasons: readonly string[]): RecoveryTurn {
  return { next: { state: 'awaiting_approval', since, reasons }, breaker: undefined };
}
