import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifySend, classifyStatus, isHealthy } from './classify.ts';
import { ownOf } from './echoes.ts';
import type { Answer, Exchange, Failure, FailureCode } from '../../core/exchange.ts';
import { idempotencyKey } from '../../core/ids.ts';
import type { AnswerRule, Profile, StatusRule } from '../../core/profile.ts';
import { instant } from '../../core/time.ts';
import type { StatusAnswer, Verdict } from '../../core/verdict.ts';

const NOW = instant(Date.UTC(2026, 2, 2, 15));
const KEY = idempotencyKey('fw1-00112233445566778899aabbccddeeff');

const OWN = ownOf({ key: KEY }, undefined);

const STATUS: StatusRule = {
  path: '/status/{key}',
  visibilityLagMs: 60_000,
  stateAt: '/state',
  accepted: ['ACCEPTED', 'FILED'],
  refused: ['REFUSED'],
  processing: ['PROCESSING', 'QUEUED'],
  notFound: ['NOT_FOUND'],
  keyAt: '/key',
};

const PROFILE: Profile = {
  format: 1,
  code: 'US-DE',
  jurisdiction: 'US-DE',
  title: 'Delaware',
  automation: 'allowed',
  effect: 'filing',
  driver: 'json-api',
  baseUrl: 'https://portal.example',
  allowPrivateAddresses: false,
  ceiling: 1,
  timeoutMs: 30_000,
  tlsHandshakeMsMax: 3000,
  longestServiceMs: 60_000,
  expectedServiceMs: 1000,
  personMs: 7_200_000,
  submit: { method: 'POST', path: '/filings' },
  status: STATUS,
  health: { method: 'HEAD', path: '/health' },
  idempotency: { header: 'Idempotency-Key', honouredMs: 0 },
  receipt: { statuses: [200, 201], numberAt: '/receipt/number', pattern: 'DE-\\d{6}' },
  received: { submissionIdAt: '/submission', pollMs: 30_000, boundMs: 3_600_000 },
  answers: [],
  captcha: { marks: ['g-recaptcha', 'Are you a robot'], threshold: 3 },
  throttle: { pauseMsMax: 3_600_000 },
  redirects: [],
  retry: { inARowMax: 3, totalMsMax: 900_000, delayMsMin: 1000, delayMsMax: 60_000 },
  breaker: { failures: 3, coolDownMs: 30_000, probeSpacingMs: 15_000 },
  slowStartStepMs: 1000,
  credentials: [],
  quirks: [],
};

/** Vouches for its throttles. */
const VOUCHED: Profile = {
  ...PROFILE,
  throttle: { ...PROFILE.throttle, provesNothingTaken: true },
};

type Body = string | Uint8Array | { readonly [name: string]: unknown };

function answer(status: number, body: Body = '', more: Partial<Answer> = {}): Answer {
  const bytes =
    body instanceof Uint8Array
      ? body
      : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return {
    kind: 'answer',
    status,
    headers: {},
    body: bytes,
    bodyEnd: 'whole',
    bodySha256: '',
    elapsedMs: 5,
    ...more,
  };
}

function failure(code: FailureCode, written: boolean): Exchange {
  return { kind: 'failure', written, code, message: '', elapsedMs: 5 };
}

function send(exchange: Exchange, profile: Profile = PROFILE): Verdict {
  return classifySend(exchange, profile, OWN, NOW);
}

function ask(exchange: Exchange, profile: Profile = PROFILE): StatusAnswer {
  return classifyStatus(exchange, profile, OWN, NOW);
}

const RECEIPT = { receipt: { number: 'DE-123456' } };
const CAPTCHA_PAGE = '<html><div class="G-Recaptcha"></div></html>';
const LOGIN_PAGE = '<html><form action="/login"><input name="password"></form></html>';
const BAD_STAMP = { 'retry-after': 'whenever' };

describe('a failure before the body was written', () => {
  it.each<FailureCode>([
    'dns',
    'connect',
    'tls',
    'tls_slow',
    'timeout',
    'cut',
    'protocol',
    'lease_lost',
  ])('proves that nothing happened: %s is transient', (code) => {
    expect(send(failure(code, false))).toEqual({ kind: 'transient', code: code.toUpperCase() });
  });

  it.each<FailureCode>(['address_refused', 'credential'])(
    'is our own misconfiguration when it is %s, so the lane stops and the filing was not written',
    (code) => {
      expect(send(failure(code, false))).toEqual({
        kind: 'drift',
        code: code.toUpperCase(),
        written: false,
      });
    },
  );
});

