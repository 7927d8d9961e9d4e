import { describe, expect, it } from 'vitest';
import { decide, type FilingEvent } from './decide.ts';
import type { Decision } from '../../core/decision.ts';
import type { Filing, Step } from '../../core/filing.ts';
import { effectOfFilings, type Profile } from '../../core/profile.ts';
import { mayRepeat } from './settle.ts';
import { addMs, type Instant } from '../../core/time.ts';
import type { StatusAnswer, Verdict } from '../../core/verdict.ts';
import {
  BOUND_MS,
  FILING,
  HOUR_MS,
  KEYED,
  KEYED_MUTE,
  LAG_MS,
  LONGEST_MS,
  MUTE,
  NOTICE,
  NOTICE_MUTE,
  NOW,
  PORTAL,
} from '../../../test/fixtures/decisions.ts';

const A_NOTICE: Filing = { ...FILING, effect: 'notice' };

const EARLIER = addMs(NOW, -10 * 60_000);
const SENT = { firstSentAt: EARLIER, lastSentAt: EARLIER };
const RESEND: Step = { action: 'resend', ...SENT };
const ASK: Step & { action: 'ask' } = { action: 'ask', cause: 'unknown', ...SENT, unclear: 0 };
const ASK_CONFLICT: Step & { action: 'ask' } = { ...ASK, cause: 'conflict' };
const POLL: Step & { action: 'poll' } = {
  action: 'poll',
  submissionId: 'S-1',
  ...SENT,
  until: addMs(NOW, HOUR_MS),
  unclear: 0,
};

const RECEIPT = { number: 'DE-1' };
const ACCEPT: Decision = { kind: 'accept', receipt: RECEIPT };
const UNKNOWN: Verdict = { kind: 'unknown', code: 'CUT' };
const TRANSIENT: Verdict = { kind: 'transient', code: 'DNS' };
const THROTTLED = { kind: 'throttled', code: 'HTTP_429', captcha: false, written: false } as const;
const CAPTCHA = { kind: 'throttled', code: 'CAPTCHA', captcha: true, written: false } as const;

function sent(verdict: Verdict, filing: Filing = FILING, profile: Profile = PORTAL): Decision {
  return decide(filing, { kind: 'sent', verdict }, profile, NOW);
}

function asked(
  answer: StatusAnswer,
  step: Step,
  more: { readonly profile?: Profile; readonly now?: Instant; readonly filing?: Filing } = {},
): Decision {
  const filing = { ...(more.filing ?? FILING), step };
  return decide(filing, { kind: 'asked', answer }, more.profile ?? PORTAL, more.now ?? NOW);
}

function giveUp(code: string, at?: { firstSentAt: Instant; lastSentAt: Instant }): Decision {
  return { kind: 'give_up', code, ...(at === undefined ? {} : { unsettled: at }) };
}

function waitOf(decision: Decision): Decision & { kind: 'wait' } {
  if (decision.kind !== 'wait') throw new Error(`Expected a wait: ${JSON.stringify(decision)}`);
  return decision;
}

/** The step that a wait leads to; its action alone where the rest does not matter. */
function next(decision: Decision): string {
  return decision.kind === 'wait' ? `${decision.to}: ${decision.step.action}` : decision.kind;
}

const JUST_SENT = { firstSentAt: NOW, lastSentAt: NOW };

