import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { PortalOptions } from './exchanger.ts';
import { createPortal, type LanePortal } from './portal.ts';
import {
  asAnswer,
  asFailure,
  filing,
  guard,
  KEY,
  listen,
  type Loopback,
  type LoopbackOptions,
  OK,
  profileFor,
} from '../../../test/fixtures/loopback.ts';
import { VERSION } from '../../core/version.ts';
import { OWN_MACHINE } from '../../../test/fixtures/own-machine.ts';

const cleanup: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0)) await step();
});

async function serve(options: LoopbackOptions = {}): Promise<Loopback> {
  const server = await listen(options);
  cleanup.push(server.close);
  return server;
}

function portal(options: Partial<PortalOptions> = {}): LanePortal {
  const created = createPortal({ environment: OWN_MACHINE, ...options });
  cleanup.unshift(() => created.close());
  return created;
}

const urlOf = (server: Loopback, path = '/us-xx') => `http://127.0.0.1:${server.port}${path}`;

describe('a filing on the wire', () => {
  it('is exactly these bytes', async () => {
    const server = await serve();
    const answer = asAnswer(await portal().send(filing(profileFor(urlOf(server))), guard()));
    expect(server.received.map(({ text }) => text)).toEqual([
      [
        'POST /us-xx/submit HTTP/1.1',
        `host: 127.0.0.1:${server.port}`,
        'connection: keep-alive',
        `user-agent: filewright/${VERSION}`,
        'cache-control: no-cache, no-store, must-revalidate',
        'pragma: no-cache',
        'accept-encoding: identity',
        'X-Idempotency-Key: key-1',
        'content-type: application/json; charset=utf-8',
        'content-length: 7',
        '',
        '{"a":1}',
      ].join('\r\n'),
    ]);
    expect(answer).toMatchObject({
      status: 200,
      bodyEnd: 'whole',
      headers: { 'content-length': '2' },
    });
    expect(answer.bodySha256).toBe(createHash('sha256').update('{}').digest('hex'));
    expect(Buffer.from(answer.body).toString()).toBe('{}');
    expect(answer.tlsHandshakeMs).toBeUndefined();
  });

  it('carries no conditional header and the key under the name the profile gives it', async () => {
    const server = await serve();
    const profile = profileFor(urlOf(server), { idempotency: { header: 'Idempotency-Key' } });
    const portals = portal();
    await portals.send(filing(profile), guard());
    await portals.ask({ profile, key: KEY }, guard());
    await portals.probe(profile, guard());
    expect(server.received).toHaveLength(3);
    for (const { text } of server.received) expect(text).not.toMatch(/^(if-|range|te:|expect)/im);
    expect(server.received[0]?.text).toContain('\r\nIdempotency-Key: key-1\r\n');
    expect(server.received[1]?.text).toContain('\r\nIdempotency-Key: key-1\r\n');
    expect(server.received[2]?.text).not.toContain('Idempotency-Key');
  });

  it('names the version of the package', () => {
    const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ version: VERSION });
  });

  it('keeps the bytes of a payload as they are, also when there are none', async () => {
    const server = await serve();
    const profile = profileFor(urlOf(server));
    const portals = portal();
    await portals.send(filing(profile, '\u00e9\u0000 "\u2028'), guard());
    await portals.send(filing(profile, ''), guard());
    expect(
      server.received[0]?.text.endsWith(Buffer.from('\u00e9\u0000 "\u2028').toString('latin1')),
    ).toBe(true);
    expect(server.received[1]?.text).toContain('content-length: 0\r\n\r\n');
  });

  it('uses one connection after another, never two requests at once on one', async () => {
    const server = await serve();
    const profile = profileFor(urlOf(server));
    const portals = portal();
    for (let n = 0; n < 5; n += 1) await portals.send(filing(profile), guard());
    expect(server.connections()).toBe(1);
    await Promise.all([1, 2, 3].map(() => portals.send(filing(profile), guard())));
    expect(server.connections()).toBe(3);
  });

  it('a header value that would split the request is refused before anything is written', async () => {
    const server = await serve();
    const request = { ...filing(profileFor(urlOf(server))), contentType: 'a\r\nx: y' };
    const failure = asFailure(await portal().send(request, guard()));
    expect(failure).toMatchObject({ code: 'protocol', written: false });
    expect(server.bytes()).toBe(0);
  });
});