describe('a failure after the body was written', () => {
  it.each<FailureCode>([
    'dns',
    'connect',
    'tls',
    'tls_slow',
    'address_refused',
    'credential',
    'timeout',
    'cut',
    'protocol',
    'lease_lost',
  ])('is unknown, whatever its name: %s', (code) => {
    expect(send(failure(code, true))).toEqual({ kind: 'unknown', code: code.toUpperCase() });
  });
});

describe('an answer that claims success', () => {
  const accepted: Verdict = { kind: 'accepted', receipt: { number: 'DE-123456' } };
  const drift: Verdict = { kind: 'drift', code: 'RECEIPT_FIELD_MISSING', written: true };
  const notJson: Verdict = { kind: 'unknown', code: 'ANSWER_NOT_JSON' };
  const malformed: Verdict = { kind: 'unknown', code: 'RECEIPT_MALFORMED' };

  it.each<[string, Answer, Verdict]>([
    ['200 with a receipt', answer(200, RECEIPT), accepted],
    ['201 with a receipt', answer(201, RECEIPT), accepted],
    [
      '200 with a receipt after a byte order mark',
      answer(200, `\ufeff${JSON.stringify(RECEIPT)}`),
      accepted,
    ],
    [
      '203 with a receipt, a status outside the rule',
      answer(203, RECEIPT),
      { kind: 'unknown', code: 'HTTP_203_WITHOUT_RECEIPT' },
    ],
    [
      '206 with a receipt, a part of an answer',
      answer(206, RECEIPT),
      { kind: 'unknown', code: 'HTTP_206_WITHOUT_RECEIPT' },
    ],
    ['204 without a body', answer(204), notJson],
    ['200 without a body', answer(200), notJson],
    ['200 with a login page', answer(200, LOGIN_PAGE), notJson],
    ['200 with an error page', answer(200, 'Internal error'), notJson],
    ['200 with a CAPTCHA page', answer(200, CAPTCHA_PAGE), notJson],
    [
      '200 in Latin-1 with an umlaut',
      answer(200, Buffer.from('{"receipt":{"number":"DE-123456","note":"für"}}', 'latin1')),
      notJson,
    ],
    ['200 in UTF-16', answer(200, Buffer.from(JSON.stringify(RECEIPT), 'utf16le')), notJson],
    [
      '200 whose connection was cut',
      answer(200, RECEIPT, { bodyEnd: 'cut' }),
      { kind: 'unknown', code: 'BODY_TRUNCATED' },
    ],
    ['200 with half a JSON', answer(200, '{"receipt":{"num'), notJson],
    [
      '200 with more than we keep',
      answer(200, '{"receipt":{"number":"DE-123456"},"pad":"', { bodyEnd: 'beyond_limit' }),
      notJson,
    ],
    ['200 without the receipt field', answer(200, { ok: true }), drift],
    ['200 with the receipt where only its parent is', answer(200, { receipt: 'DE-123456' }), drift],
    ['200 with JSON null', answer(200, 'null'), drift],
    ['200 with a JSON text', answer(200, '"DE-123456"'), drift],
    ['200 with a receipt of null', answer(200, { receipt: { number: null } }), malformed],
    ['200 with an empty receipt', answer(200, { receipt: { number: '' } }), malformed],
    [
      '200 with a receipt of another shape',
      answer(200, { receipt: { number: 'CA-123456' } }),
      malformed,
    ],
    [
      '200 with a receipt inside a sentence',
      answer(200, { receipt: { number: 'ERROR DE-123456 refused' } }),
      malformed,
    ],
    [
      '200 with a receipt and a second line',
      answer(200, { receipt: { number: 'DE-123456\nvoid' } }),
      malformed,
    ],
    [
      '200 with a receipt that is too long',
      answer(200, { receipt: { number: 'DE-1234567' } }),
      malformed,
    ],
    ['200 with a receipt that is an object', answer(200, { receipt: { number: {} } }), malformed],
    [
      '200 with a receipt that is no whole number',
      answer(200, { receipt: { number: 1.5 } }),
      malformed,
    ],
    [
      '202 with a submission id',
      answer(202, { submission: 'S-1' }),
      { kind: 'received', submissionId: 'S-1' },
    ],
    [
      '202 with a submission id as a number',
      answer(202, { submission: 17 }),
      { kind: 'received', submissionId: '17' },
    ],
    ['202 without an id', answer(202, {}), { kind: 'received', submissionId: undefined }],
    [
      '202 with a receipt, a status outside the rule',
      answer(202, RECEIPT),
      { kind: 'received', submissionId: undefined },
    ],
    ['202 with a login page', answer(202, LOGIN_PAGE), notJson],
    ['202 without a body', answer(202, ''), { kind: 'received', submissionId: undefined }],
    ['200 without a body', answer(200, ''), notJson],
  ])('%s', (_what, exchange, verdict) => {
    expect(send(exchange)).toEqual(verdict);
  });

  it('is accepted with 202 where the receipt rule names 202 and the receipt is there', () => {
    const profile = { ...PROFILE, receipt: { ...PROFILE.receipt, statuses: [202] } };
    expect(send(answer(202, RECEIPT), profile)).toEqual(accepted);
    expect(send(answer(202, { submission: 'S-1' }), profile)).toEqual({
      kind: 'received',
      submissionId: 'S-1',
    });
  });

  it('may carry its receipt as a number', () => {
    const profile = { ...PROFILE, receipt: { ...PROFILE.receipt, pattern: '[0-9]+' } };
    expect(send(answer(200, { receipt: { number: 990_017 } }), profile)).toEqual({
      kind: 'accepted',
      receipt: { number: '990017' },
    });
  });

  it.each(['', '   ', '\u00a0'])(
    'is not accepted with the receipt %j, however wide the pattern',
    (number) => {
      const profile = { ...PROFILE, receipt: { ...PROFILE.receipt, pattern: '.*' } };
      expect(send(answer(200, { receipt: { number } }), profile)).toEqual(malformed);
      expect(send(answer(200, { receipt: { number: 'x' } }), profile).kind).toBe('accepted');
    },
  );

  it('matches a pattern with alternatives as a whole, not each half alone', () => {
    const profile = { ...PROFILE, receipt: { ...PROFILE.receipt, pattern: 'A\\d|B\\d' } };
    expect(send(answer(200, { receipt: { number: 'A1' } }), profile).kind).toBe('accepted');
    expect(send(answer(200, { receipt: { number: 'A1 rejected' } }), profile).kind).toBe('unknown');
    expect(send(answer(200, { receipt: { number: 'not B1' } }), profile).kind).toBe('unknown');
  });
});

