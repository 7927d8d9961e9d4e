import { describe, expect, it } from 'vitest';
import { mayKeepBusy } from './busy.ts';
import type { Answer, Exchange, Failure } from '../../core/exchange.ts';
import type { AnswerRule, Profile } from '../../core/profile.ts';
import { PORTAL } from '../../../test/fixtures/decisions.ts';

const PROFILE: Profile = { ...PORTAL, captcha: { marks: ['are you a robot'], threshold: 3 } };
const VOUCHED: Profile = {
  ...PROFILE,
  throttle: { ...PROFILE.throttle, provesNothingTaken: true },
};

function answer(status: number, more: Partial<Answer> = {}): Answer {
  const body = new Uint8Array(0);
  const rest = { headers: {}, body, bodyEnd: 'whole', bodySha256: '', elapsedMs: 1 } as const;
  return { kind: 'answer', status, ...rest, ...more };
}

function failure(more: Partial<Failure>): Failure {
  return {
    kind: 'failure',
    written: false,
    code: 'connect',
    message: '',
    elapsedMs: 1,
    ...more,
  };
}

const stamp = { headers: { 'retry-after': '7' } };

describe('the portal may still be at work', () => {
  it.each<[string, Exchange]>([
    ['a time-out', failure({ written: true, code: 'timeout' })],
    ['a cut', failure({ written: true, code: 'cut' })],
    ['a page before the filing that was lost', failure({ mayBeBusy: true })],
    ['a page before the filing that a gateway gave up', failure({ answer: answer(504) })],
    ['half an answer, or one without an end', answer(200, { bodyEnd: 'cut' })],
    ['half a refusal', answer(422, { bodyEnd: 'cut' })],
    ['a redirect to a page that was given up', answer(303, { mayBeBusy: true })],
    ...[408, 423, 425, 429, 500, 502, 503, 504, 507, 520, 524, 599].map(
      (status): [string, Exchange] => [String(status), answer(status)],
    ),
    ['503 with a stamp', answer(503, stamp)],
    ['403 with a stamp', answer(403, stamp)],
    ['403 with a CAPTCHA', answer(403, { body: Buffer.from('Are you a robot?') })],
  ])('after %s', (_what, exchange) => {
    expect(mayKeepBusy(exchange, PROFILE)).toBe(true);
  });

  it.each<[string, Exchange]>([
    ['nothing was written', failure({})],
    ['the page before the filing was whole', failure({ answer: answer(200) })],
    ['the answer is longer than we keep', answer(200, { bodyEnd: 'beyond_limit' })],
    ...[200, 201, 202, 204, 302, 400, 401, 403, 404, 409, 410, 413, 422, 451].map(
      (status): [string, Exchange] => [String(status), answer(status)],
    ),
  ])('but not when %s', (_what, exchange) => {
    expect(mayKeepBusy(exchange, PROFILE)).toBe(false);
  });

  it('but not after a throttle that the profile vouches for, if it came whole', () => {
    for (const one of [answer(429), answer(503, stamp), answer(403, stamp)]) {
      expect(mayKeepBusy(one, VOUCHED)).toBe(false);
      expect(mayKeepBusy({ ...one, bodyEnd: 'cut' }, VOUCHED)).toBe(true);
    }
    expect(mayKeepBusy(answer(503), VOUCHED)).toBe(true);
  });

  it.each<[AnswerRule['verdict'], boolean]>([
    ['rejected', false],
    ['denied', false],
    ['transient', false],
    ['unknown', true],
    ['drift', true],
    ['throttled', true],
  ])('after a 500 that the profile calls %s: %s', (verdict, isBusy) => {
    const profile = { ...PROFILE, answers: [{ status: 500, verdict }] };
    expect(mayKeepBusy(answer(500), profile)).toBe(isBusy);
  });
});
