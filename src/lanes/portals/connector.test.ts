import { connect, createServer, type LookupFunction, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { PortalOptions } from './exchanger.ts';
import { createPortal, type LanePortal } from './portal.ts';
import {
  asAnswer,
  asFailure,
  filing,
  guard,
  listen,
  type Loopback,
  type LoopbackOptions,
  portOf,
  profileFor,
  testCertificate,
} from '../../../test/fixtures/loopback.ts';
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
  const certificateAuthorities = [testCertificate()];
  const created = createPortal({ environment: OWN_MACHINE, certificateAuthorities, ...options });
  cleanup.unshift(() => created.close());
  return created;
}

/** Accepts at once and passes bytes on to `port` only after `delayMs`: a slow handshake that can still succeed. */
async function delay(port: number, delayMs: number): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => undefined);
    setTimeout(() => {
      const upstream = connect(port, '127.0.0.1');
      sockets.add(upstream);
      upstream.on('error', () => undefined);
      client.pipe(upstream).pipe(client);
    }, delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.unshift(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  );
  return portOf(server);
}

/** Answers with each list of addresses in turn, the last one for ever. */
function answering(
  ...answers: readonly (readonly string[])[]
): LookupFunction & { asked: () => number } {
  let asked = 0;
  const lookup: LookupFunction = (_host, _options, callback) => {
    const addresses = answers[Math.min(asked, answers.length - 1)] ?? [];
    asked += 1;
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return Object.assign(lookup, { asked: () => asked });
}

const refused = { code: 'address_refused', written: false };

describe('TLS', () => {
  it('reports the handshake with the answer that opened the connection, and only there', async () => {
    const server = await serve({ tls: true });
    const profile = profileFor(`https://127.0.0.1:${server.port}`);
    const portals = portal();
    const first = asAnswer(await portals.send(filing(profile), guard()));
    const second = asAnswer(await portals.send(filing(profile), guard()));
    expect(first.tlsHandshakeMs).toBeGreaterThan(0);
    expect(first.tlsHandshakeMs).toBeLessThanOrEqual(first.elapsedMs);
    expect(second.tlsHandshakeMs).toBeUndefined();
    expect(server.connections()).toBe(1);
  });

  it('compares the certificate with the name, through the given resolver', async () => {
    const server = await serve({ tls: true });
    const portals = portal({ lookup: answering(['127.0.0.1']) });
    const named = (host: string) => profileFor(`https://${host}:${server.port}`, { code: host });
    expect(asAnswer(await portals.send(filing(named('portal.test')), guard())).status).toBe(200);
    const failure = asFailure(await portals.send(filing(named('other.test')), guard()));
    expect(failure).toMatchObject({ code: 'tls', written: false });
    expect(server.received).toHaveLength(1);
  });

  it('refuses a certificate of an unknown authority', async () => {
    const server = await serve({ tls: true });
    const stranger = createPortal({ environment: OWN_MACHINE });
    cleanup.unshift(() => stranger.close());
    const profile = profileFor(`https://127.0.0.1:${server.port}`);
    const failure = asFailure(await stranger.send(filing(profile), guard()));
    expect(failure).toMatchObject({ code: 'tls', written: false });
    expect(server.received).toHaveLength(0);
  });

  it('a handshake that never ends is cut off at the limit, not at the timeout', async () => {
    const server = await serve({ onRequest: () => undefined });
    const profile = profileFor(`https://127.0.0.1:${server.port}`, { tlsHandshakeMsMax: 100 });
    const failure = asFailure(await portal().send(filing(profile), guard()));
    expect(failure).toMatchObject({ code: 'tls_slow', written: false });
    expect(failure.elapsedMs).toBeGreaterThanOrEqual(95);
    expect(failure.elapsedMs).toBeLessThan(2_000);
  });

  it('a handshake above the limit fails and one below it succeeds', async () => {
    const server = await serve({ tls: true });
    const port = await delay(server.port, 250);
    const slow = profileFor(`https://127.0.0.1:${port}`, { tlsHandshakeMsMax: 100 });
    expect(asFailure(await portal().send(filing(slow), guard()))).toMatchObject({
      code: 'tls_slow',
      written: false,
    });
    expect(server.received).toHaveLength(0);
    const patient = profileFor(`https://127.0.0.1:${port}`, { tlsHandshakeMsMax: 3_000 });
    const answer = asAnswer(await portal().send(filing(patient), guard()));
    expect(answer.tlsHandshakeMs).toBeGreaterThanOrEqual(240);
    expect(answer.tlsHandshakeMs).toBeLessThan(3_000);
  });

  it('answered in plain text is a failed handshake', async () => {
    const server = await serve({
      onConnection: (socket) => socket.write('HTTP/1.1 400 X\r\n\r\n'),
    });
    const profile = profileFor(`https://127.0.0.1:${server.port}`);
    const failure = asFailure(await portal().send(filing(profile), guard()));
    expect(failure).toMatchObject({ code: 'tls', written: false });
  });

  it('a lease that is gone writes nothing inside TLS either', async () => {
    const server = await serve({ tls: true });
    const profile = profileFor(`https://127.0.0.1:${server.port}`);
    const failure = asFailure(
      await portal().send(
        filing(profile),
        guard(() => false),
      ),
    );
    expect(failure).toMatchObject({ code: 'lease_lost', written: false });
    expect(server.bytes()).toBe(0);
  });

  it('two lanes to one host have two connections', async () => {
    const server = await serve({ tls: true });
    const portals = portal();
    for (const code of ['US-AA', 'US-BB', 'US-AA']) {
      await portals.send(filing(profileFor(`https://127.0.0.1:${server.port}`, { code })), guard());
    }
    expect(server.received.map(({ connection }) => connection)).toEqual([1, 2, 1]);
  });
});

describe('a portal that cannot be reached', () => {
  it('because its name is unknown', async () => {
    const lookup: LookupFunction = (_host, _options, callback) =>
      callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
    const profile = profileFor('https://portal.test');
    const failure = asFailure(await portal({ lookup }).send(filing(profile), guard()));
    expect(failure).toMatchObject({ code: 'dns', written: false });
    expect(failure.message).toContain('ENOTFOUND');
  });

  it('because its name has no address', async () => {
    const profile = profileFor('https://portal.test');
    const failure = asFailure(
      await portal({ lookup: answering([]) }).send(filing(profile), guard()),
    );
    expect(failure).toMatchObject({ code: 'dns', written: false });
  });

  it('because the port is closed', async () => {
    const server = await listen({});
    await server.close();
    const profile = profileFor(`http://127.0.0.1:${server.port}`);
    const failure = asFailure(await portal().send(filing(profile), guard()));
    expect(failure).toMatchObject({ code: 'connect', written: false });
    expect(failure.message).toContain('ECONNREFUSED');
  });

  it('because the resolver hangs, within the timeout', async () => {
    const profile = profileFor('https://portal.test', { timeoutMs: 60 });
    const portals = portal({ lookup: () => undefined });
    const failure = asFailure(await portals.send(filing(profile), guard()));
    expect(failure).toMatchObject({ code: 'timeout', written: false });
  });

  it('is tried anew with the next request', async () => {
    const server = await serve();
    const lookup = answering([], ['127.0.0.1']);
    const profile = profileFor(`http://portal.test:${server.port}`);
    const portals = portal({ lookup });
    expect(asFailure(await portals.send(filing(profile), guard())).code).toBe('dns');
    expect(asAnswer(await portals.send(filing(profile), guard())).status).toBe(200);
  });
});

describe('an address that is not public', () => {
  const strict = (host: string) => profileFor(`https://${host}`, { allowPrivateAddresses: false });

  it.each([
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '2130706433',
  ])('written into the profile as %s is refused before the first packet', async (host) => {
    const dial = () => {
      throw new Error('a packet was sent');
    };
    const failure = asFailure(await portal({ dial }).send(filing(strict(host)), guard()));
    expect(failure).toMatchObject(refused);
  });

  it('among public ones refuses them all', async () => {
    const lookup = answering(['93.184.216.34', '127.0.0.1']);
    const dial = () => {
      throw new Error('a packet was sent');
    };
    const failure = asFailure(
      await portal({ lookup, dial }).send(filing(strict('portal.test')), guard()),
    );
    expect(failure).toMatchObject(refused);
  });

  it('that a name turns to after a public one (DNS rebinding) is refused', async () => {
    const server = await serve();
    const lookup = answering(['93.184.216.34'], ['127.0.0.1']);
    const dialled: string[] = [];
    // The public address is not reachable here: the first exchange fails, as a rebinding attacker arranges it.
    const dial: PortalOptions['dial'] = ({ addresses }) => {
      dialled.push(...addresses.map(({ address }) => address));
      const socket = connect(server.port, '127.0.0.1');
      socket.destroy(Object.assign(new Error('no route'), { code: 'EHOSTUNREACH' }));
      return socket;
    };
    const portals = portal({ lookup, dial });
    const profile = strict(`portal.test:${server.port}`);
    expect(asFailure(await portals.send(filing(profile), guard())).code).toBe('connect');
    expect(asFailure(await portals.send(filing(profile), guard()))).toMatchObject(refused);
    expect(lookup.asked()).toBe(2);
    expect(dialled).toEqual(['93.184.216.34']);
    expect(server.connections()).toBe(0);
  });

  it('at the other end of the socket is refused before a byte, whatever the resolver said', async () => {
    const server = await serve();
    const lookup = answering(['93.184.216.34']);
    const dial: PortalOptions['dial'] = () => connect(server.port, '127.0.0.1');
    const failure = asFailure(
      await portal({ lookup, dial }).send(filing(strict('portal.test')), guard()),
    );
    expect(failure).toMatchObject(refused);
    expect(failure.message).toContain('127.0.0.1');
    expect(server.bytes()).toBe(0);
  });
});
