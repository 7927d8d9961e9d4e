/** The API over real HTTP: signing in, acting once, answering with problems, and keeping secrets out of its logs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeLink } from '../../src/people/acts/sign-ins.ts';
import { makeToken } from '../../src/people/acts/tokens.ts';
import { verifyLedger } from '../../src/oversight/acts/audit.ts';
import { ROOT } from '../fixtures/built-tree.ts';
import { OPERATOR } from '../operator.ts';
import { House, serve } from './house.ts';

const CSV = 'text/csv';
let house: House;
let ann: string;
let ben: string;

beforeAll(async () => {
  house = await House.make();
  ann = await house.signedIn(house.ann);
  ben = await house.signedIn(house.ben);
});
afterAll(() => house.close());

describe('who asks', () => {
  it('is nobody without a session or a token, and the answer is a problem', async () => {
    const answer = await house.client.get('/filings');
    expect(answer.status).toBe(401);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    expect(answer.body).toMatchObject({
      code: 'NO_CREDENTIAL',
      type: '/api/v1/errors/NO_CREDENTIAL',
    });
    expect(answer.body['instance']).toBe(`urn:uuid:${answer.headers.get('x-request-id')}`);
    const page = await house.client.get('/errors/NO_CREDENTIAL');
    expect(page.body['remedy']).toBe(answer.body['remedy']);
  });

  it('is a person with a key or a link, until they sign out', async () => {
    const { link } = await makeLink(house.app, house.ann);
    const cookie = await house.client.signIn({ link });
    expect((await house.client.get('/me', { cookie })).body).toMatchObject({ name: 'Ann' });
    expect((await house.client.post('/sign-in', { link })).status).toBe(401);
    expect((await house.client.post('/sign-out', undefined, { cookie })).status).toBe(200);
    expect((await house.client.get('/me', { cookie })).status).toBe(401);
  });

  it('is a program with a token, in the acts of the token alone', async () => {
    const { token } = await makeToken(house.app, house.ann, { name: 'crm', acts: ['filing.list'] });
    expect((await house.client.get('/filings', { token })).status).toBe(200);
    const other = await house.client.get('/people', { token });
    expect([other.status, other.body['code']]).toEqual([403, 'NOT_PERMITTED']);
    expect((await house.client.get('/me', { token })).body['acts']).toEqual(['filing.list']);
  });

  it('is never a page of another website, nor a name that only leads here', async () => {
    const post = (headers: Record<string, string>, cookie = ann) =>
      house.client.post('/links', {}, { cookie, headers });
    const own = house.client.url;
    expect((await post({ origin: own, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    for (const origin of ['https://evil.example', 'null', own.replace('http:', 'ftp:')]) {
      expect((await post({ origin })).body['code'], origin).toBe('OTHER_ORIGIN');
    }
    expect((await post({ 'sec-fetch-site': 'cross-site' })).body['code']).toBe('OTHER_ORIGIN');
    const login = await house.client.post(
      '/sign-in',
      { key: 'x' },
      { headers: { origin: 'https://evil.example' } },
    );
    expect(login.body['code']).toBe('OTHER_ORIGIN');
  });

  it('fails to sign in ten times a minute at most', async () => {
    const own = await House.make();
    try {
      const statuses: number[] = [];
      for (let n = 0; n < 12; n += 1) {
        statuses.push((await own.client.post('/sign-in', { key: `fwk_${n}` })).status);
      }
      expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
      const refused = await own.client.get('/me', { cookie: `filewright=fws_${'x'.repeat(43)}` });
      expect(refused.status).toBe(429);
      expect(refused.headers.get('retry-after')).toBe('5');
    } finally {
      await own.close();
    }
  });
});

describe('a request', () => {
  it('that does not fit its schema is answered with the places, and not with what stood there', async () => {
    const body = { sha256: 'SECRET-VALUE', valid_days: 'many', more: 1 };
    const answer = await house.client.post('/batches/x/approve', body, { cookie: ben });
    expect(answer.status).toBe(400);
    const pointers = (answer.body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer);
    expect(pointers).toContain('/body/sha256');
    expect(pointers).toContain('/body/valid_days');
    expect(answer.text).not.toContain('SECRET-VALUE');
    const query = await house.client.get('/filings?limit=501', { cookie: ann });
    expect([query.status, query.text.includes('/querystring/limit')]).toEqual([400, true]);
  });

  it.each([
    ['not JSON', '{"reason":', 422],
    ['JSON with a key twice', '{"name":"a","name":"b"}', 422],
    ['too large', `{"reason":"${'x'.repeat(1_100_000)}"}`, 413],
  ])('%s is refused', async (_what, body, status) => {
    expect((await house.client.post('/keys', body, { cookie: ann })).status).toBe(status);
  });

  it('of another media type, at no address, or by another method is refused', async () => {
    const file = { type: 'application/x-www-form-urlencoded', bytes: 'name=x' };
    expect((await house.client.ask('POST', '/keys', undefined, { cookie: ann, file })).status).toBe(
      415,
    );
    const csv = { type: CSV, bytes: 'name\nx\n' };
    expect(
      (await house.client.ask('POST', '/keys', undefined, { cookie: ann, file: csv })).status,
    ).toBe(400);
    expect((await house.client.post('/batches', {}, { cookie: ann })).status).toBe(415);
    expect((await house.client.get('/nothing', { cookie: ann })).status).toBe(404);
    expect((await house.client.ask('PUT', '/filings', {}, { cookie: ann })).status).toBe(404);
  });

  it('that changes something needs a key, and happens once under it', async () => {
    const none = await house.client.post('/keys', { name: 'k' }, { cookie: ann, key: 'two words' });
    expect([none.status, none.text.includes('Idempotency-Key')]).toEqual([400, true]);
    const asking = { cookie: ann, key: 'k-1' };
    const [one, two] = await Promise.all([
      house.client.post('/keys', { name: 'once' }, asking),
      house.client.post('/keys', { name: 'once' }, asking),
    ]);
    const again = await house.client.post('/keys', { name: 'once' }, asking);
    expect([one.text, two.text, again.text]).toEqual([one.text, one.text, one.text]);
    expect(one.body['key']).toMatch(/^fwk_/);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await house.rows(`select 1 from person_key where name = 'once'`)).toHaveLength(1);
    const other = await house.client.post('/keys', { name: 'other' }, asking);
    expect([other.status, other.body['code']]).toEqual([409, 'KEY_REUSED']);
    // Another person's key of the same text is another key.
    expect(
      (await house.client.post('/keys', { name: 'once' }, { ...asking, cookie: ben })).text,
    ).not.toBe(one.text);
    // The answer that shows a secret is nowhere to be read.
    const kept = await house.rows(`select encode(sealed, 'escape') as sealed from request_answer`);
    expect(JSON.stringify(kept)).not.toContain('fwk_');
  });

  it('that was refused changes nothing, and may be allowed later under the same key', async () => {
    const asking = { cookie: ann, key: 'later' };
    const early = await house.client.ask('DELETE', '/keys/no-such-key', undefined, asking);
    expect(early.status).toBe(404);
    expect(await house.rows(`select 1 from request_answer where status is null`)).toEqual([]);
  });

  it('is noted with its act, its session and its address', async () => {
    await house.client.post('/links', {}, { cookie: ann });
    const facts = await house.rows(
      `select convert_from(bytes, 'UTF8') as entry from ledger_entry where boundary = 'access' order by seq desc limit 3`,
    );
    expect(JSON.stringify(facts)).toContain('request.done');
    expect(JSON.stringify(facts)).toContain('user.link');
  });
});

describe('a batch by HTTP alone', () => {
  it('is imported by one person, approved by a second, and proven', async () => {
    const bytes = readFileSync(join(ROOT, 'samples/entities.csv'));
    const file = { type: CSV, bytes };
    const dry = await house.client.ask('POST', '/batches?dry_run=true', undefined, {
      cookie: ann,
      file,
    });
    expect([dry.status, dry.body['batch']]).toEqual([200, undefined]);
    const asking = { cookie: ann, file, key: 'import-1' };
    const made = await house.client.ask('POST', '/batches', undefined, asking);
    expect(made.status, made.text).toBe(200);
    expect((await house.client.ask('POST', '/batches', undefined, asking)).text).toBe(made.text);
    const [batch, count] = [String(made.body['batch']), Number(made.body['count'])];
    expect(count).toBeGreaterThan(5);
    const terms = await house.client.get(`/batches/${batch}/terms`, { cookie: ben });
    const own = await house.client.post(
      `/batches/${batch}/approve`,
      { sha256: made.body['sha256'] },
      { cookie: ann },
    );
    expect([own.status, own.body['code']]).toEqual([403, 'SELF_APPROVAL']);
    const done = await house.client.post(
      `/batches/${batch}/approve`,
      { sha256: made.body['sha256'], count },
      { cookie: ben },
    );
    expect([done.status, terms.status], done.text).toEqual([200, 200]);
    const report = await verifyLedger(house.app, OPERATOR, { bodies: true, rows: true });
    expect([report.problems, report.rows?.shown]).toEqual([[], []]);
  });

  it('is read in pages that neither repeat nor leave out', async () => {
    const whole = await house.client.get('/filings?limit=500', { cookie: ann });
    const all = (whole.body['items'] as { id: string }[]).map(({ id }) => id);
    const found: string[] = [];
    let cursor = '';
    for (let pages = 0; pages < 100; pages += 1) {
      const at = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body } = await house.client.get(`/filings?limit=3${at}`, { cookie: ann });
      found.push(...(body['items'] as { id: string }[]).map(({ id }) => id));
      if (typeof body['next'] !== 'string') break;
      cursor = body['next'];
    }
    expect(found).toEqual(all);
    const lines = await house.client.get('/filings?limit=4', {
      cookie: ann,
      headers: { accept: 'application/x-ndjson' },
    });
    expect(
      lines.text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { id: string }).id),
    ).toEqual(all.slice(0, 4));
    expect((await house.client.get('/filings?cursor=***', { cookie: ann })).status).toBe(400);
    const [first = ''] = all;
    const one = await house.client.get(`/filings/${first}`, { cookie: ann });
    const tag = one.headers.get('etag') ?? '';
    expect(
      (
        await house.client.get(`/filings/${first}`, {
          cookie: ann,
          headers: { 'if-none-match': tag },
        })
      ).status,
    ).toBe(304);
  });
});

describe('a sign-in of half an hour ago', () => {
  it('still reads, and approves nothing until one signs in again', async () => {
    const cookie = await house.signedIn(house.ben);
    await house.rows('alter table person_session disable trigger all');
    await house.rows(
      `update person_session set started_at = now() - interval '16 minutes', expires_at = now() + interval '1 hour'
       where started_at = (select max(started_at) from person_session)`,
    );
    await house.rows('alter table person_session enable trigger all');
    expect((await house.client.get('/filings', { cookie })).status).toBe(200);
    const answer = await house.client.post(
      '/batches/x/approve',
      { sha256: 'a'.repeat(64) },
      { cookie },
    );
    expect([answer.status, answer.body['code']]).toEqual([403, 'SIGN_IN_AGAIN']);
  });
});

it('no line of the log has a secret, a payload or an address in it', async () => {
  const text = JSON.stringify(house.lines);
  expect(house.lines.length).toBeGreaterThan(30);
  expect(text).toContain('/api/v1/batches/:id/approve');
  expect(text).not.toMatch(/fw[ktsle]_|Bearer|SECRET-VALUE|evil\.example|two words/);
  const samples = readFileSync(join(ROOT, 'samples/entities.csv'), 'utf8').split('\n');
  const [name = 'none'] = (samples[1] ?? '').split(',');
  expect(text).not.toContain(name);
});

it('health, readiness and figures answer; figures only near by', async () => {
  const at = (path: string, headers = {}) => fetch(`${house.client.url}${path}`, { headers });
  expect((await at('/healthz')).status).toBe(200);
  expect((await at('/readyz')).status).toBe(200);
  const figures = await (await at('/metrics')).text();
  expect(figures).toMatch(
    /filewright_request_seconds_count\{method="GET",route="\/api\/v1\/filings",status="200"\} \d/,
  );
  expect(figures).toContain('filewright_database_up 1');
  expect((await at('/metrics', { 'x-forwarded-for': '10.1.1.1' })).status).toBe(404);
  expect((await at('/acknowledge/nothing')).status).toBe(404);
});

it('refuses to go beyond this machine without TLS, and names the remedy for a taken port', async () => {
  await expect(serve(house.app, { host: '0.0.0.0' })).rejects.toThrow(/--tls-cert/);
  const port = Number(new URL(house.client.url).port);
  await expect(serve(house.app, { port })).rejects.toMatchObject({ code: 'PORT_IN_USE' });
});
