/** How a target is asked: as often and as patiently as its tier says, and no attempt counts that was not made. */
import { describe, expect, it } from 'vitest';
import { addMs } from '../../src/core/time.ts';
import type { JsonValue } from '../../src/core/canonical-json.ts';
import type { HandoffResult } from '../../src/dockets/rules/routing/happening.ts';
import { policyOfTier } from '../../src/dockets/rules/routing/policy.ts';
import { readMatrix } from '../../src/dockets/rules/routing/read-matrix.ts';
import { readSample } from './firm.ts';
import { Walk } from './walk.ts';

const matrixWith = (policy: JsonValue) =>
  readMatrix({
    file: 'm',
    text: JSON.stringify({ ...JSON.parse(readSample('patent-matrix.json')), policy }),
  });

const FAILED: HandoffResult = { kind: 'failed' };

describe('the policy of a matrix', () => {
  it('is one number for all tiers, or one for each', () => {
    const { policy } = matrixWith({
      attempts_per_tier: { PRIMARY: 4, SECONDARY: 1 },
      timeout_ms: { TERTIARY: 900 },
      backoff_ms: 700,
    });
    expect(policyOfTier(policy, 'PRIMARY')).toMatchObject({ attemptsPerTier: 4, timeoutMs: 3_000 });
    expect(policyOfTier(policy, 'SECONDARY').attemptsPerTier).toBe(1);
    expect(policyOfTier(policy, 'TERTIARY')).toMatchObject({
      attemptsPerTier: 2,
      timeoutMs: 900,
      tlsHandshakeMsMax: 900,
      outcomeMsMax: 2_800,
      backoffMsMin: 700,
      backoffMsMax: 1_400,
    });
    expect(policyOfTier(policy, 'MANUAL')).toMatchObject({ attemptsPerTier: 2, timeoutMs: 3_000 });
    expect(
      policyOfTier(matrixWith({ attempts_per_tier: 5 }).policy, 'SECONDARY').attemptsPerTier,
    ).toBe(5);
  });

  it.each([
    { attempts_per_tier: { PRIMARY: 0 } },
    { attempts_per_tier: { FIRST: 2 } },
    { attempts_per_tier: { MANUAL: 2 } },
    { timeout_ms: { SECONDARY: 3 } },
    { backoff_ms: { PRIMARY: '1s' } },
    { attempts_per_tier: 'two' },
  ])('%j is a typing mistake', (policy) => {
    expect(() => matrixWith(policy)).toThrow(/policy/);
  });

  it('decides how often and how patiently each tier is asked', () => {
    const matrix = matrixWith({
      attempts_per_tier: { PRIMARY: 3, SECONDARY: 1, TERTIARY: 2 },
      timeout_ms: { PRIMARY: 1_000, SECONDARY: 2_000 },
      backoff_ms: { PRIMARY: 5_000 },
      breaker_failures: 100,
    });
    const walk = new Walk({ matrix });
    const tries: string[] = [];
    for (let step = walk.clock(); step.kind === 'send'; ) {
      tries.push(`${step.message.tier} ${step.timeoutMs}`);
      const next = walk.answer(FAILED);
      if (next.kind === 'wait' && next.next.state === 'queued') {
        const waitMs = next.until - walk.now;
        expect(waitMs).toBeGreaterThanOrEqual(next.next.tier === 'PRIMARY' ? 5_000 : 500);
        step = walk.clock();
      } else step = next;
    }
    expect(tries).toEqual([
      'PRIMARY 1000',
      'PRIMARY 1000',
      'PRIMARY 1000',
      'SECONDARY 2000',
      'TERTIARY 3000',
      'TERTIARY 3000',
    ]);
  });
});