describe('the first send', () => {
  it.each<[string, Verdict, Decision]>([
    ['a receipt is final', { kind: 'accepted', receipt: RECEIPT }, ACCEPT],
    [
      'a refusal rejects with its code and no retry',
      { kind: 'rejected', code: 'HTTP_422' },
      { kind: 'reject', code: 'HTTP_422' },
    ],
    [
      'a single 404 rejects',
      { kind: 'rejected', code: 'HTTP_404', missing: true },
      { kind: 'reject', code: 'HTTP_404' },
    ],
    [
      'a denial goes to a person with no retry',
      { kind: 'denied', code: 'HTTP_401', written: true },
      giveUp('HTTP_401', JUST_SENT),
    ],
    [
      'a denial that the profile names is one, and nothing is in doubt',
      { kind: 'denied', code: 'HTTP_401', written: false },
      giveUp('HTTP_401'),
    ],
    [
      'any other 4xx goes to a person, who is told that it proves nothing',
      { kind: 'unclassified', code: 'HTTP_418' },
      giveUp('HTTP_418', JUST_SENT),
    ],
  ])('%s', (_claim, verdict, decision) => {
    expect(sent(verdict)).toEqual(decision);
  });

  it('that the portal is processing is polled by its submission id, with a bound', () => {
    const failing = { ...FILING, failures: 2, failingSince: EARLIER };
    expect(sent({ kind: 'received', submissionId: 'S-1' }, failing)).toEqual({
      kind: 'wait',
      to: 'submitted',
      step: {
        action: 'poll',
        submissionId: 'S-1',
        ...JUST_SENT,
        until: addMs(NOW, BOUND_MS),
        unclear: 0,
      },
      delayMs: 30_000,
      failures: 0,
      failingSince: undefined,
      code: 'RECEIVED',
    });
  });

  it('that the portal is processing without an id is polled by key', () => {
    const { step } = waitOf(sent({ kind: 'received', submissionId: undefined }));
    expect(step).toMatchObject({ action: 'poll', submissionId: undefined });
  });

  it('that the portal is processing goes to a person where there is no status to ask', () => {
    expect(sent({ kind: 'received', submissionId: 'S-1' }, FILING, MUTE)).toEqual(
      giveUp('RECEIVED_WITHOUT_STATUS', JUST_SENT),
    );
  });

  it('that conflicts asks status at once, before anything else', () => {
    expect(sent({ kind: 'conflict' })).toMatchObject({
      kind: 'wait',
      to: 'submitted',
      step: { action: 'ask', cause: 'conflict', ...JUST_SENT, unclear: 0 },
      delayMs: 0,
    });
  });

  it('that conflicts is not re-sent even where keys are honored', () => {
    expect(next(sent({ kind: 'conflict' }, FILING, KEYED))).toBe('submitted: ask');
    expect(next(sent({ kind: 'conflict' }, A_NOTICE, NOTICE))).toBe('submitted: ask');
  });

  it('that conflicts goes to a person where there is no status to ask', () => {
    expect(sent({ kind: 'conflict' }, FILING, MUTE)).toEqual(
      giveUp('UNSETTLED_HTTP_409', JUST_SENT),
    );
  });

  it.each<[string, Verdict]>([
    ['transient', TRANSIENT],
    ['session lost before the post', { kind: 'session', code: 'SESSION', written: false }],
  ])('that failed as %s with proof is pending again, after a backoff', (_what, verdict) => {
    const decision = waitOf(sent(verdict));
    expect(decision).toMatchObject({
      to: 'pending',
      step: { action: 'send' },
      failures: 1,
      failingSince: NOW,
    });
    expect(decision.delayMs).toBeGreaterThanOrEqual(500);
    expect(decision.delayMs).toBeLessThanOrEqual(1000);
  });

  it.each<[string, Verdict, string]>([
    ['an unwritten drift', { kind: 'drift', code: 'CREDENTIAL', written: false }, 'CREDENTIAL'],
    ['a throttle', THROTTLED, 'HTTP_429'],
  ])(
    'that met %s is pending again with its budget untouched: the lane waits',
    (_what, verdict, code) => {
      const filing = { ...FILING, failures: 2, failingSince: addMs(NOW, -1000) };
      expect(sent(verdict, filing)).toMatchObject({
        to: 'pending',
        step: { action: 'send' },
        delayMs: 0,
        failures: 2,
        failingSince: addMs(NOW, -1000),
        code,
      });
    },
  );
});

/** Everything after the write that is neither a receipt nor a refusal. */
const DOUBTS: readonly [string, Verdict][] = [
  ['unknown', UNKNOWN],
  ['a written drift', { kind: 'drift', code: 'HTTP_405', written: true }],
  ['a 511 after the post', { kind: 'session', code: 'HTTP_511', written: true }],
];

