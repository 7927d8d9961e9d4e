import { describe, expect, it } from 'vitest';
import { type Instant, instant } from '../../core/time.ts';
import type { Profile } from '../../core/profile.ts';
import { FAULT_KINDS, type FaultKind, FAULTS } from './faults.ts';
import type { Plan } from './plan.ts';
import { PortalModel } from './portal-model.ts';
import { sampleProfile } from './sample-profile.ts';

const START = Date.parse('2026-03-02T15:00:00Z');
const SOON = String(Math.ceil((START + 2_000) / 1_000));

interface Expected {
  /** How many acceptances the truth shows after one request. */
  readonly accepted: 0 | 1;
  readonly answer: number | 'cut' | 'silence';
  readonly headers?: Readonly<Record<string, string>>;
  /** A part of the body, read as latin1 so that every byte is a character. */
  readonly body?: string | RegExp;
  readonly delivery?: 'drip' | 'truncated' | 'twice';
}

const taken = (answer: Expected['answer'], more: Partial<Expected> = {}): Expected => ({
  accepted: 1,
  answer,
  ...more,
});
const left = (answer: Expected['answer'], more: Partial<Expected> = {}): Expected => ({
  accepted: 0,
  answer,
  ...more,
});
const retryAfter = (value: string): Partial<Expected> => ({ headers: { 'retry-after': value } });
const reset = (value: string): Partial<Expected> => ({ headers: { 'x-ratelimit-reset': value } });

// Written out by hand, not derived from FAULTS: the table says what each kind means.
const EXPECTED: Readonly<Record<FaultKind, Expected>> = {
  accept_then_cut: taken('cut'),
  accept_then_cut_after_headers: taken(200, { delivery: 'truncated' }),
  accept_then_500: taken(500, { body: 'Error 500' }),
  accept_then_504: taken(504),
  accept_then_silence: taken('silence'),
  slow: taken(200, { body: 'DE-00000001' }),
  slow_drip: taken(200, { delivery: 'drip' }),
  truncated_json: taken(200, { body: /^\{"receipt":[^}]*$/ }),
  truncated_body: taken(200, { delivery: 'truncated' }),
  wrong_charset_utf8: taken(200, { body: '"d\u00C3p' }),
  wrong_charset_latin1: taken(200, { body: '"d\u00E9p' }),
  login_page_200_accepted: taken(200, { body: 'Sign in' }),
  receipt_missing: taken(200, { body: /^(?!.*receipt)/ }),
  receipt_malformed: taken(200, { body: '"number":"#pending#"' }),
  redirect_after_accept: taken(302, { headers: { location: '/elsewhere' } }),
  conflict_true: taken(409),
  duplicate_answer: taken(200, { delivery: 'twice' }),
  duplicate_answer_late: taken(200, { delivery: 'twice' }),
  // Nothing was taken before it, so the answer is its own.
  receipt_reissued: taken(200, { body: 'DE-00000001' }),
  receipt_of_another: taken(200, { body: 'DE-00000001' }),
  answer_of_another: taken(200, { body: 'DE-00000001' }),
  accept_then_429: taken(429, retryAfter('2')),
  accept_then_503_retry_after: taken(503, retryAfter('2')),
  accept_then_403_reset: taken(403, reset(SOON)),
  accept_then_403_captcha: taken(403, { body: 'g-recaptcha' }),
  accept_then_401: taken(401),
  accept_then_403: taken(403),
  accept_then_405: taken(405),
  accept_then_418: taken(418),
  accept_then_423: taken(423),
  accept_then_425: taken(425),
  accept_then_511: taken(511),
  received_202_then_accepted: taken(202, { body: '"id":"S1"' }),
  received_202_then_refused: left(202, { body: '"id":"S1"' }),
  received_202_stuck: left(202, { body: '"id":"S1"' }),
  cut_before_accept: left('cut'),
  silence: left('silence'),
  error_500_before_accept: left(500),
  error_502: left(502),
  error_503: left(503),
  error_504: left(504),
  busy_503_retry_after: left(503, retryAfter('2')),
  conflict_false: left(409),
  login_page_200: left(200, { body: 'Sign in' }),
  redirect_undeclared: left(302, { headers: { location: '/elsewhere' } }),
  throttle_429_bare: left(429),
  throttle_429_seconds: left(429, retryAfter('2')),
  throttle_429_date: left(429, retryAfter('Mon, 02 Mar 2026 15:00:02 GMT')),
  throttle_429_reset_epoch_s: left(429, reset(SOON)),
  throttle_429_reset_epoch_ms: left(429, reset(String(START + 2_000))),
  throttle_429_reset_rfc3339: left(429, reset('2026-03-02T15:00:02.000Z')),
  throttle_429_reset_delta: left(429, reset('2')),
  throttle_429_absurd_negative: left(429, retryAfter('-30')),
  throttle_429_absurd_year_9999: left(429, retryAfter('Fri, 31 Dec 9999 23:59:59 GMT')),
  throttle_429_absurd_garbage: left(429, retryAfter('a while')),
  throttle_429_absurd_empty: left(429, retryAfter('')),
  throttle_403_reset: left(403, reset(SOON)),
  throttle_403_captcha: left(403, { body: 'g-recaptcha' }),
  rejected_400: left(400, { body: '"code":"MALFORMED"' }),
  rejected_422: left(422, { body: '"code":"FIELD_INVALID"' }),
  denied_401: left(401, { headers: { 'www-authenticate': 'Bearer' } }),
  denied_403: left(403),
  not_found_404: left(404),
  http_304: left(304, { body: /^$/ }),
  http_402: left(402),
  http_405: left(405),
  http_407: left(407),
  http_408: left(408),
  http_410: left(410),
  http_413: left(413),
  http_414: left(414),
  http_415: left(415),
  http_418: left(418),
  http_423: left(423),
  http_425: left(425),
  http_426: left(426),
  http_431: left(431),
  http_451: left(451),
  http_501: left(501),
  http_505: left(505),
  http_511: left(511),
  // The key of these was accepted before, and is visible; the answers below are about that.
  status_500: taken(500),
  status_cut: taken('cut'),
  status_silence: taken('silence'),
  status_throttled_429: taken(429, retryAfter('2')),
  status_truncated_json: taken(200, { body: /[^}]$/ }),
  status_login_page_200: taken(200, { body: 'Sign in' }),
  status_404_page: taken(404, { body: 'Error 404' }),
  status_no_receipt: taken(200, { body: /^(?=.*"FILED")(?!.*receipt)/ }),
  status_other_key: taken(200, { body: '"key":"k1-other"' }),
  status_other_entity: taken(200, { body: '"entity":"9"' }),
  status_receipt_of_another: taken(200, { body: 'DE-00000002' }),
  status_unknown_word: taken(200, { body: 'in limbo' }),
  status_hidden: taken(404, { body: 'UNKNOWN_KEY' }),
  status_says_refused: taken(200, { body: 'REFUSED' }),
  status_invents_receipt: taken(200, { body: 'DE-00000002' }),
  health_500: left(500),
  health_cut: left('cut'),
  health_silence: left('silence'),
};