describe('an answer by its status alone', () => {
  it.each<[number, Verdict]>([
    ...[400, 413, 414, 422, 431].map((status): [number, Verdict] => [
      status,
      { kind: 'rejected', code: `HTTP_${status}` },
    ]),
    [404, { kind: 'rejected', code: 'HTTP_404', missing: true }],
    ...[401, 402, 403, 407, 451].map((status): [number, Verdict] => [
      status,
      { kind: 'denied', code: `HTTP_${status}`, written: true },
    ]),
    [409, { kind: 'conflict' }],
    ...[408, 423, 425, 500, 502, 503, 504, 506, 507, 508, 510, 520, 524, 599].map(
      (status): [number, Verdict] => [status, { kind: 'unknown', code: `HTTP_${status}` }],
    ),
    ...[300, 301, 302, 303, 305, 307, 308].map((status): [number, Verdict] => [
      status,
      { kind: 'unknown', code: `HTTP_${status}` },
    ]),
    ...[304, 405, 410, 415, 426, 501, 505].map((status): [number, Verdict] => [
      status,
      { kind: 'drift', code: `HTTP_${status}`, written: true },
    ]),
    [511, { kind: 'session', code: 'HTTP_511', written: true }],
    [429, { kind: 'throttled', code: 'HTTP_429', captcha: false, written: true }],
    ...[406, 411, 412, 416, 417, 418, 421, 424, 428, 499].map((status): [number, Verdict] => [
      status,
      { kind: 'unclassified', code: `HTTP_${status}` },
    ]),
  ])('%i', (status, verdict) => {
    expect(send(answer(status, 'whatever'))).toEqual(verdict);
  });

  it('is unknown when its body was cut, whatever it says: a refusal is proven by all of it', () => {
    for (const status of [200, 202, 302, 400, 404, 409, 422, 500]) {
      expect(send(answer(status, '{', { bodyEnd: 'cut' }))).toEqual({
        kind: 'unknown',
        code: 'BODY_TRUNCATED',
      });
    }
  });

  it('is unknown with its body cut, and still says that the lane must pause', () => {
    const cut = (status: number, headers: Record<string, string>) =>
      send(answer(status, '{', { bodyEnd: 'cut', headers }));
    const throttled = { kind: 'throttled', captcha: false, written: true };
    expect(cut(429, {})).toEqual({ ...throttled, code: 'HTTP_429' });
    for (const status of [403, 429, 503]) {
      const expected = { ...throttled, code: `HTTP_${status}`, waitMs: 60_000 };
      const answered = answer(status, '{', { bodyEnd: 'cut', headers: { 'retry-after': '60' } });
      expect(send(answered)).toEqual(expected);
      // What the profile vouches for is a whole answer.
      expect(send(answered, VOUCHED)).toEqual(expected);
    }
    expect(cut(503, {})).toEqual({ kind: 'unknown', code: 'BODY_TRUNCATED' });
  });

  it('gives some verdict for each of 200 to 599 with any body and any stamp, and never throws', () => {
    const bodies = [
      answer(200),
      answer(200, RECEIPT),
      answer(200, LOGIN_PAGE),
      answer(200, '\ud800'),
    ];
    for (let status = 200; status <= 599; status += 1) {
      for (const like of bodies) {
        for (const headers of [{}, { 'retry-after': '5' }, { 'x-ratelimit-reset': 'x' }]) {
          expect(send({ ...like, status, headers }).kind).toBeTypeOf('string');
          expect(ask({ ...like, status, headers }).kind).toBeTypeOf('string');
        }
      }
    }
  });

  it('is never accepted and never a refusal for 1xx, should a driver ever let one through', () => {
    for (let status = 100; status <= 199; status += 1) {
      expect(send(answer(status, RECEIPT))).toEqual({ kind: 'unknown', code: `HTTP_${status}` });
      expect(ask(answer(status, { key: KEY, state: 'ACCEPTED', ...RECEIPT })).kind).toBe('unclear');
    }
  });

  it('is never accepted outside the statuses of the receipt rule, nor without the receipt', () => {
    const body = fc.oneof(
      fc.uint8Array(),
      fc.json().map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), body, (status, bytes) => {
        expect(send(answer(status, bytes)).kind).not.toBe('accepted');
        if (status !== 200 && status !== 201) {
          expect(send(answer(status, RECEIPT)).kind).not.toBe('accepted');
        }
      }),
    );
  });
});

