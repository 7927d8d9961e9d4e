/**
 * What happens next to a filing: a pure function of the filing, what happened, its portal's policy and the time.
 * The loop in `delivery/` reads, calls this, writes and sends; it holds no policy of its own.
 */
import {
  addMs,
  backoffMs,
  type Decision,
  type Filing,
  type Instant,
  invariant,
  type Profile,
  type StatusAnswer,
  type Step,
  type Unsettled,
  type Verdict,
} from '../../core/index.ts';
import { mayRepeat, sentTimes, settleNotFound, settleThrottled, settleUnknown } from './settle.ts';

export type FilingEvent =
  /**
   * The payload was sent and this came of it. `startedAt`: when the attempt began, before the first byte.
   * `laneWaitMs`: the lane has been paused for so long.
   */
  | {
      readonly kind: 'sent';
      readonly verdict: Verdict;
      readonly startedAt?: Instant;
      readonly laneWaitMs?: number;
    }
  /** The portal was asked and said this. */
  | { readonly kind: 'asked'; readonly answer: StatusAnswer; readonly laneWaitMs?: number }
  /** Claimed, and given back with proof that nothing was written. */
  | { readonly kind: 'unsent' }
  /**
   * The worker that held it is dead; whether it had sent is not known. `intentAt`: when its intent was committed, which
   * may be days ago. Keys are honoured from then, not from the moment the orphan was found.
   */
  | { readonly kind: 'orphaned'; readonly intentAt?: Instant }
  /** A gate lets it wait at send time: nothing was written, and its budget is untouched. */
  | { readonly kind: 'held_back'; readonly code: string; readonly until: Instant }
  /** A gate refuses it at send time: nothing was written, and a person has to file it. */
  | { readonly kind: 'gated'; readonly code: string }
  /** It broke while it was handled, nobody knows at which line: it may have been sent. */
  | { readonly kind: 'broken'; readonly code: string }
  /** Its last safe moment has passed, or will pass before its lane opens again. */
  | { readonly kind: 'late' };

export function decide(
  filing: Filing,
  event: FilingEvent,
  profile: Profile,
  now: Instant,
): Decision {
  const decision = withinBounds(filing, event, profile, now);
  if (decision.kind !== 'give_up') return decision;
  const unsettled = unsettledAfter(filing, event, decision.code, now);
  return unsettled === undefined ? decision : { ...decision, unsettled };
}

function withinBounds(
  filing: Filing,
  event: FilingEvent,
  profile: Profile,
  now: Instant,
): Decision {
  // `accepted` is final, and what lies with a person is no longer ours: a wait here would send it again.
  invariant(
    filing.status === 'pending' || filing.status === 'submitted',
    `Expected a pending or submitted filing, found ${filing.status}`,
    { filing: filing.id },
  );
  const decision = decideEvent(filing, event, profile, now);
  if (decision.kind !== 'wait') return decision;
  // A wait never runs past the last safe moment: then a person gets it, early enough to act.
  const laneWaitMs = 'laneWaitMs' in event ? (event.laneWaitMs ?? 0) : 0;
  const wakeAt = addMs(now, Math.max(decision.delayMs, laneWaitMs));
  if (wakeAt >= filing.lastSafe) return { kind: 'give_up', code: 'SLACK_GONE' };
  const { failingSince } = decision;
  if (failingSince !== undefined && wakeAt - failingSince > profile.retry.totalMsMax) {
    return { kind: 'give_up', code: 'RETRY_TIME_EXHAUSTED' };
  }
  const { step } = decision;
  // Whatever made it wait (a throttle, a lost slot), the key may have expired by the time it wakes: then it is asked.
  if (step.action === 'resend' && !mayRepeat(filing, step, profile, wakeAt)) {
    const question = ask(filing, 'unknown', step, profile, decision.code);
    return question.kind === 'wait' ? { ...decision, step: question.step } : question;
  }
  return decision;
}

function decideEvent(filing: Filing, event: FilingEvent, profile: Profile, now: Instant): Decision {
  switch (event.kind) {
    case 'sent':
      return decideSent(filing, event, profile, now);
    case 'asked':
      return decideAsked(filing, event.answer, profile, now);
    case 'unsent':
      return asBefore(filing, 'UNSENT');
    case 'late':
      return { kind: 'give_up', code: 'SLACK_GONE' };
    case 'held_back':
      return { ...asBefore(filing, event.code), delayMs: Math.max(event.until - now, 0) };
    case 'gated':
    case 'broken':
      return { kind: 'give_up', code: event.code };
    case 'orphaned': {
      const { step } = filing;
      // A question has no effect, so it is simply asked again; a send may have reached the portal.
      if (step?.action === 'ask' || step?.action === 'poll') return asBefore(filing, 'ORPHANED');
      return settleUnknown(filing, orphanTimes(filing, event, now), profile, now, 'ORPHANED');
    }
  }
}

