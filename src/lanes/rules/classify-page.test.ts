import { describe, expect, it } from 'vitest';
import { classifySend, classifyStatus } from './classify.ts';
import { ownOf } from './echoes.ts';
import type { Answer, Failure, FailureCode, PageReading } from '../../core/exchange.ts';
import { idempotencyKey } from '../../core/ids.ts';
import type { Profile } from '../../core/profile.ts';
import { instant } from '../../core/time.ts';
import { sampleProfile } from '../../testing/simulator/sample-profile.ts';

const NOW = instant(1_800_000_000_000);
const OWN = ownOf({ key: idempotencyKey('k') }, undefined);

const profile: Profile = sampleProfile({
  driver: 'html-form',
  receipt: { statuses: [200], numberAt: '#receipt', pattern: 'NY-\\d{4}' },
  received: { submissionIdAt: '#submission', pollMs: 1, boundMs: 1 },
  form: {
    path: '/form',
    selector: '#form',
    fields: [{ name: 'a', at: '/a' }],
    confirmation: '#ok',
    refusal: { mark: '#errors', codeAt: '#code' },
  },
  status: {
    path: '/status/{key}',
    visibilityLagMs: 0,
    stateAt: '#state',
    accepted: ['Filed'],
    refused: ['Rejected'],
    processing: ['Open'],
    notFound: ['None'],
    keyAt: '#key',
  },
  answers: [{ status: 403, at: '#csrf', equals: 'expired', verdict: 'transient' }],
});

function answer(status: number, page: PageReading | undefined, headers = {}): Answer {
  const base = {
    kind: 'answer',
    status,
    headers,
    bodyEnd: 'whole',
    bodySha256: '',
    elapsedMs: 1,
  } as const;
  const body = Buffer.from('<html><body>captcha? no: g-recaptcha</body></html>');
  return { ...base, body, ...(page === undefined ? {} : { page }) };
}

const page = (kind: PageReading['kind'], texts: Readonly<Record<string, string>> = {}) => ({
  kind,
  texts,
});

describe('what a page after the post means', () => {
  const rows: readonly (readonly [string, Answer, object])[] = [
    [
      'a confirmation with its receipt',
      answer(200, page('confirmation', { '#receipt': 'NY-0001' })),
      { kind: 'accepted', receipt: { number: 'NY-0001' } },
    ],
    [
      'a receipt of another shape',
      answer(200, page('confirmation', { '#receipt': 'NY-1' })),
      { kind: 'unknown', code: 'RECEIPT_MALFORMED' },
    ],
    [
      'a receipt with more around it',
      answer(200, page('confirmation', { '#receipt': 'Error NY-0001' })),
      { kind: 'unknown', code: 'RECEIPT_MALFORMED' },
    ],
    [
      'a confirmation without a receipt',
      answer(200, page('confirmation')),
      { kind: 'drift', code: 'RECEIPT_FIELD_MISSING', written: true },
    ],
    [
      'a receipt on a login page',
      answer(200, page('login', { '#receipt': 'NY-0001' })),
      { kind: 'unknown', code: 'LOGIN_PAGE' },
    ],
    [
      'a receipt on some other page',
      answer(200, page('other', { '#receipt': 'NY-0001' })),
      { kind: 'unknown', code: 'PAGE_UNKNOWN' },
    ],
    [
      'a receipt on the form',
      answer(200, page('form', { '#receipt': 'NY-0001' })),
      { kind: 'unknown', code: 'FORM_PAGE' },
    ],
    [
      'a receipt with a status that is none of the rule',
      answer(201, page('confirmation', { '#receipt': 'NY-0001' })),
      { kind: 'unknown', code: 'HTTP_201_WITHOUT_RECEIPT' },
    ],
    [
      'a refusal with its code',
      answer(200, page('refusal', { '#code': 'too_long' })),
      { kind: 'rejected', code: 'PORTAL_TOO_LONG' },
    ],
    ['no page at all', answer(200, undefined), { kind: 'unknown', code: 'ANSWER_NOT_A_PAGE' }],
    [
      'taken to be looked at',
      answer(202, page('confirmation', { '#submission': 'S7' })),
      { kind: 'received', submissionId: 'S7' },
    ],
    ['an undeclared redirect', answer(302, undefined), { kind: 'unknown', code: 'HTTP_302' }],
    [
      'a refinement by selector',
      answer(403, page('other', { '#csrf': 'expired' })),
      { kind: 'transient', code: 'HTTP_403_EXPIRED' },
    ],
    [
      '403 with another text there',
      answer(403, page('other', { '#csrf': 'odd' })),
      { kind: 'throttled', code: 'CAPTCHA', captcha: true, written: true },
    ],
  ];
  it.each(rows)('%s', (_name, exchange, verdict) => {
    expect(classifySend(exchange, profile, OWN, NOW)).toEqual(verdict);
  });
});