describe('a throttle', () => {
  const stamped = (seconds: number): { waitMs: number } => ({ waitMs: seconds * 1000 });

  it.each<[string, Answer, Verdict]>([
    [
      '429 with a stamp',
      answer(429, '', { headers: { 'retry-after': '7' } }),
      { kind: 'throttled', code: 'HTTP_429', captcha: false, written: true, ...stamped(7) },
    ],
    [
      '429 with a reset stamp',
      answer(429, '', { headers: { 'x-ratelimit-reset': String(NOW / 1000 + 9) } }),
      { kind: 'throttled', code: 'HTTP_429', captcha: false, written: true, ...stamped(9) },
    ],
    [
      '429 with a stamp that makes no sense',
      answer(429, '', { headers: BAD_STAMP }),
      { kind: 'throttled', code: 'HTTP_429', captcha: false, written: true },
    ],
    [
      '503 with Retry-After',
      answer(503, '', { headers: { 'retry-after': '7' } }),
      { kind: 'throttled', code: 'HTTP_503', captcha: false, written: true, ...stamped(7) },
    ],
    [
      '503 with a Retry-After that makes no sense',
      answer(503, '', { headers: BAD_STAMP }),
      { kind: 'throttled', code: 'HTTP_503', captcha: false, written: true },
    ],
    [
      '503 with only a reset stamp is unknown',
      answer(503, '', { headers: { 'x-ratelimit-reset': '7' } }),
      { kind: 'unknown', code: 'HTTP_503' },
    ],
    [
      '500 with Retry-After is unknown',
      answer(500, '', { headers: { 'retry-after': '7' } }),
      { kind: 'unknown', code: 'HTTP_500' },
    ],
    [
      '403 with a reset stamp',
      answer(403, '', { headers: { 'x-ratelimit-reset': '7' } }),
      { kind: 'throttled', code: 'HTTP_403', captcha: false, written: true, ...stamped(7) },
    ],
    [
      '403 with Retry-After',
      answer(403, '', { headers: { 'retry-after': '7' } }),
      { kind: 'throttled', code: 'HTTP_403', captcha: false, written: true, ...stamped(7) },
    ],
    [
      '403 with a CAPTCHA mark in any case',
      answer(403, CAPTCHA_PAGE),
      { kind: 'throttled', code: 'CAPTCHA', captcha: true, written: true },
    ],
    [
      '403 with a CAPTCHA mark in a page that is no UTF-8',
      answer(403, Buffer.from('é Are You A Robot?', 'latin1')),
      { kind: 'throttled', code: 'CAPTCHA', captcha: true, written: true },
    ],
    [
      '403 with a CAPTCHA mark and a stamp',
      answer(403, CAPTCHA_PAGE, { headers: { 'x-ratelimit-reset': '7' } }),
      { kind: 'throttled', code: 'CAPTCHA', captcha: true, written: true, ...stamped(7) },
    ],
    [
      '403 with a mark beyond the head of the page is denied',
      answer(403, ' '.repeat(64 * 1024) + CAPTCHA_PAGE),
      { kind: 'denied', code: 'HTTP_403', written: true },
    ],
    [
      '429 with a CAPTCHA mark is a plain throttle: the mark counts in a 403',
      answer(429, CAPTCHA_PAGE),
      { kind: 'throttled', code: 'HTTP_429', captcha: false, written: true },
    ],
    [
      '401 with a stamp is denied',
      answer(401, '', { headers: { 'retry-after': '7' } }),
      { kind: 'denied', code: 'HTTP_401', written: true },
    ],
    [
      '400 with a CAPTCHA mark is rejected',
      answer(400, CAPTCHA_PAGE),
      { kind: 'rejected', code: 'HTTP_400' },
    ],
  ])('%s', (_what, exchange, verdict) => {
    expect(send(exchange)).toEqual(verdict);
  });

  it('by mark does not exist where the profile names no marks', () => {
    const profile = { ...PROFILE, captcha: { marks: [], threshold: 3 } };
    expect(send(answer(403, CAPTCHA_PAGE), profile)).toEqual({
      kind: 'denied',
      code: 'HTTP_403',
      written: true,
    });
  });

  it.each([
    ['429', answer(429)],
    ['503 with Retry-After', answer(503, '', { headers: { 'retry-after': '7' } })],
    ['403 with a stamp', answer(403, '', { headers: { 'x-ratelimit-reset': '7' } })],
    ['403 with a CAPTCHA', answer(403, CAPTCHA_PAGE)],
  ])('%s proves that nothing was taken only where the profile says so', (_what, exchange) => {
    expect(send(exchange)).toMatchObject({ kind: 'throttled', written: true });
    expect(send(exchange, VOUCHED)).toMatchObject({ kind: 'throttled', written: false });
  });

  it('before the filing was posted proves it in any profile', () => {
    const stopped = failure('page', false) as Failure;
    expect(send({ ...stopped, answer: answer(429) })).toMatchObject({ written: false });
  });
});

