import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FilewrightError } from '../../core/errors.ts';
import type { Profile } from '../../core/profile.ts';
import { profileJsonSchema } from './profile-schema.ts';
import { readProfile } from './read-profile.ts';

const root = new URL('../../../', import.meta.url);

const smallest = {
  format: 1,
  code: 'US-XX',
  jurisdiction: 'US-XX',
  title: 'A portal',
  driver: 'json-api',
  baseUrl: 'https://portal.invalid/us-xx',
  ceiling: 4,
  submit: { method: 'POST', path: '/submit' },
  receipt: { statuses: [200], numberAt: '/receipt', pattern: '^[A-Z0-9-]+$' },
  received: { submissionIdAt: '/id', pollMs: 1000, boundMs: 60_000 },
};

const status = {
  path: '/status/{key}',
  visibilityLagMs: 1000,
  stateAt: '/state',
  accepted: ['ACCEPTED'],
  refused: ['REFUSED'],
  processing: [],
  notFound: ['UNKNOWN'],
};

function read(changes: object): Profile {
  return readProfile(JSON.stringify({ ...smallest, ...changes }), 'test.json');
}

function refusalOf(text: string): FilewrightError {
  try {
    readProfile(text, 'test.json');
  } catch (error) {
    if (error instanceof FilewrightError) return error;
    throw error;
  }
  throw new Error('the profile was taken');
}

const refusal = (changes: object): string =>
  refusalOf(JSON.stringify({ ...smallest, ...changes })).message;

