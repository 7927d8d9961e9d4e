/** Laws of the decision, for any history. The tables of single rules are in decide.test.ts. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, type FilingEvent } from './decide.ts';
import type { Decision } from '../../core/decision.ts';
import type { Filing } from '../../core/filing.ts';
import { effectOfFilings, type Profile } from '../../core/profile.ts';
import { addMs, type Instant } from '../../core/time.ts';
import type { StatusAnswer, Verdict } from '../../core/verdict.ts';
import {
  BOUND_MS,
  FILING,
  KEYED,
  KEYED_MUTE,
  LAG_MS,
  LONGEST_MS,
  MUTE,
  NOTICE,
  NOTICE_MUTE,
  NOW,
  PORTAL,
  without,
} from '../../../test/fixtures/decisions.ts';

const UNKNOWN: Verdict = { kind: 'unknown', code: 'CUT' };
const TRANSIENT: Verdict = { kind: 'transient', code: 'DNS' };
const THROTTLED = { kind: 'throttled', code: 'HTTP_429', captcha: false, written: false } as const;
const CAPTCHA = { kind: 'throttled', code: 'CAPTCHA', captcha: true, written: false } as const;

const verdicts = fc.constantFrom<Verdict>(
  { kind: 'received', submissionId: 'S' },
  { kind: 'conflict' },
  TRANSIENT,
  UNKNOWN,
  THROTTLED,
  { ...THROTTLED, written: true },
  CAPTCHA,
  { ...CAPTCHA, written: true },
  { kind: 'rejected', code: 'HTTP_422' },
  { kind: 'denied', code: 'HTTP_401', written: true },
  { kind: 'drift', code: 'D', written: true },
  { kind: 'drift', code: 'D', written: false },
  { kind: 'session', code: 'S', written: true },
  { kind: 'session', code: 'S', written: false },
);
const answers = fc.oneof(
  { weight: 3, arbitrary: fc.constant<StatusAnswer>({ kind: 'not_found' }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<StatusAnswer>(
      { kind: 'processing', submissionId: 'S' },
      { kind: 'unclear', code: 'X' },
      THROTTLED,
      CAPTCHA,
    ),
  },
);
/** One turn: what would come of a send, what of a question, whether the worker lives, and how late the turn comes. */
const turn = fc.record({
  verdict: verdicts,
  answer: answers,
  fate: fc.oneof(
    { weight: 6, arbitrary: fc.constant('lives' as const) },
    { weight: 1, arbitrary: fc.constantFrom('dies' as const, 'unsent' as const) },
  ),
  laneWaitMs: fc.oneof(fc.constant(0), fc.nat(600_000)),
  lateMs: fc.oneof(fc.constant(0), fc.nat(300_000)),
  serviceMs: fc.nat(30_000),
});
type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

interface Played {
  readonly filing: Filing;
  readonly event: FilingEvent;
  readonly decision: Decision;
  readonly now: Instant;
}

/** Plays turns as the loop would: the step decides whether it sends or asks, and the decision becomes the new state. */
function play(start: Filing, profile: Profile, turns: readonly Turn[]): Played[] {
  const played: Played[] = [];
  let filing = start;
  let now = NOW;
  for (const one of turns) {
    const intentAt = now;
    now = addMs(now, one.serviceMs);
    const sends = filing.step?.action === 'send' || filing.step?.action === 'resend';
    const outcome: FilingEvent = sends
      ? { kind: 'sent', verdict: one.verdict, laneWaitMs: one.laneWaitMs }
      : { kind: 'asked', answer: one.answer, laneWaitMs: one.laneWaitMs };
    const event: FilingEvent =
      one.fate === 'dies'
        ? { kind: 'orphaned', intentAt }
        : one.fate === 'unsent'
          ? { kind: 'unsent' }
          : outcome;
    const decision = decide(filing, event, profile, now);
    played.push({ filing, event, decision, now });
    if (decision.kind !== 'wait') break;
    filing = {
      ...filing,
      status: 'submitted',
      attempt: filing.attempt + 1,
      step: decision.step,
      failures: decision.failures,
      failingSince: decision.failingSince,
      captchaMarks: decision.captchaMarks ?? filing.captchaMarks,
    };
    now = addMs(now, Math.max(decision.delayMs, one.laneWaitMs) + one.lateMs);
  }
  return played;
}