describe('an outcome that no one knows', () => {
  it.each(DOUBTS)('%s: asks status by key where keys are not honored', (_what, verdict) => {
    expect(sent(verdict)).toMatchObject({
      to: 'submitted',
      step: { action: 'ask', cause: 'unknown', ...JUST_SENT, unclear: 0 },
      failures: 0,
    });
  });

  it.each(DOUBTS)('%s: goes to a person where nothing can settle it', (_what, verdict) => {
    const code = 'code' in verdict ? verdict.code : '';
    expect(sent(verdict, FILING, MUTE)).toEqual(giveUp(`UNSETTLED_${code}`, JUST_SENT));
  });

  it.each(DOUBTS)('%s: is re-sent with the same key where keys are honored', (_what, verdict) => {
    for (const profile of [KEYED, KEYED_MUTE]) {
      expect(sent(verdict, FILING, profile)).toMatchObject({
        to: 'submitted',
        step: { action: 'resend', ...JUST_SENT },
        failures: 1,
        failingSince: NOW,
      });
    }
  });

  it.each(DOUBTS)('%s: a notice is repeated, keys or not', (_what, verdict) => {
    for (const profile of [NOTICE, NOTICE_MUTE]) {
      expect(next(sent(verdict, A_NOTICE, profile))).toBe('submitted: resend');
    }
  });

  it('is not repeated when only the profile calls it a notice: the envelope was frozen as a filing', () => {
    expect(next(sent(UNKNOWN, FILING, NOTICE))).toBe('submitted: ask');
    expect(sent(UNKNOWN, FILING, NOTICE_MUTE)).toEqual(giveUp('UNSETTLED_CUT', JUST_SENT));
  });

  it('is not repeated when the target has become one that must not be hit twice', () => {
    expect(next(sent(UNKNOWN, A_NOTICE, PORTAL))).toBe('submitted: ask');
  });

  it('keeps the moment of the first send over a re-send', () => {
    expect(waitOf(sent(UNKNOWN, { ...FILING, step: RESEND }, KEYED)).step).toEqual({
      action: 'resend',
      firstSentAt: EARLIER,
      lastSentAt: NOW,
    });
  });

  it('is asked, not re-sent, when the key would have expired', () => {
    const stale: Step = { ...RESEND, firstSentAt: addMs(NOW, -22 * HOUR_MS) };
    const filing = { ...FILING, step: stale };
    expect(next(sent(UNKNOWN, filing, KEYED))).toBe('submitted: ask');
    expect(sent(UNKNOWN, filing, KEYED_MUTE)).toMatchObject({
      kind: 'give_up',
      code: 'UNSETTLED_CUT',
    });
  });

  it('is asked after the third re-send in a row, and handed over where it cannot be asked', () => {
    const filing: Filing = { ...FILING, step: RESEND, failures: 2 };
    expect(next(sent(UNKNOWN, filing, KEYED))).toBe('submitted: ask');
    expect(sent(UNKNOWN, filing, KEYED_MUTE)).toMatchObject({
      kind: 'give_up',
      code: 'UNSETTLED_CUT',
    });
    const notice: Filing = { ...filing, effect: 'notice' };
    expect(sent(UNKNOWN, notice, NOTICE_MUTE)).toMatchObject({
      kind: 'give_up',
      code: 'UNSETTLED_CUT',
    });
  });
});

describe('whether a key still protects', () => {
  const limit = 24 * HOUR_MS * 0.9 - KEYED.timeoutMs;

  it.each([
    ['just inside nine tenths of its time, less a timeout', limit - 1, true],
    ['at that limit', limit, false],
    ['after its time', 25 * HOUR_MS, false],
  ])('%s', (_when, ageMs, may) => {
    expect(mayRepeat(FILING, JUST_SENT, KEYED, addMs(NOW, ageMs))).toBe(may);
  });

  it('is never so where keys are not honored', () => {
    expect(mayRepeat(FILING, JUST_SENT, PORTAL, NOW)).toBe(false);
  });

  it('does not matter for a notice', () => {
    expect(mayRepeat(A_NOTICE, JUST_SENT, NOTICE, addMs(NOW, 10 ** 10))).toBe(true);
  });
});