function at(ms: number): Instant {
  return instant(START + ms);
}

/** A portal whose status answers name the filing. */
function naming(): Profile {
  const { status, ...rest } = sampleProfile();
  const echoes = [{ at: '/filing/entity', of: '/entity' }];
  return status === undefined ? rest : { ...rest, status: { ...status, echoes } };
}

function play(fault: FaultKind): { readonly model: PortalModel; readonly plan: Plan } {
  const { on } = FAULTS[fault];
  const schedule = [{ fault, request: on === 'status' ? 2 : 1 }];
  const model = new PortalModel({ profile: naming(), behaviour: { schedule } });
  const headers = { 'x-idempotency-key': 'k1' };
  const submit = { method: 'POST', path: '/submit', headers, body: Buffer.from('p') };
  const read = (path: string) => ({ method: 'GET', path, headers: {}, body: Buffer.alloc(0) });
  switch (on) {
    case 'submit':
      return { model, plan: model.arrive(submit, at(0)) };
    case 'status':
      model.arrive(submit, at(0));
      return { model, plan: model.arrive(read('/status?key=k1&submission='), at(10_000)) };
    case 'health':
      return { model, plan: model.arrive(read('/health'), at(0)) };
  }
}

describe('each fault, by truth and by answer', () => {
  it.each(Object.entries(EXPECTED))('%s', (name, expected) => {
    const fault = FAULT_KINDS.find((kind) => kind === name);
    if (fault === undefined) throw new Error(`${name} is no fault`);
    const { model, plan } = play(fault);
    const { answer } = plan;
    expect(plan.fault).toBe(fault);
    expect(model.truth.summary().accepted).toBe(expected.accepted);
    expect(model.truth.summary().faults).toEqual({ [fault]: 1 });
    expect(answer.kind === 'respond' ? answer.status : answer.kind).toBe(expected.answer);
    if (answer.kind !== 'respond') return;
    expect(answer.headers).toMatchObject(expected.headers ?? {});
    expect(Buffer.from(answer.body).toString('latin1')).toMatch(expected.body ?? '');
    expect(answer.delivery.kind).toBe(expected.delivery ?? 'whole');
  });

  it('a submission that is not accepted by a fault can be accepted afterwards', () => {
    for (const kind of FAULT_KINDS.filter((name) => FAULTS[name].on === 'submit')) {
      if (EXPECTED[kind].accepted === 1 || kind.startsWith('received_202')) continue;
      const { model } = play(kind);
      const headers = { 'x-idempotency-key': 'k1' };
      const body = Buffer.from('p');
      model.arrive({ method: 'POST', path: '/submit', headers, body }, at(60_000));
      expect([kind, model.truth.summary().accepted]).toEqual([kind, 1]);
    }
  });

  it('an accepting fault met by a repeat accepts nothing more', () => {
    for (const kind of FAULT_KINDS.filter((name) => FAULTS[name].on === 'submit')) {
      const schedule = [{ fault: kind, key: 'k1', nth: 2 }];
      const model = new PortalModel({ profile: sampleProfile(), behaviour: { schedule } });
      const headers = { 'x-idempotency-key': 'k1' };
      const request = { method: 'POST', path: '/submit', headers, body: Buffer.from('p') };
      for (const ms of [0, 10_000, 20_000]) model.arrive(request, at(ms));
      expect([kind, model.truth.summary().accepted]).toEqual([kind, 1]);
    }
  });

  it('a filing that was taken is not refused when it is repeated', () => {
    const schedule = [{ fault: 'rejected_422', key: 'k1', nth: 2 }] as const;
    const model = new PortalModel({ profile: sampleProfile(), behaviour: { schedule } });
    const headers = { 'x-idempotency-key': 'k1' };
    const request = { method: 'POST', path: '/submit', headers, body: Buffer.from('p') };
    model.arrive(request, at(0));
    expect(model.arrive(request, at(50))).toMatchObject({
      fault: undefined,
      answer: { status: 200 },
    });
  });

  it('a rejection is visible at the status endpoint', () => {
    const { model } = play('rejected_422');
    const path = '/status?key=k1&submission=';
    const plan = model.arrive(
      { method: 'GET', path, headers: {}, body: Buffer.alloc(0) },
      at(10_000),
    );
    expect(plan.answer.kind === 'respond' && Buffer.from(plan.answer.body).toString()).toContain(
      'REFUSED',
    );
  });
});