describe('a refinement in the profile', () => {
  const refined = (...answers: AnswerRule[]): Profile => ({ ...PROFILE, answers });

  it.each<[AnswerRule['verdict'], Verdict]>([
    ['rejected', { kind: 'rejected', code: 'HTTP_500' }],
    ['denied', { kind: 'denied', code: 'HTTP_500', written: false }],
    ['transient', { kind: 'transient', code: 'HTTP_500' }],
    ['unknown', { kind: 'unknown', code: 'HTTP_500' }],
    ['throttled', { kind: 'throttled', code: 'HTTP_500', captcha: false, written: true }],
    ['drift', { kind: 'drift', code: 'HTTP_500', written: true }],
  ])('by status alone makes a 500 %s', (verdict, expected) => {
    expect(send(answer(500), refined({ status: 500, verdict }))).toEqual(expected);
  });

  it('by a word in the body decides only where the word is there', () => {
    const profile = refined({
      status: 200,
      at: '/error',
      equals: 'duplicate',
      verdict: 'rejected',
    });
    expect(send(answer(200, { error: 'duplicate' }), profile)).toEqual({
      kind: 'rejected',
      code: 'HTTP_200_DUPLICATE',
    });
    expect(send(answer(200, { error: 'other', ...RECEIPT }), profile).kind).toBe('accepted');
    expect(send(answer(200, { ...RECEIPT }), profile).kind).toBe('accepted');
    expect(send(answer(422, { error: 'duplicate' }), profile).kind).toBe('rejected');
  });

  it('by a word does not apply to a body that is cut or incomplete', () => {
    const profile = refined({ status: 422, at: '/error', equals: 'busy', verdict: 'transient' });
    expect(send(answer(422, { error: 'busy' }), profile).kind).toBe('transient');
    expect(send(answer(422, { error: 'busy' }, { bodyEnd: 'cut' }), profile).kind).toBe('unknown');
    expect(send(answer(422, { error: 'busy' }, { bodyEnd: 'beyond_limit' }), profile).kind).toBe(
      'rejected',
    );
    expect(send(answer(422, 'busy'), profile).kind).toBe('rejected');
  });

  it('follows the order of the profile: the first that matches', () => {
    const profile = refined(
      { status: 500, at: '/error', equals: 'full', verdict: 'throttled' },
      { status: 500, verdict: 'transient' },
    );
    expect(
      send(answer(500, { error: 'full' }, { headers: { 'retry-after': '7' } }), profile),
    ).toEqual({
      kind: 'throttled',
      code: 'HTTP_500_FULL',
      captcha: false,
      written: true,
      waitMs: 7000,
    });
    expect(send(answer(500, { error: 'x' }), profile).kind).toBe('transient');
  });

  it('cannot touch a failure: there is no answer to refine', () => {
    expect(send(failure('cut', true), refined({ status: 500, verdict: 'transient' })).kind).toBe(
      'unknown',
    );
  });
});