describe('a re-send, while an earlier send is unknown', () => {
  const resending: Filing = { ...FILING, step: RESEND };

  it('that is accepted settles it', () => {
    expect(sent({ kind: 'accepted', receipt: RECEIPT }, resending, KEYED)).toEqual(ACCEPT);
  });

  it.each<[string, Verdict]>([
    ['refused', { kind: 'rejected', code: 'HTTP_422' }],
    ['not found', { kind: 'rejected', code: 'HTTP_404', missing: true }],
    ['denied', { kind: 'denied', code: 'HTTP_401', written: true }],
    ['answered by an unnamed 4xx', { kind: 'unclassified', code: 'HTTP_418' }],
  ])('that is %s proves nothing about the earlier one: status is asked', (_what, verdict) => {
    expect(sent(verdict, resending, KEYED)).toMatchObject({
      to: 'submitted',
      step: { action: 'ask', cause: 'unknown', firstSentAt: EARLIER, lastSentAt: NOW },
    });
    expect(sent(verdict, resending, KEYED_MUTE)).toMatchObject({
      kind: 'give_up',
      unsettled: { firstSentAt: EARLIER, lastSentAt: NOW },
    });
  });

  it.each<[string, FilingEvent]>([
    ['a throttle', { kind: 'sent', verdict: THROTTLED }],
    ['a transient failure', { kind: 'sent', verdict: TRANSIENT }],
    ['an unwritten drift', { kind: 'sent', verdict: { kind: 'drift', code: 'x', written: false } }],
    ['a lost slot', { kind: 'unsent' }],
  ])('stays a re-send after %s, never a first send', (_what, event) => {
    expect(next(decide(resending, event, KEYED, NOW))).toBe('submitted: resend');
  });

  it.each<[string, FilingEvent]>([
    ['a throttle', { kind: 'sent', verdict: THROTTLED, laneWaitMs: 23 * HOUR_MS }],
    [
      'an unwritten drift',
      {
        kind: 'sent',
        verdict: { kind: 'drift', code: 'x', written: false },
        laneWaitMs: 23 * HOUR_MS,
      },
    ],
  ])('turns into a question when %s outlasts the key', (_what, event) => {
    expect(next(decide(resending, event, KEYED, NOW))).toBe('submitted: ask');
    expect(decide(resending, event, KEYED_MUTE, NOW)).toMatchObject({
      kind: 'give_up',
      unsettled: {},
    });
  });

  it('turns into a question when its turn comes after the key has expired', () => {
    const late = addMs(NOW, 23 * HOUR_MS);
    expect(next(decide(resending, { kind: 'unsent' }, KEYED, late))).toBe('submitted: ask');
    const notice: Filing = { ...resending, effect: 'notice' };
    expect(next(decide(notice, { kind: 'unsent' }, NOTICE, late))).toBe('submitted: resend');
  });
});

describe('a crash', () => {
  const orphaned: FilingEvent = { kind: 'orphaned', intentAt: EARLIER };
  const orphanedSent = { firstSentAt: EARLIER, lastSentAt: NOW };

  it('after the intent leaves an unknown outcome: status is asked by key', () => {
    expect(decide(FILING, orphaned, PORTAL, NOW)).toMatchObject({
      to: 'submitted',
      step: { action: 'ask', cause: 'unknown', ...orphanedSent },
      code: 'ORPHANED',
    });
  });

  it('after the intent is settled by the same key where keys are honored', () => {
    expect(decide(FILING, orphaned, KEYED_MUTE, NOW)).toMatchObject({
      step: { action: 'resend', ...orphanedSent },
    });
  });

  it('counts the key from the intent: after two days of standstill it is not re-sent', () => {
    const old: FilingEvent = { kind: 'orphaned', intentAt: addMs(NOW, -48 * HOUR_MS) };
    expect(next(decide(FILING, old, KEYED, NOW))).toBe('submitted: ask');
    expect(decide(FILING, old, KEYED_MUTE, NOW)).toEqual(
      giveUp('UNSETTLED_ORPHANED', { firstSentAt: addMs(NOW, -48 * HOUR_MS), lastSentAt: NOW }),
    );
  });

  it('whose intent has no known time counts from the earliest moment a send was allowed', () => {
    const event: FilingEvent = { kind: 'orphaned' };
    expect(next(decide(FILING, event, KEYED, NOW))).toBe('submitted: ask');
    const fresh = { ...FILING, notBefore: addMs(NOW, -HOUR_MS) };
    expect(next(decide(fresh, event, KEYED, NOW))).toBe('submitted: resend');
  });

  it('leaves a filing that nothing can settle to a person, as unsettled', () => {
    expect(decide(FILING, orphaned, MUTE, NOW)).toEqual(giveUp('UNSETTLED_ORPHANED', orphanedSent));
  });

  it('repeats a notice', () => {
    expect(next(decide(A_NOTICE, orphaned, NOTICE_MUTE, NOW))).toBe('submitted: resend');
  });

  it.each([ASK, ASK_CONFLICT, POLL])('during a question just asks again: $action', (step) => {
    expect(decide({ ...FILING, step }, { kind: 'orphaned' }, PORTAL, NOW)).toMatchObject({
      to: 'submitted',
      step,
      delayMs: 0,
    });
  });

  it('during a re-send keeps the first moment', () => {
    const filing: Filing = { ...FILING, step: RESEND };
    expect(waitOf(decide(filing, { kind: 'orphaned', intentAt: NOW }, KEYED, NOW)).step).toEqual({
      action: 'resend',
      ...orphanedSent,
    });
  });

  it.each<[string, Step, string]>([
    ['a send', { action: 'send' }, 'pending: send'],
    ['a re-send', RESEND, 'submitted: resend'],
    ['a question', ASK, 'submitted: ask'],
    ['a poll', POLL, 'submitted: poll'],
  ])('before the write leaves %s as it was', (_what, step, expected) => {
    const filing = { ...FILING, step, failures: 1, failingSince: NOW };
    const decision = waitOf(decide(filing, { kind: 'unsent' }, KEYED, NOW));
    expect(next(decision)).toBe(expected);
    expect(decision).toMatchObject({ step, delayMs: 0, failures: 1, failingSince: NOW });
  });
});

