/**
 * What follows from a check of a recovery: pure, and the same for a portal and for a target of dockets. The breaker hears of
 * it only at three moments: the first good health (half-open), any failure (open again, with its cool-down), and the end of
 * the way (closed). So the breaker's own rule of two good probes means here: the first answer, and everything after it.
 */
import {
  addMs,
  type BreakerEvent,
  type Instant,
  type RecoveryState,
  type RecoveryStep,
} from '../../../core/index.ts';

/** What one kind of lane has to show. */
export interface RecoveryPlan {
  /** After two good answers about its health, in this order. */
  readonly proofs: readonly Exclude<RecoveryStep, 'health'>[];
  /** After this step a person may have to approve: because of what it found, or because of what the lane is. */
  readonly asksAfter: RecoveryStep;
}

export interface RecoveryPolicy {
  readonly probeEveryMs: number;
  readonly goodProbes: number;
  /** A queue that has not drained after this long is a failure and no longer a wait. */
  readonly drainMsMax: number;
}

export const DEFAULT_RECOVERY = {
  probeEveryMs: 15_000,
  goodProbes: 2,
  drainMsMax: 30 * 60_000,
} as const satisfies RecoveryPolicy;

export type CheckVerdict =
  | { readonly kind: 'good' }
  /** Not yet, and no failure: the queue is still draining. */
  | { readonly kind: 'wait'; readonly why: string }
  /** Only at the step after which the plan asks: found something that no program may settle. */
  | { readonly kind: 'ask'; readonly reasons: readonly string[] }
  | { readonly kind: 'bad'; readonly why: string };

export type RecoveryHappening =
  | { readonly kind: 'checked'; readonly step: RecoveryStep; readonly verdict: CheckVerdict }
  | { readonly kind: 'approved' }
  /** A person wants it now, and not at the next turn. */
  | { readonly kind: 'hurried' }
  | { readonly kind: 'target_gone' };

interface RecoveryTerms {
  readonly now: Instant;
  readonly plan: RecoveryPlan;
  readonly policy: RecoveryPolicy;
  /** Why a person approves after the step at which the plan asks, whatever it finds; empty where nobody has to. */
  readonly asks: readonly string[];
  /** When the breaker may be probed, as it is now and after a failure now. Its cool-down is kept even in a hurry. */
  readonly notBefore: Instant;
  readonly afterFailure: Instant;
}

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
  terms: RecoveryTerms,
): RecoveryTurn {
  const stay: RecoveryTurn = { next: state, breaker: undefined };
  if (state.state === 'closed' || state.state === 'abandoned') return stay;
  switch (happening.kind) {
    case 'target_gone':
      return { next: { state: 'abandoned', at: terms.now }, breaker: undefined };
    case 'approved':
      return state.state === 'awaiting_approval' ? after(terms.plan.asksAfter, terms) : stay;
    case 'hurried':
      // Two good answers of one moment are one: the second keeps its distance, whoever is in a hurry.
      return state.state === 'awaiting_approval' || (state.state === 'probing' && state.good > 0)
        ? stay
        : { next: { ...state, nextAt: later(terms.now, terms.notBefore) }, breaker: undefined };
    case 'checked':
      return afterCheck(state, happening, terms);
  }
}

function afterCheck(
  state: Exclude<RecoveryState, { state: 'closed' | 'abandoned' }>,
  { step, verdict }: RecoveryHappening & { kind: 'checked' },
  terms: RecoveryTerms,
): RecoveryTurn {
  const { now, plan, policy } = terms;
  // A result that comes after the state went on says nothing about the state there is now.
  const current =
    state.state === 'probing' ? 'health' : state.state === 'checking' ? state.step : undefined;
  if (current !== step) return { next: state, breaker: undefined };
  const failed: RecoveryTurn = {
    next: { state: 'probing', good: 0, nextAt: terms.afterFailure },
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
      return step === plan.asksAfter ? ask(now, verdict.reasons) : failed;
    case 'good':
      break;
  }
  if (state.state === 'probing' && state.good + 1 < policy.goodProbes) {
    const good = state.good + 1;
    const next = { state: 'probing', good, nextAt: addMs(now, policy.probeEveryMs) } as const;
    return { next, breaker: good === 1 ? 'probe_good' : undefined };
  }
  return step === plan.asksAfter && terms.asks.length > 0
    ? ask(now, terms.asks)
    : after(step, terms);
}

/** What follows a step that is good. */
function after(step: RecoveryStep, { plan, now }: RecoveryTerms): RecoveryTurn {
  // Health is before all of them.
  const next = plan.proofs[step === 'health' ? 0 : plan.proofs.indexOf(step) + 1];
  return next === undefined
    ? { next: { state: 'closed', at: now }, breaker: 'probe_good' }
    : { next: { state: 'checking', step: next, since: now, nextAt: now }, breaker: undefined };
}

function later(a: Instant, b: Instant): Instant {
  return a > b ? a : b;
}

function ask(since: Instant, reasons: readonly string[]): RecoveryTurn {
  return { next: { state: 'awaiting_approval', since, reasons }, breaker: undefined };
}