/** A dead worker may have sent at any time since its intent; nothing is ever sent before `notBefore`. */
function orphanTimes(
  filing: Filing,
  event: FilingEvent & { kind: 'orphaned' },
  now: Instant,
): Unsettled {
  const sent = sentTimes(filing.step, now);
  if (filing.step !== undefined && filing.step.action !== 'send') return sent;
  return { firstSentAt: event.intentAt ?? filing.notBefore, lastSentAt: sent.lastSentAt };
}

/** Whether giving up now leaves a send whose fate nobody knows. */
function unsettledAfter(
  filing: Filing,
  event: FilingEvent,
  code: string,
  now: Instant,
): Unsettled | undefined {
  // "Not found" twice, far enough apart, is the proof that ends the doubt.
  if (event.kind === 'asked' && event.answer.kind === 'not_found' && code === 'RETRIES_EXHAUSTED') {
    return undefined;
  }
  if (filing.step !== undefined && filing.step.action !== 'send')
    return sentTimes(filing.step, now);
  if (event.kind === 'orphaned') return orphanTimes(filing, event, now);
  // Nothing says when it began, or what came of earlier attempts.
  if (event.kind === 'broken') return { firstSentAt: filing.notBefore, lastSentAt: now };
  const doubtful =
    event.kind === 'sent' &&
    (event.verdict.kind === 'unknown' ||
      event.verdict.kind === 'conflict' ||
      // A 4xx that no rule names is no proven refusal.
      event.verdict.kind === 'unclassified' ||
      event.verdict.kind === 'received' ||
      ('written' in event.verdict && event.verdict.written));
  return doubtful ? sentTimes(filing.step, now, event.startedAt) : undefined;
}

function decideSent(
  filing: Filing,
  event: FilingEvent & { kind: 'sent' },
  profile: Profile,
  now: Instant,
): Decision {
  const { verdict } = event;
  const sent = sentTimes(filing.step, now, event.startedAt);
  // On a resend an earlier send is still unknown: what refuses this one does not prove that that one was refused.
  const earlierUnknown = filing.step?.action === 'resend';
  switch (verdict.kind) {
    case 'accepted':
      return { kind: 'accept', receipt: verdict.receipt };
    case 'received':
      return poll(verdict.submissionId, sent, profile, now);
    case 'rejected':
      if (earlierUnknown) return ask(filing, 'unknown', sent, profile, verdict.code);
      return { kind: 'reject', code: verdict.code };
    case 'denied':
    case 'unclassified':
      if (earlierUnknown) return ask(filing, 'unknown', sent, profile, verdict.code);
      return { kind: 'give_up', code: verdict.code };
    case 'throttled': {
      const waiting = throttled(filing, verdict, profile);
      if (!verdict.written || waiting.kind !== 'wait') return waiting;
      return settleThrottled(filing, sent, profile, now, waiting);
    }
    case 'conflict':
      return ask(filing, 'conflict', sent, profile, 'HTTP_409');
    case 'transient':
      return retry(filing, profile, now, verdict.code);
    case 'unknown':
      return settleUnknown(filing, sent, profile, now, verdict.code);
    case 'drift':
      if (verdict.written) return settleUnknown(filing, sent, profile, now, verdict.code);
      return asBefore(filing, verdict.code);
    case 'session':
      if (verdict.written) return settleUnknown(filing, sent, profile, now, verdict.code);
      return retry(filing, profile, now, verdict.code);
  }
}