describe('asking about an unknown outcome', () => {
  it('ends with what the portal knows', () => {
    expect(asked({ kind: 'accepted', receipt: RECEIPT }, ASK)).toEqual(ACCEPT);
    expect(asked({ kind: 'refused', code: 'PORTAL_REFUSED' }, ASK)).toEqual({
      kind: 'reject',
      code: 'PORTAL_REFUSED',
    });
  });

  it('turns into polling when the portal is processing it', () => {
    expect(asked({ kind: 'processing', submissionId: 'S-2' }, ASK)).toMatchObject({
      to: 'submitted',
      step: { action: 'poll', submissionId: 'S-2', ...SENT, until: addMs(NOW, BOUND_MS) },
      delayMs: 30_000,
    });
  });

  it('takes no "not found" for an answer while the portal may still be working on the request', () => {
    const early = addMs(EARLIER, LONGEST_MS - 1);
    const decision = waitOf(asked({ kind: 'not_found' }, ASK, { now: early }));
    expect(decision.step).toEqual(ASK);
    expect(addMs(early, decision.delayMs)).toBeGreaterThan(addMs(EARLIER, LONGEST_MS));
  });

  it('notes the first "not found" and asks again later than the visibility lag', () => {
    const decision = waitOf(asked({ kind: 'not_found' }, ASK));
    expect(decision.step).toEqual({ ...ASK, notFoundAt: NOW });
    expect(decision.delayMs).toBeGreaterThan(LAG_MS);
  });

  it('waits for a lag of days, which is no failure and has no bound but the slack', () => {
    const slow: Profile = {
      ...PORTAL,
      ...(PORTAL.status === undefined
        ? {}
        : { status: { ...PORTAL.status, visibilityLagMs: 72 * HOUR_MS } }),
    };
    const filing = { ...FILING, failingSince: EARLIER };
    expect(
      waitOf(asked({ kind: 'not_found' }, ASK, { profile: slow, filing })).delayMs,
    ).toBeGreaterThan(72 * HOUR_MS);
    const tight = { ...filing, lastSafe: addMs(NOW, 72 * HOUR_MS) };
    expect(asked({ kind: 'not_found' }, ASK, { profile: slow, filing: tight })).toEqual(
      giveUp('SLACK_GONE', SENT),
    );
  });

  it('takes a second "not found" inside the lag for the first one still', () => {
    for (const afterMs of [0, 1, LAG_MS]) {
      const step = { ...ASK, notFoundAt: addMs(NOW, -afterMs) };
      const decision = waitOf(asked({ kind: 'not_found' }, step));
      expect(decision.step).toEqual(step);
      expect(afterMs + decision.delayMs).toBeGreaterThan(LAG_MS);
    }
  });

  it('permits another send after two, spaced by more than the lag', () => {
    const step = { ...ASK, notFoundAt: addMs(NOW, -LAG_MS - 1) };
    expect(asked({ kind: 'not_found' }, step)).toMatchObject({
      to: 'pending',
      step: { action: 'send' },
      failures: 1,
      code: 'PROVEN_NOT_ACCEPTED',
    });
  });

  it('permits it at most until the third failure in a row, and hands over with the doubt ended', () => {
    const step = { ...ASK, notFoundAt: addMs(NOW, -LAG_MS - 1) };
    expect(asked({ kind: 'not_found' }, step, { filing: { ...FILING, failures: 2 } })).toEqual(
      giveUp('RETRIES_EXHAUSTED'),
    );
  });

  it('keeps the first "not found" over an answer that tells nothing', () => {
    const step = { ...ASK, notFoundAt: NOW };
    expect(waitOf(asked({ kind: 'unclear', code: 'HTTP_500' }, step)).step).toEqual({
      ...step,
      unclear: 1,
    });
  });

  it('goes to a person after three answers in a row that tell nothing', () => {
    expect(next(asked({ kind: 'unclear', code: 'X' }, { ...ASK, unclear: 1 }))).toBe(
      'submitted: ask',
    );
    expect(asked({ kind: 'unclear', code: 'X' }, { ...ASK, unclear: 2 })).toEqual(
      giveUp('STATUS_X', SENT),
    );
  });
});