describe('a question about a filing', () => {
  it('goes to the status path with its places encoded', async () => {
    const server = await serve();
    const status = { ...profileFor('https://x.invalid').status, path: '/s/{submissionId}?k={key}' };
    const profile = profileFor(urlOf(server), { status });
    await portal().ask({ profile, key: KEY, submissionId: 'a/b?c#d ü' }, guard());
    expect(server.received[0]?.text).toMatch(
      /^GET \/us-xx\/s\/a%2Fb%3Fc%23d%20%C3%BC\?k=key-1 HTTP/,
    );
    expect(server.received[0]?.text).not.toContain('content-');
  });

  it.each([undefined, '', '.', '..', '\ud800', 'x'.repeat(513)])(
    'is not sent with the submission id %j',
    async (submissionId) => {
      const server = await serve();
      const status = { ...profileFor('https://x.invalid').status, path: '/s/{submissionId}' };
      const profile = profileFor(urlOf(server), { status });
      const request = {
        profile,
        key: KEY,
        ...(submissionId === undefined ? {} : { submissionId }),
      };
      const failure = asFailure(await portal().ask(request, guard()));
      expect(failure).toMatchObject({ code: 'protocol', written: false });
      expect(server.connections()).toBe(0);
    },
  );

  it('cannot be asked of a portal without a status endpoint', async () => {
    const profile = profileFor('https://x.invalid', { status: undefined });
    await expect(portal().ask({ profile, key: KEY }, guard())).rejects.toThrow('status endpoint');
  });
});