describe('readProfile', () => {
  it('fills in every default of a profile that states only what must be stated', () => {
    expect(read({})).toEqual({
      ...smallest,
      automation: 'unknown',
      effect: 'filing',
      allowPrivateAddresses: false,
      timeoutMs: 45_000,
      tlsHandshakeMsMax: 3_000,
      longestServiceMs: 45_000,
      expectedServiceMs: 2_000,
      personMs: 7_200_000,
      health: { method: 'HEAD', path: '/health' },
      idempotency: { header: 'X-Idempotency-Key', honouredMs: 0 },
      answers: [],
      captcha: { marks: ['captcha'], threshold: 3 },
      throttle: { pauseMsMax: 3_600_000 },
      redirects: [],
      retry: { inARowMax: 3, totalMsMax: 900_000, delayMsMin: 500, delayMsMax: 30_000 },
      breaker: { failures: 3, coolDownMs: 30_000, probeSpacingMs: 15_000 },
      slowStartStepMs: 2_000,
      credentials: [],
      quirks: [],
    });
  });

  it('fills in half-stated groups field by field, and longestServiceMs from timeoutMs', () => {
    const profile = read({
      timeoutMs: 9_000,
      retry: { inARowMax: 1 },
      idempotency: { header: 'K' },
    });
    expect(profile.retry).toEqual({
      inARowMax: 1,
      totalMsMax: 900_000,
      delayMsMin: 500,
      delayMsMax: 30_000,
    });
    expect(profile.idempotency).toEqual({ header: 'K', honouredMs: 0 });
    expect(profile.longestServiceMs).toBe(9_000);
  });

  it('keeps what is stated', () => {
    const hours = {
      zone: 'America/New_York',
      weekly: [{ days: ['mon'], from: '06:00', to: '24:00' }],
    };
    const profile = read({ status, hours, credentials: [{ header: 'X-Key', value: 'env:KEY' }] });
    expect(profile.status).toEqual(status);
    expect(profile.hours).toEqual({ ...hours, closedOn: [] });
    expect(profile.credentials).toEqual([{ header: 'X-Key', value: 'env:KEY' }]);
  });

  it('reports every mistake at once, each with pointer, expected and found', () => {
    const error = refusalOf(
      JSON.stringify({
        ...smallest,
        format: 2,
        ceiling: 0,
        cieling: 5,
        title: undefined,
        timeoutMs: '45',
        baseUrl: 'ftp://portal.invalid',
        submit: { method: 'GET', path: 'submit' },
        receipt: { statuses: [404], numberAt: 'receipt', pattern: '(' },
        retry: { delayMsMin: 10, delayMsMax: 5 },
        hours: {
          zone: 'Mars/Olympus',
          weekly: [{ days: ['mon', 'mo'], from: '9:00', to: '25:00' }],
        },
        status: { ...status, path: '/status', refused: ['ACCEPTED'] },
      }),
    );
    expect(error.code).toBe('PROFILE_INVALID');
    const pointers = error.message
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(':')[0] ?? '')
      .sort();
    expect(pointers).toEqual([
      '/baseUrl',
      '/ceiling',
      '/cieling',
      '/format',
      '/hours/weekly/0/days/1',
      '/hours/weekly/0/from',
      '/hours/weekly/0/to',
      '/hours/zone',
      '/receipt/numberAt',
      '/receipt/pattern',
      '/receipt/statuses/0',
      '/retry/delayMsMin',
      '/status/path',
      '/status/refused/0',
      '/submit/method',
      '/submit/path',
      '/timeoutMs',
      '/title',
    ]);
    expect(error.message).toContain('/ceiling: expected an integer from 1 to 1000, found 0');
    expect(error.message).toContain('/submit/method: expected one of POST, PUT, found "GET"');
    expect(error.message).toContain('/title: expected a title, found nothing');
  });

  const cases: readonly (readonly [string, object, string])[] = [
    ['an unknown field', { ceilling: 3 }, '/ceilling'],
    ['an unknown field in a group', { retry: { inArowMax: 3 } }, '/retry/inArowMax'],
    ['a ceiling above 1000', { ceiling: 1001 }, '/ceiling'],
    ['half a request', { ceiling: 1.5 }, '/ceiling'],
    ['a URL with credentials', { baseUrl: 'https://me:pw@portal.invalid' }, '/baseUrl'],
    ['a URL with a query', { baseUrl: 'https://portal.invalid/?a=1' }, '/baseUrl'],
    ['a URL of another scheme', { baseUrl: 'file:///etc/passwd' }, '/baseUrl'],
    ['plain http to the internet', { baseUrl: 'http://portal.invalid' }, '/baseUrl'],
    ['a header that is no token', { idempotency: { header: 'X Key' } }, '/idempotency/header'],
    [
      'a conditional header as key',
      { idempotency: { header: 'If-None-Match' } },
      '/idempotency/header',
    ],
    [
      'a key header with a line break',
      { idempotency: { header: 'X\r\nY' } },
      '/idempotency/header',
    ],
    [
      'keys honoured by a notice',
      { effect: 'notice', idempotency: { honouredMs: 86_400_000 } },
      '/idempotency/honouredMs',
    ],
    [
      'keys honoured for less than a timeout',
      { idempotency: { honouredMs: 45_000 } },
      '/idempotency/honouredMs',
    ],
    [
      'a Host header among credentials',
      { credentials: [{ header: 'Host', value: 'env:A' }] },
      '/credentials/0/header',
    ],
    [
      'a credential under the key header',
      { credentials: [{ header: 'x-idempotency-key', value: 'env:A' }] },
      '/credentials/0/header',
    ],
    [
      'a relative credential file',
      { credentials: [{ header: 'A', value: 'file:secret' }] },
      '/credentials/0/value',
    ],
    [
      'an empty command',
      { credentials: [{ header: 'A', value: 'command: ' }] },
      '/credentials/0/value',
    ],
    ['a zero timeout', { timeoutMs: 0 }, '/timeoutMs'],
    ['a timeout that a timer cannot hold', { timeoutMs: 2 ** 31 }, '/timeoutMs'],
    [
      'a fixed offset as zone',
      { hours: { zone: '+05:00', weekly: [{ days: ['mon'], from: '08:00', to: '09:00' }] } },
      '/hours/zone',
    ],
    [
      'hours that end before they begin',
      { hours: { zone: 'UTC', weekly: [{ days: ['mon'], from: '22:00', to: '06:00' }] } },
      '/hours/weekly/0/to',
    ],
    [
      'a day that does not exist',
      {
        hours: {
          zone: 'UTC',
          weekly: [{ days: ['mon'], from: '08:00', to: '09:00' }],
          closedOn: ['2026-02-30'],
        },
      },
      '/hours/closedOn/0',
    ],
    [
      'a first month without the hours that say when it begins',
      { limits: { notBeforePeriod: { periodAt: '/period' } } },
      '/hours',
    ],
    ['an empty week', { hours: { zone: 'UTC', weekly: [] } }, '/hours/weekly'],
    [
      'a status path without a placeholder',
      { status: { ...status, path: '/status' } },
      '/status/path',
    ],
    [
      'half an answer rule',
      { answers: [{ status: 400, at: '/code', verdict: 'denied' }] },
      '/answers/0',
    ],
    [
      'a rule that hides every receipt',
      {
        answers: [{ status: 201, verdict: 'transient' }],
        receipt: { ...smallest.receipt, statuses: [200, 201] },
      },
      '/answers/0',
    ],
    ['a rule for every 202', { answers: [{ status: 202, verdict: 'rejected' }] }, '/answers/0'],
    ['a NUL character', { title: 'Dela\0ware' }, '/title'],
    ['a NUL character in a list', { captcha: { marks: ['a', '\0'] } }, '/captcha/marks/1'],
    [
      'a NUL character in the synthetic filing',
      { synthetic: { payload: { fields: { note: 'a\0' } } } },
      '/synthetic/payload/fields/note',
    ],
    [
      'a NUL character in a name of the synthetic filing',
      { synthetic: { payload: { 'a\0': 1 } } },
      '/synthetic/payload/a\ufffd',
    ],
    ['a redirect to another host', { redirects: ['//evil.invalid/x'] }, '/redirects/0'],
    [
      'a regular expression that only works without the u flag',
      { receipt: { ...smallest.receipt, pattern: '\\-' } },
      '/receipt/pattern',
    ],
  ];
  it.each(cases)('refuses %s', (_name, changes, pointer) => {
    expect(refusal(changes)).toContain(`\n  ${pointer}: expected `);
  });

  it('takes a rule for one of several answers with the status of a receipt', () => {
    const answers = [{ status: 200, at: '/code', equals: 'BUSY', verdict: 'transient' }];
    expect(read({ answers }).answers).toEqual(answers);
  });

  it('takes http only together with private addresses', () => {
    const baseUrl = 'http://127.0.0.1:9/x';
    expect(read({ baseUrl, allowPrivateAddresses: true }).baseUrl).toBe(baseUrl);
  });

  it('never prints a secret that was written where its reference belongs', () => {
    const message = refusal({ credentials: [{ header: 'A', value: 'hunter2hunter2' }] });
    expect(message).toContain('/credentials/0/value');
    expect(message).not.toContain('hunter2');
  });

  it('refuses a document that is no object, no JSON, or names a field twice', () => {
    expect(refusalOf('[]').message).toContain('(whole document): expected an object');
    expect(refusalOf('{').code).toBe('PROFILE_INVALID');
    expect(refusalOf('{"ceiling":1,"ceiling":100}').message).toContain('duplicate key');
  });
});