describe('asking after a 409', () => {
  it.each<[string, StatusAnswer, string]>([
    ['accepted is accepted', { kind: 'accepted', receipt: RECEIPT }, 'accept'],
    ['refused is rejected', { kind: 'refused', code: 'x' }, 'reject'],
    ['processing is received', { kind: 'processing', submissionId: undefined }, 'submitted: poll'],
    ['nothing told is asked again', { kind: 'unclear', code: 'x' }, 'submitted: ask'],
  ])('%s', (_claim, answer, expected) => {
    expect(next(asked(answer, ASK_CONFLICT))).toBe(expected);
  });

  it('"not found" goes to a person, never to another send, once the lag cannot explain it', () => {
    expect(next(asked({ kind: 'not_found' }, ASK_CONFLICT))).toBe('submitted: ask');
    const step = { ...ASK_CONFLICT, notFoundAt: addMs(NOW, -LAG_MS - 1) };
    expect(asked({ kind: 'not_found' }, step)).toEqual(giveUp('CONFLICT_NOT_FOUND', SENT));
  });

  it('a third unclear answer goes to a person', () => {
    expect(asked({ kind: 'unclear', code: 'X' }, { ...ASK_CONFLICT, unclear: 2 })).toEqual(
      giveUp('STATUS_X', SENT),
    );
  });
});

describe('polling', () => {
  it('ends with what the portal says', () => {
    expect(asked({ kind: 'accepted', receipt: RECEIPT }, POLL)).toEqual(ACCEPT);
    expect(asked({ kind: 'refused', code: 'x' }, POLL)).toEqual({ kind: 'reject', code: 'x' });
  });

  it('goes on while the portal is processing, with the same bound', () => {
    expect(
      asked({ kind: 'processing', submissionId: undefined }, { ...POLL, unclear: 2 }),
    ).toMatchObject({
      to: 'submitted',
      step: POLL,
      delayMs: 30_000,
    });
  });

  it.each<StatusAnswer>([{ kind: 'processing', submissionId: 'S-1' }, THROTTLED])(
    'goes to a person at the bound: $kind',
    (answer) => {
      const before = addMs(POLL.until, -1);
      expect(next(asked(answer, POLL, { now: before }))).toBe('submitted: poll');
      expect(asked(answer, POLL, { now: POLL.until })).toEqual(giveUp('PROCESSING_BOUND', SENT));
    },
  );

  it('never sends again when the portal has lost what it was processing', () => {
    expect(waitOf(asked({ kind: 'not_found' }, POLL)).step).toEqual({ ...POLL, unclear: 1 });
    expect(asked({ kind: 'not_found' }, { ...POLL, unclear: 2 })).toEqual(
      giveUp('STATUS_SUBMISSION_LOST', SENT),
    );
  });

  it('goes to a person after three answers in a row that tell nothing', () => {
    expect(asked({ kind: 'unclear', code: 'X' }, { ...POLL, unclear: 2 })).toEqual(
      giveUp('STATUS_X', SENT),
    );
  });
});