describe('the status endpoint', () => {
  const says = (state: unknown, more: object = {}): Answer =>
    answer(200, { key: KEY, state, ...more });
  const unclear = (code: string): StatusAnswer => ({ kind: 'unclear', code });

  it.each<[string, Exchange, StatusAnswer]>([
    [
      'accepted with a receipt',
      says('ACCEPTED', RECEIPT),
      { kind: 'accepted', receipt: { number: 'DE-123456' } },
    ],
    [
      'accepted by its other word',
      says('FILED', RECEIPT),
      { kind: 'accepted', receipt: { number: 'DE-123456' } },
    ],
    ['accepted without a receipt', says('ACCEPTED'), unclear('ACCEPTED_WITHOUT_RECEIPT')],
    [
      'accepted with a receipt of another shape',
      says('ACCEPTED', { receipt: { number: 'CA-1' } }),
      unclear('ACCEPTED_WITHOUT_RECEIPT'),
    ],
    [
      'accepted with 404',
      answer(404, { key: KEY, state: 'ACCEPTED', ...RECEIPT }),
      unclear('HTTP_404'),
    ],
    ['refused', says('REFUSED'), { kind: 'refused', code: 'PORTAL_REFUSED' }],
    ['refused with 404', answer(404, { key: KEY, state: 'REFUSED' }), unclear('HTTP_404')],
    ['processing', says('PROCESSING'), { kind: 'processing', submissionId: undefined }],
    [
      'processing with an id',
      says('QUEUED', { submission: 'S-1' }),
      { kind: 'processing', submissionId: 'S-1' },
    ],
    ['processing with 404', answer(404, { key: KEY, state: 'PROCESSING' }), unclear('HTTP_404')],
    ['not found in its own words', says('NOT_FOUND'), { kind: 'not_found' }],
    [
      'not found in its own words with 404',
      answer(404, { key: KEY, state: 'NOT_FOUND' }),
      { kind: 'not_found' },
    ],
    ['a bare 404', answer(404), unclear('HTTP_404_NOT_JSON')],
    [
      'a 404 page of a gateway',
      answer(404, '<html>Not Found</html>'),
      unclear('HTTP_404_NOT_JSON'),
    ],
    [
      'a 404 with other JSON',
      answer(404, { key: KEY, error: 'no route' }),
      unclear('STATE_MISSING'),
    ],
    ['another key', says('ACCEPTED', { key: 'fw1-other', ...RECEIPT }), unclear('OTHER_KEY')],
    ['not found about another key', says('NOT_FOUND', { key: 'fw1-other' }), unclear('OTHER_KEY')],
    [
      'no key where the profile says it is',
      answer(200, { state: 'NOT_FOUND' }),
      unclear('OTHER_KEY'),
    ],
    ['a word nobody declared', says('UNKNOWN'), unclear('STATE_UNKNOWN')],
    ['a declared word in other letters', says('accepted', RECEIPT), unclear('STATE_UNKNOWN')],
    ['a word for its lag', says('SYNCHRONISING'), unclear('STATE_UNKNOWN')],
    ['no state', answer(200, { key: KEY }), unclear('STATE_MISSING')],
    ['a state that is no text', says(null), unclear('STATE_MISSING')],
    ['a login page with 200', answer(200, LOGIN_PAGE), unclear('HTTP_200_NOT_JSON')],
    ['nothing with 200', answer(200), unclear('HTTP_200_NOT_JSON')],
    [
      'accepted in a body that was cut',
      { ...says('ACCEPTED', RECEIPT), bodyEnd: 'cut' },
      unclear('BODY_TRUNCATED'),
    ],
    [
      'not found in a body that was cut',
      { ...says('NOT_FOUND'), bodyEnd: 'cut' },
      unclear('BODY_TRUNCATED'),
    ],
    [
      'accepted in a body beyond the limit',
      { ...says('ACCEPTED', RECEIPT), bodyEnd: 'beyond_limit' },
      unclear('BODY_TRUNCATED'),
    ],
    [
      '429 with a stamp',
      answer(429, '', { headers: { 'retry-after': '7' } }),
      { kind: 'throttled', code: 'HTTP_429', captcha: false, waitMs: 7000 },
    ],
    [
      '503 with a stamp',
      answer(503, '', { headers: { 'retry-after': '7' } }),
      { kind: 'throttled', code: 'HTTP_503', captcha: false, waitMs: 7000 },
    ],
    ['a CAPTCHA', answer(403, CAPTCHA_PAGE), { kind: 'throttled', code: 'CAPTCHA', captcha: true }],
    ['503 without a stamp', answer(503), unclear('HTTP_503')],
    ...[201, 202, 204, 302, 304, 400, 401, 403, 409, 410, 500, 502, 504, 511].map(
      (status): [string, Exchange, StatusAnswer] => [
        `${status}, even with the word for not found`,
        answer(status, { key: KEY, state: 'NOT_FOUND' }),
        unclear(`HTTP_${status}`),
      ],
    ),
    ['a failure before the write', failure('dns', false), unclear('DNS')],
    ['a failure after the write', failure('cut', true), unclear('CUT')],
  ])('%s', (_what, exchange, expected) => {
    expect(ask(exchange)).toEqual(expected);
  });

  it('need not name the key where the profile does not say where it is', () => {
    const { keyAt: _keyAt, ...rule } = STATUS;
    expect(ask(answer(200, { state: 'NOT_FOUND' }), { ...PROFILE, status: rule })).toEqual({
      kind: 'not_found',
    });
  });

  it('tells nothing where the profile has none', () => {
    const { status: _status, ...profile } = PROFILE;
    expect(ask(says('ACCEPTED', RECEIPT), profile)).toEqual(unclear('NO_STATUS_RULE'));
  });

  it('ignores refinements: they speak about what is sent', () => {
    const profile = { ...PROFILE, answers: [{ status: 200, verdict: 'rejected' as const }] };
    expect(ask(says('ACCEPTED', RECEIPT), profile).kind).toBe('accepted');
  });
});

describe('a probe', () => {
  it.each<[string, Exchange, boolean]>([
    ['200', answer(200), true],
    ['204', answer(204), true],
    ['200 cut in the middle', answer(200, 'o', { bodyEnd: 'cut' }), false],
    ['302', answer(302), false],
    ['404', answer(404), false],
    ['503', answer(503), false],
    ['no connection', failure('connect', false), false],
    ['a connection that was cut', failure('cut', true), false],
  ])('with %s', (_what, exchange, good) => {
    expect(isHealthy(exchange)).toBe(good);
  });
});