function decideAsked(
  filing: Filing,
  answer: StatusAnswer,
  profile: Profile,
  now: Instant,
): Decision {
  const { step } = filing;
  invariant(
    step !== undefined && (step.action === 'ask' || step.action === 'poll'),
    'A status answer came for a filing that had not asked',
    { filing: filing.id },
  );
  switch (answer.kind) {
    case 'accepted':
      return { kind: 'accept', receipt: answer.receipt };
    case 'refused':
      return { kind: 'reject', code: answer.code };
    case 'processing': {
      if (step.action === 'ask') return poll(answer.submissionId, step, profile, now);
      if (now >= step.until) return { kind: 'give_up', code: 'PROCESSING_BOUND' };
      const again = { ...step, unclear: 0 };
      return {
        ...asBefore({ ...filing, step: again }, 'PROCESSING'),
        delayMs: profile.received.pollMs,
      };
    }
    case 'not_found':
      if (step.action === 'ask') return settleNotFound(filing, step, profile, now);
      // It had said that it was processing this very submission.
      return unclear(filing, step, profile, now, 'SUBMISSION_LOST');
    case 'throttled':
      if (step.action === 'poll' && now >= step.until) {
        return { kind: 'give_up', code: 'PROCESSING_BOUND' };
      }
      return throttled(filing, answer, profile);
    case 'unclear':
      return unclear(filing, step, profile, now, answer.code);
  }
}

/** The same step again at once, no budget used. A filing whose step is `send` is pending, any other is submitted. */
function asBefore(filing: Filing, code: string): Decision & { kind: 'wait' } {
  const step = filing.step ?? { action: 'send' };
  return {
    kind: 'wait',
    to: step.action === 'send' ? 'pending' : 'submitted',
    step,
    delayMs: 0,
    failures: filing.failures,
    failingSince: filing.failingSince,
    code,
  };
}

/** The lane waits, not the filing: its retry budget is untouched. CAPTCHA marks count wherever they are met. */
function throttled(
  filing: Filing,
  answer: { readonly code: string; readonly captcha: boolean },
  profile: Profile,
): Decision {
  const captchaMarks = filing.captchaMarks + (answer.captcha ? 1 : 0);
  if (answer.captcha && captchaMarks >= profile.captcha.threshold) {
    return { kind: 'give_up', code: 'CAPTCHA' };
  }
  return { ...asBefore(filing, answer.code), captchaMarks };
}

/** At most `inARowMax` failures in a row; the time bound is checked in `decide`. */
function retry(filing: Filing, profile: Profile, now: Instant, code: string): Decision {
  const failures = filing.failures + 1;
  if (failures >= profile.retry.inARowMax) return { kind: 'give_up', code: 'RETRIES_EXHAUSTED' };
  return {
    ...asBefore(filing, code),
    delayMs: backoffMs(profile.retry, { id: filing.id, attempt: filing.attempt, failures }),
    failures,
    failingSince: filing.failingSince ?? now,
  };
}

function ask(
  filing: Filing,
  cause: 'unknown' | 'conflict',
  sent: { readonly firstSentAt: Instant; readonly lastSentAt: Instant },
  profile: Profile,
  code: string,
): Decision {
  if (profile.status === undefined) return { kind: 'give_up', code: `UNSETTLED_${code}` };
  return {
    ...asBefore({ ...filing, step: { action: 'ask', cause, ...times(sent), unclear: 0 } }, code),
  };
}

function poll(
  submissionId: string | undefined,
  sent: { readonly firstSentAt: Instant; readonly lastSentAt: Instant },
  profile: Profile,
  now: Instant,
): Decision {
  if (profile.status === undefined) return { kind: 'give_up', code: 'RECEIVED_WITHOUT_STATUS' };
  return {
    kind: 'wait',
    to: 'submitted',
    step: {
      action: 'poll',
      submissionId,
      ...times(sent),
      until: addMs(now, profile.received.boundMs),
      unclear: 0,
    },
    delayMs: profile.received.pollMs,
    // The portal has answered: earlier failures are over, and its own bound counts from here.
    failures: 0,
    failingSince: undefined,
    code: 'RECEIVED',
  };
}

function unclear(
  filing: Filing,
  step: Step & { action: 'ask' | 'poll' },
  profile: Profile,
  now: Instant,
  code: string,
): Decision {
  const count = step.unclear + 1;
  if (count >= profile.retry.inARowMax) return { kind: 'give_up', code: `STATUS_${code}` };
  return {
    ...asBefore({ ...filing, step: { ...step, unclear: count } }, code),
    delayMs: backoffMs(profile.retry, {
      id: filing.id,
      attempt: filing.attempt,
      failures: count,
    }),
    failingSince: filing.failingSince ?? (step.action === 'ask' ? now : undefined),
  };
}

function times(sent: { readonly firstSentAt: Instant; readonly lastSentAt: Instant }): {
  readonly firstSentAt: Instant;
  readonly lastSentAt: Instant;
} {
  return { firstSentAt: sent.firstSentAt, lastSentAt: sent.lastSentAt };
}