describe('retry bounds', () => {
  it('are three in a row', () => {
    expect(next(sent(TRANSIENT, { ...FILING, failures: 1, failingSince: NOW }))).toBe(
      'pending: send',
    );
    expect(sent(TRANSIENT, { ...FILING, failures: 2, failingSince: NOW })).toEqual(
      giveUp('RETRIES_EXHAUSTED'),
    );
  });

  it('are 15 minutes in all, counted to the moment of the next try', () => {
    const since = (ms: number): Filing => ({
      ...FILING,
      failures: 1,
      failingSince: addMs(NOW, -ms),
    });
    expect(next(sent(TRANSIENT, since(900_000 - 2000)))).toBe('pending: send');
    expect(sent(TRANSIENT, since(900_000 - 999))).toEqual(giveUp('RETRY_TIME_EXHAUSTED'));
    expect(sent(TRANSIENT, since(900_001))).toEqual(giveUp('RETRY_TIME_EXHAUSTED'));
  });

  it('begin with the first failure of the row', () => {
    const failing = { ...FILING, failures: 1, failingSince: EARLIER };
    expect(waitOf(sent(TRANSIENT, failing)).failingSince).toBe(EARLIER);
  });

  it('that end a re-send leave it unsettled', () => {
    expect(sent(TRANSIENT, { ...FILING, step: RESEND, failures: 2 }, KEYED)).toMatchObject({
      code: 'RETRIES_EXHAUSTED',
      unsettled: { firstSentAt: EARLIER },
    });
  });
});

describe('a throttle after the filing was written', () => {
  const WRITTEN: Verdict = { ...THROTTLED, written: true };
  const untouched = { failures: 0, failingSince: undefined, delayMs: 0, captchaMarks: 0 };

  it('is followed by the same key where keys are honored, and costs no budget', () => {
    for (const profile of [KEYED, KEYED_MUTE, NOTICE_MUTE]) {
      const filing = { ...FILING, effect: effectOfFilings(profile.effect) };
      expect(sent(WRITTEN, filing, profile)).toMatchObject({
        to: 'submitted',
        step: { action: 'resend', ...JUST_SENT },
        ...untouched,
      });
    }
  });

  it('is followed by a question where the portal can be asked', () => {
    expect(sent(WRITTEN)).toMatchObject({
      to: 'submitted',
      step: { action: 'ask', cause: 'throttled', ...JUST_SENT },
      ...untouched,
    });
  });

  it('goes to a person where no one can be asked, as in doubt', () => {
    expect(sent(WRITTEN, FILING, MUTE)).toEqual(giveUp('UNSETTLED_HTTP_429', JUST_SENT));
  });

  it('becomes a question when the pause outlasts the key', () => {
    const event: FilingEvent = { kind: 'sent', verdict: WRITTEN, laneWaitMs: 30 * HOUR_MS };
    expect(next(decide(FILING, event, KEYED, NOW))).toBe('submitted: ask');
    expect(decide(FILING, event, KEYED_MUTE, NOW)).toMatchObject({ unsettled: JUST_SENT });
  });

  it('is sent again after two "not found", and as often as it is throttled', () => {
    const step = { ...ASK, cause: 'throttled', notFoundAt: addMs(NOW, -2 * LAG_MS) } as const;
    const filing = { ...FILING, failures: 2 };
    expect(asked({ kind: 'not_found' }, step, { filing })).toMatchObject({
      to: 'pending',
      step: { action: 'send' },
      failures: 2,
      code: 'PROVEN_NOT_ACCEPTED',
    });
  });

  it('with the third CAPTCHA goes to a person, as in doubt', () => {
    const verdict: Verdict = { ...CAPTCHA, written: true };
    expect(sent(verdict, FILING, KEYED)).toMatchObject({ captchaMarks: 1 });
    const marked = { ...FILING, captchaMarks: 2 };
    expect(sent(verdict, marked, KEYED)).toEqual(giveUp('CAPTCHA', JUST_SENT));
  });
});

describe('CAPTCHA marks', () => {
  it.each([0, 1])('number %i + 1 waits with the lane', (captchaMarks) => {
    expect(sent(CAPTCHA, { ...FILING, captchaMarks })).toMatchObject({
      to: 'pending',
      captchaMarks: captchaMarks + 1,
    });
  });

  it('send the filing to a person at the third', () => {
    expect(sent(CAPTCHA, { ...FILING, captchaMarks: 2 })).toEqual(giveUp('CAPTCHA'));
  });

  it('met by a question count alike, and leave the filing unsettled', () => {
    expect(asked(CAPTCHA, ASK)).toMatchObject({ step: ASK, captchaMarks: 1 });
    expect(asked(CAPTCHA, ASK, { filing: { ...FILING, captchaMarks: 2 } })).toEqual(
      giveUp('CAPTCHA', SENT),
    );
  });

  it('are not counted by a plain throttle', () => {
    expect(sent(THROTTLED, { ...FILING, captchaMarks: 2 })).toMatchObject({
      kind: 'wait',
      captchaMarks: 2,
    });
  });
});

