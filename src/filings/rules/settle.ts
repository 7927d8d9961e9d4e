/**
 * Settling an outcome that nobody knows (design § 2). Nothing is sent again on a guess:
 *
 * - a notice is repeated with the same message id, since it must not fail to happen;
 * - where the portal honours keys, the same bytes with the same key settle it, inside the stated time;
 * - otherwise the portal is asked, and only "not found" twice, spaced by more than its visibility lag and later than
 *   its longest service time, permits another send;
 * - where none of that is possible, a person gets it.
 */
import {
  addMs,
  backoffMs,
  type Decision,
  type Filing,
  type Instant,
  type Profile,
  type Step,
} from '../../core/index.ts';

/** Keys are not trusted in the last tenth of the time they are honoured: clocks differ and requests travel. */
const HONOURED_SHARE = 0.9;

/** A little more than the lag, so that the second "not found" is later than it even by a slower clock. */
const LAG_MARGIN_MS = 250;

interface Sent {
  readonly firstSentAt: Instant;
  readonly lastSentAt: Instant;
}

/**
 * When the payload was, or may have been, written: known from the step; for the first send between `startedAt` and now.
 * The two differ by more than a timeout when the process was stopped on the way.
 */
export function sentTimes(step: Step | undefined, now: Instant, startedAt: Instant = now): Sent {
  if (step === undefined || step.action === 'send') {
    return { firstSentAt: startedAt, lastSentAt: now };
  }
  if (step.action === 'resend') return { firstSentAt: step.firstSentAt, lastSentAt: now };
  return { firstSentAt: step.firstSentAt, lastSentAt: step.lastSentAt };
}

export function settleUnknown(
  filing: Filing,
  sent: Sent,
  profile: Profile,
  now: Instant,
  code: string,
): Decision {
  const failures = filing.failures + 1;
  const delayMs = backoffMs(profile.retry, {
    id: filing.id,
    attempt: filing.attempt,
    failures,
  });
  const repeatable = mayRepeat(filing, sent, profile, addMs(now, delayMs));
  if (repeatable && failures < profile.retry.inARowMax) {
    return {
      kind: 'wait',
      to: 'submitted',
      step: { action: 'resend', ...sent },
      delayMs,
      failures,
      failingSince: filing.failingSince ?? now,
      code,
    };
  }
  if (profile.status === undefined) return { kind: 'give_up', code: `UNSETTLED_${code}` };
  return {
    kind: 'wait',
    to: 'submitted',
    step: { action: 'ask', cause: 'unknown', ...sent, unclear: 0 },
    delayMs,
    failures: filing.failures,
    failingSince: filing.failingSince ?? now,
    code,
  };
}

/**
 * A throttle after the body was written. The lane waits as it does after any throttle and no budget is used, but what
 * comes after the pause is the settling: the same key again, a question, or a person.
 */
export function settleThrottled(
  filing: Filing,
  sent: Sent,
  profile: Profile,
  now: Instant,
  waiting: Decision & { kind: 'wait' },
): Decision {
  if (mayRepeat(filing, sent, profile, now)) {
    return { ...waiting, to: 'submitted', step: { action: 'resend', ...sent } };
  }
  if (profile.status === undefined) return { kind: 'give_up', code: `UNSETTLED_${waiting.code}` };
  const step: Step = { action: 'ask', cause: 'throttled', ...sent, unclear: 0 };
  return { ...waiting, to: 'submitted', step };
}

/**
 * Whether the same bytes with the same key may be sent again at `at`. The loop asks once more when the filing's turn
 * comes: a lane that stood still may have outlasted the key. On "no" it gives the claim back as `unsent`.
 */
export function mayRepeat(filing: Filing, sent: Sent, profile: Profile, at: Instant): boolean {
  // The envelope is frozen and the profile may change: only where both say notice is a second arrival harmless.
  if (filing.effect === 'notice' && profile.effect === 'notice') return true;
  // `firstSentAt` is taken when the outcome is known, up to a timeout after the portal may have seen the key.
  const ageMs = at - sent.firstSentAt + profile.timeoutMs;
  return ageMs < profile.idempotency.honouredMs * HONOURED_SHARE;
}

/** After "not found": ask once more, permit another send, or hand over. */
export function settleNotFound(
  filing: Filing,
  step: Step & { action: 'ask' },
  profile: Profile,
  now: Instant,
): Decision {
  const lagMs = (profile.status?.visibilityLagMs ?? 0) + LAG_MARGIN_MS;
  const askAgain = (notFoundAt: Instant | undefined, delayMs: number): Decision => ({
    kind: 'wait',
    to: 'submitted',
    step: {
      action: 'ask',
      cause: step.cause,
      firstSentAt: step.firstSentAt,
      lastSentAt: step.lastSentAt,
      unclear: 0,
      ...(notFoundAt === undefined ? {} : { notFoundAt }),
    },
    delayMs,
    failures: filing.failures,
    // The portal has answered. How long its records may lag is the profile's word, often hours: that wait is bounded
    // by the slack, not by the time allowed for failures.
    failingSince: undefined,
    code: 'STATUS_NOT_FOUND',
  });
  // The portal may still be working on the request itself: "not found" says nothing yet.
  const earliest = addMs(step.lastSentAt, profile.longestServiceMs);
  if (now < earliest) return askAgain(undefined, earliest - now + 1);
  if (step.notFoundAt === undefined) return askAgain(now, lagMs);
  if (now - step.notFoundAt <= lagMs - LAG_MARGIN_MS) {
    return askAgain(step.notFoundAt, lagMs - (now - step.notFoundAt));
  }
  // A portal that said 409 and then knows nothing contradicts itself: no rule can tell which of the two is true.
  if (step.cause === 'conflict') return { kind: 'give_up', code: 'CONFLICT_NOT_FOUND' };
  const again = { kind: 'wait', to: 'pending', step: { action: 'send' } } as const;
  const code = 'PROVEN_NOT_ACCEPTED';
  // The portal had asked for a pause, and has had it.
  if (step.cause === 'throttled') {
    return { ...again, delayMs: 0, failures: filing.failures, failingSince: undefined, code };
  }
  const failures = filing.failures + 1;
  if (failures >= profile.retry.inARowMax) return { kind: 'give_up', code: 'RETRIES_EXHAUSTED' };
  return {
    ...again,
    delayMs: backoffMs(profile.retry, { id: filing.id, attempt: filing.attempt, failures }),
    failures,
    failingSince: filing.failingSince ?? now,
    code,
  };
}
