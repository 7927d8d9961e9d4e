/** Pages that lie, lead away or break off: neither the filing nor the password goes where the profile does not say. */
import { describe, expect, it } from 'vitest';
import { mayKeepBusy } from '../../src/lanes/rules/busy.ts';
import { type Act, cut, DONE, FILED, FORM, lead, LOGIN, portal, show } from './own-pages.ts';
import { statement } from './world.ts';

describe('a page', () => {
  it('of an honest portal, to begin with, brings the filing to its receipt and the CSRF token back', async () => {
    const { world, profile, bodies } = await portal({});
    const { verdict } = await world.send(profile, 'k-1', statement());
    expect(verdict).toEqual({ kind: 'accepted', receipt: { number: 'NY-12345' } });
    const filed = new URLSearchParams(bodies.find((body) => body.includes('csrf')));
    expect(Object.fromEntries(filed)).toMatchObject({
      csrf: 'c1',
      reference: 'k-1',
      dos_id: '4810233',
    });
  });

  const before: readonly (readonly [string, Readonly<Record<string, Act>>, object])[] = [
    [
      'whose form posts to another path',
      { 'GET /statement': show(FORM.replace('/statement/submit', '/elsewhere')) },
      { kind: 'drift', code: 'FORM_CHANGED', written: false },
    ],
    [
      'whose form posts to another host',
      { 'GET /statement': show(FORM.replace('action="', 'action="http://127.0.0.2:9')) },
      { kind: 'drift', code: 'FORM_CHANGED', written: false },
    ],
    [
      'whose form is sent with GET',
      { 'GET /statement': show(FORM.replace('method="post"', '')) },
      { kind: 'drift', code: 'FORM_CHANGED', written: false },
    ],
    [
      'with two forms',
      { 'GET /statement': show(FORM + FORM) },
      { kind: 'drift', code: 'FORM_CHANGED', written: false },
    ],
    [
      'whose login posts elsewhere',
      { 'GET /login': show(LOGIN.replace('action="/login"', 'action="/phish"')) },
      { kind: 'drift', code: 'FORM_CHANGED', written: false },
    ],
    [
      'that leads away after the login',
      { 'POST /login': lead(302, 'http://127.0.0.2:9/x') },
      { kind: 'drift', code: 'REDIRECT', written: false },
    ],
    [
      'that repeats the login elsewhere with 307',
      { 'POST /login': lead(307, '/statement') },
      { kind: 'drift', code: 'REDIRECT', written: false },
    ],
    [
      'of errors instead of the form',
      { 'GET /statement': (_request, response) => response.writeHead(500).end() },
      { kind: 'transient', code: 'PAGE' },
    ],
    ['that breaks off at the login', { 'POST /login': cut }, { kind: 'transient', code: 'CUT' }],
    ['that breaks off at the form', { 'GET /statement': cut }, { kind: 'transient', code: 'CUT' }],
  ];
  it.each(before)('%s is proof that nothing was filed', async (_name, acts, verdict) => {
    const { world, profile, seen, bodies } = await portal(acts);
    const sent = await world.send(profile, 'k-1', statement());
    expect(sent.verdict).toEqual(verdict);
    expect(seen).not.toContain(FILED);
    expect(seen.filter((line) => line.startsWith('POST') && line !== 'POST /login')).toEqual([]);
    expect(bodies.filter((body) => body.includes('Alder'))).toEqual([]);
  });

  it('that throttles behind the login is a throttle with its stamp', async () => {
    const { world, profile } = await portal({
      'GET /statement': (_request, response) =>
        response.writeHead(429, { 'retry-after': '30' }).end(),
    });
    const { verdict } = await world.send(profile, 'k-1', statement());
    expect(verdict).toMatchObject({ kind: 'throttled', code: 'HTTP_429', waitMs: 30_000 });
  });

  it('that breaks off at the login leaves the portal perhaps busy, and says so', async () => {
    const { world, profile } = await portal({ 'POST /login': cut });
    const { exchange } = await world.send(profile, 'k-1', statement());
    expect(exchange).toMatchObject({ kind: 'failure', written: false, mayBeBusy: true });
  });

  const gaveUp: Act = (_request, response) => response.writeHead(504).end('<p>Gave up.</p>');
  const shut: Act = (_request, response) =>
    response.writeHead(503, { 'content-type': 'text/html; charset=utf-8' }).end(LOGIN);
  const busy: readonly (readonly [string, string, Act])[] = [
    ['whose gateway gives up at the login page', 'GET /login', gaveUp],
    ['whose gateway gives up at the login', 'POST /login', gaveUp],
    ['whose gateway gives up at the form', 'GET /statement', gaveUp],
    ['whose gateway shows a login for the form', 'GET /statement', shut],
    ['whose gateway gives up at the filing', FILED, gaveUp],
    ['whose gateway gives up at the confirmation', 'GET /statement/confirmation', gaveUp],
    ['that breaks off at the confirmation', 'GET /statement/confirmation', cut],
  ];
  it.each(busy)('%s may be at work, and gets nothing more in that slot', async (_name, at, act) => {
    const { world, profile, seen } = await portal({ [at]: act });
    const { exchange } = await world.send(profile, 'k-1', statement());
    expect(mayKeepBusy(exchange, profile)).toBe(true);
    expect(seen.map((line) => line.split('?')[0]).at(-1)).toBe(at);
    expect(seen.filter((line) => line.startsWith(at))).toHaveLength(1);
  });

  const after: readonly (readonly [string, Readonly<Record<string, Act>>, object])[] = [
    [
      'behind an undeclared redirect',
      { [FILED]: lead(303, '/thanks') },
      { kind: 'unknown', code: 'HTTP_303' },
    ],
    [
      'on another host',
      { [FILED]: lead(303, 'http://127.0.0.2:9/statement/confirmation') },
      { kind: 'unknown', code: 'HTTP_303' },
    ],
    [
      'that asks for the filing again (307)',
      { [FILED]: lead(307, '/statement/confirmation') },
      { kind: 'unknown', code: 'HTTP_307' },
    ],
    [
      'of errors behind the redirect',
      { 'GET /statement/confirmation': (_request, response) => response.writeHead(404).end() },
      { kind: 'unknown', code: 'HTTP_303' },
    ],
    [
      'with two receipts',
      { 'GET /statement/confirmation': show(DONE + DONE.replace('12345', '99999')) },
      { kind: 'drift', code: 'RECEIPT_FIELD_MISSING', written: true },
    ],
    [
      'with a receipt and a login',
      { 'GET /statement/confirmation': show(DONE + LOGIN) },
      { kind: 'unknown', code: 'LOGIN_PAGE' },
    ],
    [
      'that is plain text',
      { 'GET /statement/confirmation': show(DONE, { 'content-type': 'text/plain' }) },
      { kind: 'unknown', code: 'ANSWER_NOT_A_PAGE' },
    ],
    [
      'with the receipt in a comment',
      { 'GET /statement/confirmation': show(`<!--${DONE}-->`) },
      { kind: 'unknown', code: 'PAGE_UNKNOWN' },
    ],
  ];
  it.each(after)('%s after the post is no receipt', async (_name, acts, verdict) => {
    const { world, profile, seen } = await portal(acts);
    const sent = await world.send(profile, 'k-1', statement());
    expect(sent.verdict).toEqual(verdict);
    expect(seen.filter((line) => line === FILED)).toHaveLength(1);
  });
});