describe('a probe', () => {
  it('is the request the profile names', async () => {
    const server = await serve({
      onRequest: (socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'),
    });
    const answer = asAnswer(await portal().probe(profileFor(urlOf(server)), guard()));
    expect(answer.status).toBe(204);
    expect(server.received[0]?.text.startsWith('HEAD /us-xx/health HTTP/1.1\r\n')).toBe(true);
  });
});

describe('lanes', () => {
  const login = (socket: { write(text: string): void }) =>
    socket.write(
      'HTTP/1.1 200 OK\r\nset-cookie: session=s1; Path=/\r\nset-cookie: b=2\r\ncontent-length: 0\r\n\r\n',
    );

  it('keep their cookies to themselves, even on the same host', async () => {
    const server = await serve({ onRequest: login });
    const portals = portal();
    const [one, two] = ['US-AA', 'US-BB'].map((code) => profileFor(urlOf(server), { code }));
    if (one === undefined || two === undefined) throw new Error('two profiles');
    const first = asAnswer(await portals.send(filing(one), guard()));
    expect(first.headers['set-cookie']).toBe('session=s1; Path=/, b=2');
    await portals.send(filing(one), guard());
    await portals.send(filing(two), guard());
    const cookies = server.received.map(({ text }) => /cookie: (.*)\r\n/.exec(text)?.[1]);
    expect(cookies).toEqual([undefined, 'b=2; session=s1', undefined]);
    expect(server.received.map(({ connection }) => connection)).toEqual([1, 1, 2]);
  });

  it('forget everything when they are closed', async () => {
    const server = await serve({ onRequest: login });
    const profile = profileFor(urlOf(server));
    const portals = portal();
    await portals.send(filing(profile), guard());
    await portals.close(profile.code);
    await portals.send(filing(profile), guard());
    expect(server.received[1]).toMatchObject({ connection: 2 });
    expect(server.received[1]?.text).not.toContain('cookie:');
  });

  it('survive malformed cookies and bound how many they keep', async () => {
    const many = Array.from({ length: 150 }, (_, n) => `set-cookie: c${n}=1; Path=/\r\n`).join('');
    const answer = `HTTP/1.1 200 OK\r\n${many}set-cookie: ;;=\r\nset-cookie: x=1; Domain=other.test\r\ncontent-length: 0\r\n\r\n`;
    const server = await serve({ onRequest: (socket) => socket.write(answer) });
    const profile = profileFor(urlOf(server));
    const portals = portal();
    await portals.send(filing(profile), guard());
    await portals.send(filing(profile), guard());
    const header = /cookie: (.*)\r\n/.exec(server.received[1]?.text ?? '')?.[1] ?? '';
    expect(header.split('; ')).toHaveLength(100);
  });

  it('take up a changed profile: new headers at once, new connections where the terms differ', async () => {
    const server = await serve();
    const portals = portal();
    await portals.send(filing(profileFor(urlOf(server))), guard());
    const renamed = profileFor(urlOf(server), { idempotency: { header: 'K' }, ceiling: 2 });
    await portals.send(filing(renamed), guard());
    const stricter = profileFor(urlOf(server), { allowPrivateAddresses: true, timeoutMs: 4_000 });
    await portals.send(filing(stricter), guard());
    expect(server.received.map(({ connection }) => connection)).toEqual([1, 1, 2]);
    expect(server.received[1]?.text).toContain('\r\nK: key-1\r\n');
  });

  it('are closed for good together', async () => {
    const server = await serve();
    const portals = portal();
    await portals.close();
    const failure = asFailure(await portals.send(filing(profileFor(urlOf(server))), guard()));
    expect(failure).toMatchObject({ code: 'connect', written: false });
  });
});

describe('redirects', () => {
  const redirect = (status: number, location: string) =>
    `HTTP/1.1 ${status} X\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`;
  const redirects = ['/done', '/again'];

  it.each([302, 303])('a declared one is followed by a GET after %i', async (status) => {
    const server = await serve({
      onRequest: (socket, { text }) =>
        socket.write(text.startsWith('POST') ? redirect(status, '/us-xx/done?id=5#x') : OK),
    });
    const profile = profileFor(urlOf(server), { redirects });
    const answer = asAnswer(await portal().send(filing(profile), guard()));
    expect(answer.status).toBe(200);
    expect(server.received[1]?.text).toMatch(/^GET \/us-xx\/done\?id=5 HTTP/);
    expect(server.received[1]?.text).toContain('accept-encoding: identity');
    expect(server.received[1]?.text).not.toContain('content-');
  });

  it('a declared one is followed once, also when the portal closes the connection behind it', async () => {
    const closing = redirect(303, '/us-xx/done').replace('\r\n', '\r\nconnection: close\r\n');
    const server = await serve({
      onRequest: (socket, { text }) =>
        text.startsWith('POST') ? socket.end(closing) : socket.write(OK),
    });
    const profile = profileFor(urlOf(server), { redirects });
    expect(asAnswer(await portal().send(filing(profile), guard())).status).toBe(200);
    expect(server.received.map(({ text }) => text.slice(0, 4))).toEqual(['POST', 'GET ']);
  });

  it.each([
    [303, '/us-xx/elsewhere'],
    [303, '/us-xx/done/'],
    [303, '/done'],
    [303, 'http://127.0.0.1:1/us-xx/done'],
    [303, 'http://user:pw@127.0.0.1/us-xx/done'],
    [303, 'http://['],
    [301, '/us-xx/done'],
    [307, '/us-xx/done'],
    [308, '/us-xx/done'],
  ])('%i to %s is returned as it is', async (status, location) => {
    const server = await serve({ onRequest: (socket) => socket.write(redirect(status, location)) });
    const profile = profileFor(urlOf(server), { redirects });
    const answer = asAnswer(await portal().send(filing(profile), guard()));
    expect(answer).toMatchObject({ status, headers: { location } });
    expect(server.received).toHaveLength(1);
  });

  it('go round at most three times, and then the answer to the filing stands', async () => {
    const server = await serve({
      onRequest: (socket) => socket.write(redirect(303, '/us-xx/again')),
    });
    const profile = profileFor(urlOf(server), { redirects });
    expect(asAnswer(await portal().send(filing(profile), guard())).status).toBe(303);
    expect(server.received).toHaveLength(4);
  });

  it.each([400, 403, 404, 429, 500])(
    'a page that answers %i is no answer to the filing that led to it',
    async (status) => {
      const server = await serve({
        onRequest: (socket, { text }) =>
          socket.write(
            text.startsWith('POST')
              ? redirect(303, 'done')
              : `HTTP/1.1 ${status} X\r\ncontent-length: 0\r\n\r\n`,
          ),
      });
      const profile = profileFor(urlOf(server), { redirects });
      expect(asAnswer(await portal().send(filing(profile), guard())).status).toBe(303);
      expect(server.received).toHaveLength(2);
    },
  );

  it('a lease lost between the legs leaves the filing written', async () => {
    const server = await serve({
      onRequest: (socket) => socket.write(redirect(303, '/us-xx/done')),
    });
    let asked = 0;
    const mayWrite = () => (asked += 1) === 1;
    const profile = profileFor(urlOf(server), { redirects });
    const failure = asFailure(await portal().send(filing(profile), guard(mayWrite)));
    expect(failure).toMatchObject({ code: 'lease_lost', written: true });
    expect(server.received).toHaveLength(1);
  });
});

describe('credentials', () => {
  const credentials = [
    { header: 'Authorization', value: 'env:TOKEN' },
    { header: 'X-Key', value: 'env:KEY' },
  ];

  it('are sent under the headers the profile names', async () => {
    const server = await serve();
    const portals = portal({ environment: { ...OWN_MACHINE, TOKEN: 'Bearer t0p', KEY: 'k' } });
    const profile = profileFor(urlOf(server), { credentials });
    await portals.send(filing(profile), guard());
    await portals.send(filing(profile), guard());
    for (const { text } of server.received) {
      expect(text).toContain('\r\nAuthorization: Bearer t0p\r\nX-Key: k\r\n');
    }
  });

  it('that cannot be read stop the request before it is written', async () => {
    const server = await serve();
    const portals = portal({ environment: { ...OWN_MACHINE, TOKEN: 'Bearer t0p' } });
    const profile = profileFor(urlOf(server), { credentials });
    const failure = asFailure(await portals.send(filing(profile), guard()));
    expect(failure).toMatchObject({ code: 'credential', written: false });
    expect(failure.message).toContain('env:KEY');
    expect(failure.message).not.toContain('t0p');
    expect(server.connections()).toBe(0);
  });
});

describe('interim answers', () => {
  const interim = 'HTTP/1.1 100 Continue\r\nx: y\r\n\r\n';
  it.each([
    ['103', 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'],
    ['100', interim],
    ['100 twice', interim + interim],
    ['103 and 100', `HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${interim}`],
    ['100 and 103', `${interim}HTTP/1.1 103 Early Hints\r\n\r\n`],
    ['102 and 103', 'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('%s is ignored, in one piece or byte by byte', async (_name, before) => {
    const server = await serve({
      onRequest: (socket, _request, n) => {
        socket.setNoDelay(true);
        if (n === 1) socket.write(before + OK);
        else drip(socket, before + OK);
      },
    });
    const profile = profileFor(urlOf(server));
    const portals = portal();
    for (let n = 0; n < 2; n += 1) {
      const answer = asAnswer(await portals.send(filing(profile), guard()));
      expect(answer).toMatchObject({
        status: 200,
        bodyEnd: 'whole',
        headers: { 'content-length': '2' },
      });
      expect(Buffer.from(answer.body).toString()).toBe('{}');
    }
  });

  it('text that looks like one inside a body stays in the body', async () => {
    const body = `${interim}tail`;
    const server = await serve({
      onRequest: (socket) => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`);
        // Its own packet, so that a chunk begins with the text.
        setTimeout(() => socket.write(body), 30);
      },
    });
    const answer = asAnswer(await portal().send(filing(profileFor(urlOf(server))), guard()));
    expect(Buffer.from(answer.body).toString()).toBe(body);
  });
});

function drip(socket: { write(text: string): void }, text: string): void {
  if (text === '') return;
  socket.write(text.slice(0, 1));
  setImmediate(() => drip(socket, text.slice(1)));
}