describe('a target that asks to be left alone', () => {
  it('is not asked before that, by this docket or by any other', () => {
    const walk = new Walk();
    walk.clock();
    const asked = walk.answer({ kind: 'failed', retryAfterMs: 20_000 });
    expect(asked).toMatchObject({ kind: 'wait', until: addMs(walk.now, 20_000) });
    const other = new Walk({ breakers: walk.breakers }, addMs(walk.now, 1_000));
    expect(other.clock()).toMatchObject({ kind: 'wait', until: addMs(walk.now, 20_000) });
    expect(other.clock()).toMatchObject({ kind: 'send', message: { tier: 'PRIMARY' } });
    expect(walk.clock()).toMatchObject({ kind: 'send', message: { tier: 'PRIMARY' } });
  });

  it('for longer than a docket waits is passed, by this docket and by every other until then', () => {
    const walk = new Walk();
    walk.clock();
    const gone = walk.answer({ kind: 'failed', retryAfterMs: 600_000 });
    expect(gone).toMatchObject({ kind: 'send', message: { tier: 'SECONDARY' } });
    const other = new Walk({ breakers: walk.breakers }, addMs(walk.now, 1_000));
    expect(other.clock()).toMatchObject({ kind: 'send', message: { tier: 'SECONDARY' } });
    expect([walk, other].flatMap((one) => one.transitions())).toEqual([
      'PRIMARY → SECONDARY ASKED_TO_WAIT',
      'PRIMARY → SECONDARY ASKED_TO_WAIT',
    ]);
    const later = new Walk({ breakers: walk.breakers }, addMs(walk.now, 600_001));
    expect(later.clock()).toMatchObject({ kind: 'send', message: { tier: 'PRIMARY' } });
  });

  it('for days is asked again after an hour', () => {
    const walk = new Walk();
    walk.clock();
    walk.answer({ kind: 'failed', retryAfterMs: 86_400_000 });
    const later = new Walk({ breakers: walk.breakers }, addMs(walk.now, 3_600_001));
    expect(later.clock()).toMatchObject({ kind: 'send', message: { tier: 'PRIMARY' } });
  });

  it('delays no docket whose slack is gone', () => {
    const walk = new Walk();
    walk.clock();
    walk.answer({ kind: 'failed', retryAfterMs: 30_000 });
    const late = new Walk({ breakers: walk.breakers }, addMs(walk.now, 1_000));
    late.now = addMs(late.now, 365 * 86_400_000);
    expect(late.tell({ kind: 'clock' }).next.state).toBe('manual');
  });
});

describe('what was never written', () => {
  it('because of the message itself leaves the tier at once, and moves no breaker', () => {
    const walk = new Walk();
    for (const tier of ['PRIMARY', 'SECONDARY', 'TERTIARY']) {
      if (walk.state.state === 'queued') walk.clock();
      expect(walk.step).toMatchObject({ kind: 'send', message: { tier } });
      walk.answer({ kind: 'unsendable', code: 'CONTENT_TYPE_UNSENDABLE' });
    }
    expect(walk.state.state).toBe('manual');
    expect([...walk.breakers.values()]).toEqual([]);
    expect(walk.transitions().at(0)).toBe('PRIMARY → SECONDARY UNSENDABLE');
  });

  it('does not make a failing target look well', () => {
    const breakers = new Map([['bio-endpoint', { state: 'closed', failures: 2 } as const]]);
    const walk = new Walk({ breakers });
    walk.clock();
    walk.answer({ kind: 'unsendable' });
    expect(walk.breakers.get('bio-endpoint')).toEqual({ state: 'closed', failures: 2 });
  });

  it('because this process was too late is no attempt, and no failure of the target', () => {
    const walk = new Walk();
    walk.clock();
    for (let time = 0; time < 3; time += 1) {
      expect(walk.answer({ kind: 'not_made', code: 'LEASE_LOST' }).kind).toBe('wait');
      expect(walk.clock()).toMatchObject({
        kind: 'send',
        next: { attempt: 1, hop: { tier: 'PRIMARY' } },
      });
    }
    expect(walk.breakers.size).toBe(0);
    walk.answer(FAILED);
    expect(walk.clock()).toMatchObject({ kind: 'send', next: { attempt: 2 } });
  });

  it('again and again does not keep a docket from the next tier', () => {
    const walk = new Walk();
    walk.clock();
    for (let time = 0; time < 4; time += 1) {
      walk.answer({ kind: 'not_made' });
      walk.clock();
    }
    expect(walk.answer({ kind: 'not_made' })).toMatchObject({
      kind: 'send',
      message: { tier: 'SECONDARY' },
    });
    expect(walk.transitions()).toEqual(['PRIMARY → SECONDARY NOT_MADE']);
  });
});