/**
 * An independent account of whether the portal may hold the filing. It knows nothing of steps: only what was written,
 * and what proves that nothing was accepted.
 */
class Doubt {
  sentAt: Instant | undefined;
  notFoundAt: Instant | undefined;
  contradicted = false;

  see({ filing, event, now }: Played): void {
    const sends = filing.step?.action === 'send' || filing.step?.action === 'resend';
    if (event.kind === 'orphaned' && sends) this.raise(now);
    if (event.kind === 'sent') {
      const { verdict } = event;
      if (verdict.kind === 'conflict') this.contradicted = true;
      const written = 'written' in verdict && verdict.written;
      if (written || ['unknown', 'conflict', 'received'].includes(verdict.kind)) this.raise(now);
    }
    if (event.kind === 'asked') this.hear(event.answer, now);
  }

  private raise(now: Instant): void {
    this.sentAt = now;
    this.notFoundAt = undefined;
  }

  private hear(answer: StatusAnswer, now: Instant): void {
    if (answer.kind === 'processing') this.contradicted = true;
    if (answer.kind !== 'not_found' || this.sentAt === undefined || this.contradicted) return;
    if (now < this.sentAt + LONGEST_MS) return;
    if (this.notFoundAt === undefined) this.notFoundAt = now;
    else if (now - this.notFoundAt > LAG_MS) this.sentAt = undefined;
  }
}

const history = fc.array(turn, { minLength: 1, maxLength: 40 });
const RUNS = { numRuns: 2000 };