describe('the published profile format', () => {
  it('docs/reference/profile.schema.json is what the schema in the code says', () => {
    // To write it anew: build, then
    // node -e "import('../portals/dist/src/lanes/index.js').then((p) => console.log(JSON.stringify(p.profileJsonSchema())))"
    // and format the file.
    const file = new URL('docs/reference/profile.schema.json', root);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(profileJsonSchema());
  });

  const shipped = readdirSync(new URL('profiles/', root)).filter((name) => name.endsWith('.json'));

  it.each(shipped)(
    'profiles/%s is valid, names no real host and claims no more than is known',
    (name) => {
      const profile = readProfile(readFileSync(new URL(`profiles/${name}`, root)), name);
      expect(new URL(profile.baseUrl).hostname.endsWith('.invalid')).toBe(true);
      expect(profile.automation).toBe('unknown');
      expect(profile.allowPrivateAddresses).toBe(false);
      expect(profile.idempotency.honouredMs).toBe(0);
      expect(profile.status).toBeDefined();
      expect(profile.quirks.length).toBeGreaterThan(0);
    },
  );

  it('Delaware is serial', () => {
    expect(shipped).toEqual(expect.arrayContaining(['us-ca.json', 'us-de.json', 'us-ny.json']));
    const text = readFileSync(new URL('profiles/us-de.json', root));
    expect(readProfile(text, 'us-de.json').ceiling).toBe(1);
  });
});