describe('slack', () => {
  const tight = (ms: number): Filing => ({ ...FILING, lastSafe: addMs(NOW, ms) });

  it('is gone when a lane’s pause would end at or after the last safe moment: a person gets it now', () => {
    const event: FilingEvent = { kind: 'sent', verdict: THROTTLED, laneWaitMs: 60_000 };
    expect(next(decide(tight(60_001), event, PORTAL, NOW))).toBe('pending: send');
    expect(decide(tight(60_000), event, PORTAL, NOW)).toEqual(giveUp('SLACK_GONE'));
  });

  it('is gone forever on a lane that is held without end', () => {
    const event: FilingEvent = {
      kind: 'sent',
      verdict: THROTTLED,
      laneWaitMs: Number.POSITIVE_INFINITY,
    };
    expect(decide(FILING, event, PORTAL, NOW)).toEqual(giveUp('SLACK_GONE'));
  });

  it('is gone when the backoff would outlast it', () => {
    expect(sent(TRANSIENT, tight(500))).toEqual(giveUp('SLACK_GONE'));
  });

  it('is gone when settling would outlast it, and the filing is handed over as unsettled', () => {
    expect(asked({ kind: 'not_found' }, ASK, { filing: tight(LAG_MS) })).toEqual(
      giveUp('SLACK_GONE', SENT),
    );
    expect(sent(UNKNOWN, tight(500))).toEqual(giveUp('SLACK_GONE', JUST_SENT));
  });

  it('does not undo an answer: a receipt after the last safe moment is a receipt', () => {
    expect(sent({ kind: 'accepted', receipt: RECEIPT }, tight(-1))).toEqual(ACCEPT);
  });

  it('of a queued filing that is late sends it to a person, unsettled unless it was never sent', () => {
    const late: FilingEvent = { kind: 'late' };
    expect(decide({ ...FILING, status: 'pending' }, late, PORTAL, NOW)).toEqual(
      giveUp('SLACK_GONE'),
    );
    for (const step of [ASK, POLL]) {
      expect(decide({ ...FILING, step }, late, PORTAL, NOW)).toEqual(giveUp('SLACK_GONE', SENT));
    }
  });
});

describe('a gate at the moment of sending', () => {
  const until = addMs(NOW, 1_000);

  it('that says "not yet" leaves the filing pending until then, with its budget untouched', () => {
    const failing = { ...FILING, failures: 2, failingSince: addMs(NOW, -5_000) };
    const held: FilingEvent = { kind: 'held_back', code: 'DUPLICATE_WINDOW', until };
    expect(decide(failing, held, PORTAL, NOW)).toEqual({
      kind: 'wait',
      to: 'pending',
      step: { action: 'send' },
      delayMs: 1_000,
      failures: 2,
      failingSince: addMs(NOW, -5_000),
      code: 'DUPLICATE_WINDOW',
    });
  });

  it('whose wait would pass the last safe moment sends it to a person now', () => {
    const held: FilingEvent = { kind: 'held_back', code: 'PORTAL_HOURS', until: FILING.lastSafe };
    expect(decide(FILING, held, PORTAL, NOW)).toEqual(giveUp('SLACK_GONE'));
  });
});

describe('what must not happen', () => {
  it.each(['accepted', 'rejected', 'fallout'] as const)(
    'a filing that is %s is decided about',
    (status) => {
      const filing: Filing = { ...FILING, status, step: undefined };
      for (const event of [{ kind: 'orphaned' }, { kind: 'unsent' }, { kind: 'late' }] as const) {
        expect(() => decide(filing, event, KEYED, NOW)).toThrow(/pending or submitted/);
      }
    },
  );

  it.each<Step>([{ action: 'send' }, RESEND])(
    'a status answer for a filing whose step is $action',
    (step) => {
      expect(() => asked({ kind: 'not_found' }, step)).toThrow(/had not asked/);
    },
  );
});