describe('for any history', () => {
  it('a filing on a portal without keys is never sent while an earlier send is unsettled', () => {
    let permitted = 0;
    fc.assert(
      fc.property(fc.constantFrom(PORTAL, MUTE), history, (profile, turns) => {
        const doubt = new Doubt();
        for (const one of play(FILING, profile, turns)) {
          doubt.see(one);
          if (one.decision.kind !== 'wait') break;
          const { action } = one.decision.step;
          expect(action).not.toBe('resend');
          if (action === 'send') expect(doubt.sentAt).toBeUndefined();
          if (one.decision.code === 'PROVEN_NOT_ACCEPTED') permitted += 1;
        }
      }),
      RUNS,
    );
    // The law must not hold because nothing was ever permitted.
    expect(permitted).toBeGreaterThan(20);
  });

  it('a filing on a portal with keys is re-sent only while its key is honored, counted from the first write', () => {
    const shortLived: Profile = { ...PORTAL, idempotency: { header: 'k', honouredMs: 400_000 } };
    let repeated = 0;
    fc.assert(
      fc.property(fc.constantFrom(shortLived, without(shortLived)), history, (profile, turns) => {
        const doubt = new Doubt();
        let firstWrittenAt: Instant | undefined;
        for (const one of play(FILING, profile, turns)) {
          const before = doubt.sentAt;
          doubt.see(one);
          if (doubt.sentAt === undefined) firstWrittenAt = undefined;
          else if (before === undefined) firstWrittenAt = addMs(one.now, -30_000);
          if (one.decision.kind !== 'wait') break;
          const { action } = one.decision.step;
          if (action === 'send') expect(doubt.sentAt).toBeUndefined();
          if (action !== 'resend') continue;
          repeated += 1;
          const wait = 'laneWaitMs' in one.event ? (one.event.laneWaitMs ?? 0) : 0;
          const wakeAt = one.now + Math.max(one.decision.delayMs, wait);
          expect(firstWrittenAt).toBeDefined();
          expect(wakeAt - (firstWrittenAt ?? 0)).toBeLessThan(400_000);
        }
      }),
      RUNS,
    );
    expect(repeated).toBeGreaterThan(100);
  });

  it('no rejection and no silent hand-over hides a send that may have been accepted', () => {
    fc.assert(
      fc.property(fc.constantFrom(PORTAL, MUTE, KEYED, KEYED_MUTE), history, (profile, turns) => {
        const doubt = new Doubt();
        for (const one of play(FILING, profile, turns)) {
          doubt.see(one);
          if (one.decision.kind === 'reject') expect(doubt.sentAt).toBeUndefined();
          if (one.decision.kind === 'give_up' && doubt.sentAt !== undefined) {
            expect(one.decision.unsettled).toBeDefined();
          }
        }
      }),
      RUNS,
    );
  });

  it('no wait wakes at or after the last safe moment', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(PORTAL, MUTE, KEYED, NOTICE_MUTE),
        history,
        fc.nat(3_600_000),
        (profile, turns, slackMs) => {
          const filing = {
            ...FILING,
            effect: effectOfFilings(profile.effect),
            lastSafe: addMs(NOW, slackMs),
          };
          for (const { decision, event, now } of play(filing, profile, turns)) {
            if (decision.kind !== 'wait') break;
            const wait = 'laneWaitMs' in event ? (event.laneWaitMs ?? 0) : 0;
            expect(now + Math.max(decision.delayMs, wait)).toBeLessThan(filing.lastSafe);
          }
        },
      ),
      RUNS,
    );
  });

  it('a chain of waits ends within a bounded number of turns, throttles and lost workers aside', () => {
    // Three failures in a row; between them at most: early "not found", first and second "not found", two that tell
    // nothing after each, and the polls that fit into the bound.
    const turnsMax = 3 * 9 + BOUND_MS / 30_000 + 3;
    const patient = fc.record({
      verdict: verdicts.filter(
        (one) => one.kind !== 'throttled' && !(one.kind === 'drift' && !one.written),
      ),
      answer: answers.filter((one) => one.kind !== 'throttled'),
      fate: fc.constant('lives' as const),
      laneWaitMs: fc.constant(0),
      lateMs: fc.nat(300_000),
      serviceMs: fc.nat(30_000),
    });
    const turnsOfOne = fc.array(patient, { minLength: turnsMax + 1, maxLength: turnsMax + 1 });
    fc.assert(
      fc.property(
        fc.constantFrom(PORTAL, MUTE, KEYED, KEYED_MUTE, NOTICE, NOTICE_MUTE),
        turnsOfOne,
        fc.boolean(),
        (profile, turns, processing) => {
          const told = turns.map(
            (one): Turn =>
              processing ? { ...one, answer: { kind: 'processing', submissionId: 'S' } } : one,
          );
          const filing = { ...FILING, effect: effectOfFilings(profile.effect) };
          const played = play(filing, profile, told);
          expect(played.length).toBeLessThanOrEqual(turnsMax);
          expect(played.at(-1)?.decision.kind).not.toBe('wait');
        },
      ),
      { numRuns: 300 },
    );
  });

  it('throttles never end a filing’s life by themselves before its slack is gone or the third CAPTCHA', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(600_000), { maxLength: 60 }), (waits) => {
        const turns = waits.map(
          (laneWaitMs): Turn => ({
            verdict: THROTTLED,
            answer: THROTTLED,
            fate: 'lives',
            laneWaitMs,
            lateMs: 0,
            serviceMs: 100,
          }),
        );
        for (const { decision } of play(FILING, PORTAL, turns)) {
          expect(decision).toMatchObject({ kind: 'wait', to: 'pending', failures: 0 });
        }
      }),
    );
  });

  it('a wait that is pending sends, and one that is submitted does anything else', () => {
    fc.assert(
      fc.property(fc.constantFrom(PORTAL, KEYED, NOTICE), history, (profile, turns) => {
        for (const { decision } of play(FILING, profile, turns)) {
          if (decision.kind !== 'wait') break;
          expect(decision.to === 'pending').toBe(decision.step.action === 'send');
          expect(decision.delayMs).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  it('the same filing, event, profile and time give the same decision, and nothing given is changed', () => {
    fc.assert(
      fc.property(fc.constantFrom(PORTAL, MUTE, KEYED, NOTICE), history, (profile, turns) => {
        for (const { filing, event, decision, now } of play(FILING, profile, turns)) {
          const before = JSON.stringify([filing, event, profile]);
          expect(decide(filing, event, profile, now)).toEqual(decision);
          expect(JSON.stringify([filing, event, profile])).toBe(before);
        }
      }),
    );
  });

  it('no decision carries a key: there is one per revision, and none is ever made here', () => {
    fc.assert(
      fc.property(fc.constantFrom(PORTAL, MUTE, KEYED, NOTICE), history, (profile, turns) => {
        for (const { decision } of play(FILING, profile, turns)) {
          expect(JSON.stringify(decision)).not.toMatch(/fw1-|"key"/);
        }
      }),
    );
  });
});