describe('what a page before the post means', () => {
  const failure = (code: FailureCode, changes: Partial<Failure> = {}): Failure => ({
    kind: 'failure',
    written: false,
    code,
    message: '',
    elapsedMs: 0,
    ...changes,
  });
  const lane = [
    'login_refused',
    'form_changed',
    'redirect',
    'session_collision',
    'credential',
    'address_refused',
  ] as const;
  it.each(lane)('%s stops the lane and leaves the filing as it was', (code) => {
    const verdict = { kind: 'drift', code: code.toUpperCase(), written: false };
    expect(classifySend(failure(code), profile, OWN, NOW)).toEqual(verdict);
  });

  it('the end of a session is a session, a page of errors is transient, a payload goes to a person', () => {
    expect(classifySend(failure('session'), profile, OWN, NOW)).toEqual({
      kind: 'session',
      code: 'SESSION',
      written: false,
    });
    expect(classifySend(failure('page'), profile, OWN, NOW)).toEqual({
      kind: 'transient',
      code: 'PAGE',
    });
    expect(classifySend(failure('payload'), profile, OWN, NOW)).toEqual({
      kind: 'denied',
      code: 'PAYLOAD',
      written: false,
    });
  });

  it('a throttle on the way is a throttle, whatever the failure is called', () => {
    const page429 = answer(429, undefined, { 'retry-after': '30' });
    for (const code of ['page', 'form_changed'] as const) {
      const exchange = failure(code, { answer: page429 });
      expect(classifySend(exchange, profile, OWN, NOW)).toMatchObject({
        kind: 'throttled',
        waitMs: 30_000,
      });
      expect(classifyStatus(exchange, profile, OWN, NOW)).toMatchObject({
        kind: 'throttled',
      });
    }
  });

  it('a failure after the post stays unknown, whatever page came before', () => {
    const exchange = failure('cut', { written: true, answer: answer(429, undefined) });
    expect(classifySend(exchange, profile, OWN, NOW)).toEqual({ kind: 'unknown', code: 'CUT' });
  });
});

describe('what a status page says', () => {
  const rows: readonly (readonly [Answer, object])[] = [
    [
      answer(200, page('other', { '#key': 'k', '#state': 'Filed', '#receipt': 'NY-0001' })),
      { kind: 'accepted', receipt: { number: 'NY-0001' } },
    ],
    [
      answer(200, page('other', { '#key': 'k', '#state': 'Filed' })),
      { kind: 'unclear', code: 'ACCEPTED_WITHOUT_RECEIPT' },
    ],
    [
      answer(200, page('other', { '#key': 'x', '#state': 'None' })),
      { kind: 'unclear', code: 'OTHER_KEY' },
    ],
    [answer(404, page('other', { '#key': 'k', '#state': 'None' })), { kind: 'not_found' }],
    [answer(404, page('other')), { kind: 'unclear', code: 'OTHER_KEY' }],
    [
      answer(200, page('login', { '#key': 'k', '#state': 'None' })),
      { kind: 'unclear', code: 'LOGIN_PAGE' },
    ],
    [answer(200, undefined), { kind: 'unclear', code: 'HTTP_200_NOT_A_PAGE' }],
  ];
  it.each(rows)('%#', (exchange, expected) => {
    expect(classifyStatus(exchange, profile, OWN, NOW)).toEqual(expected);
  });
});
