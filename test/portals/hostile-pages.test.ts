/** Pages that lie, lead away or break off: neither the filing nor the password goes where the profile does not say. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Profile } from '../../src/core/index.ts';
import { PortalWorld, shipped, statement } from './world.ts';

const cleanup: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

type Act = (request: IncomingMessage, response: ServerResponse, body: string) => void;

const html = (text: string): string => `<!doctype html><html><body>${text}</body></html>`;
const show =
  (text: string, headers: Readonly<Record<string, string>> = {}): Act =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers });
    response.end(html(text));
  };
const lead =
  (status: number, location: string): Act =>
  (_request, response) => {
    response.writeHead(status, { location, 'set-cookie': 'FWSESSION=t1; Path=/' });
    response.end();
  };
const cut: Act = (request) => request.socket.destroy();

const FIELDS = [
  'dos_id',
  'entity_name',
  'filing_period',
  'filing_kind',
  'business_description',
  'reference',
];
const inputs = FIELDS.map((name) => `<input name="${name}">`).join('');
const LOGIN =
  '<form id="login" method="post" action="/login"><input name="user"><input name="password"></form>';
const FORM = `<form id="statement" method="post" action="/statement/submit"><input type="hidden" name="csrf" value="c1">${inputs}</form>`;
const DONE = '<div id="confirmation"><b id="receipt">NY-12345</b></div>';

const HONEST: Readonly<Record<string, Act>> = {
  'GET /login': show(LOGIN),
  'POST /login': lead(303, '/statement'),
  'GET /statement': show(FORM),
  'POST /statement/submit': lead(303, '/statement/confirmation'),
  'GET /statement/confirmation': show(DONE),
};

async function portal(acts: Readonly<Record<string, Act>>): Promise<{
  readonly world: PortalWorld;
  readonly profile: Profile;
  readonly seen: string[];
  readonly bodies: string[];
}> {
  const seen: string[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const line = `${request.method} ${request.url?.split('?')[0]}`;
      const body = Buffer.concat(chunks).toString('latin1');
      seen.push(line);
      bodies.push(body);
      const act = { ...HONEST, ...acts }[line];
      if (act === undefined) response.writeHead(404).end();
      else act(request, response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  const world = await PortalWorld.open([shipped('us-tx')]);
  cleanup.push(() => world.close());
  // A TCP server that listens has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}`;
  const profile = { ...shipped('us-ny'), baseUrl, allowPrivateAddresses: true };
  return { world, profile, seen, bodies };
}

const FILED = 'POST /statement/submit';

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
