/** The way out: a real CONNECT proxy on loopback, blocks that are waited out, and addresses that are not dodged. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type LookupFunction, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { EgressRule, Profile } from '../../src/core/profile.ts';
import { createPortal } from '../../src/lanes/index.ts';
import { filing, guard } from '../fixtures/loopback.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';
import { PortalWorld, shipped } from './world.ts';

const cleanup: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

interface Proxy {
  readonly url: string;
  readonly asked: string[];
  readonly authorizations: (string | undefined)[];
}

async function startProxy(answer?: string): Promise<Proxy> {
  const asked: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const server: Server = createServer();
  const sockets = new Set<Socket>();
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    asked.push(request.url ?? '');
    authorizations.push(request.headers['proxy-authorization']);
    if (answer !== undefined) {
      socket.end(answer);
      return;
    }
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const target = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    sockets.add(target);
    target.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.push(
    () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  // A TCP server that listens has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked, authorizations };
}

async function delaware(
  egress: EgressRule,
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly world: PortalWorld; readonly profile: Profile }> {
  const { limits: _limits, ...played } = shipped('us-de');
  const behaviour = { 'US-DE': { latencyMs: { mean: 30, spread: 0 }, blockMs: 60_000 } };
  const world = await PortalWorld.open([played], behaviour, { environment });
  cleanup.push(() => world.close());
  return { world, profile: world.profile('US-DE', { egress }) };
}

async function block(world: PortalWorld, profile: Profile): Promise<void> {
  const both = await Promise.all(['x', 'y'].map((key) => world.send(profile, key, {})));
  expect(both.map(({ verdict }) => verdict.kind)).toContain('throttled');
}

describe('an outbound proxy', () => {
  it('carries every request in a tunnel, with the credential that the profile refers to', async () => {
    const proxy = await startProxy();
    const egress = {
      proxies: [proxy.url],
      authorization: 'env:PROXY',
      afterBlock: 'stay',
    } as const;
    const { world, profile } = await delaware(egress, { PROXY: 'Basic Zm9v' });
    expect((await world.send(profile, 'k', {})).verdict.kind).toBe('accepted');
    expect((await world.send(profile, 'l', {})).verdict.kind).toBe('accepted');
    expect(proxy.asked).toEqual([new URL(profile.baseUrl).host]);
    expect(proxy.authorizations).toEqual(['Basic Zm9v']);
  });

  const refusals: readonly (readonly [string, object])[] = [
    ['HTTP/1.1 407 Who are you\r\n\r\n', { kind: 'drift', code: 'CREDENTIAL', written: false }],
    ['HTTP/1.1 502 Bad gateway\r\n\r\n', { kind: 'transient', code: 'CONNECT' }],
    ['SSH-2.0-OpenSSH\r\n\r\n', { kind: 'transient', code: 'CONNECT' }],
    ['', { kind: 'transient', code: 'CONNECT' }],
  ];
  it.each(refusals)('that answers %j files nothing', async (answer, verdict) => {
    const proxy = await startProxy(answer);
    const { world, profile } = await delaware({ proxies: [proxy.url], afterBlock: 'stay' });
    expect((await world.send(profile, 'k', {})).verdict).toEqual(verdict);
    expect(world.requests('US-DE')).toEqual([]);
  });

  it('does not lead to a private address by name, unless the profile allows that', async () => {
    const proxy = await startProxy();
    const { world, profile } = await delaware({ proxies: [proxy.url], afterBlock: 'stay' });
    const { verdict } = await world.send({ ...profile, allowPrivateAddresses: false }, 'k', {});
    expect(verdict).toEqual({ kind: 'drift', code: 'ADDRESS_REFUSED', written: false });
    expect(proxy.asked).toEqual([]);
  });
});

describe('before a proxy', () => {
  const answering =
    (address: string): LookupFunction =>
    (_host, _options, callback) =>
      callback(null, [{ address, family: 4 }]);

  async function send(lookup: LookupFunction, environment: Readonly<Record<string, string>>) {
    const proxy = await startProxy('HTTP/1.1 502 Bad gateway\r\n\r\n');
    const { limits: _limits, ...played } = shipped('us-de');
    const egress = { proxies: [proxy.url], afterBlock: 'stay' } as const;
    const portal = createPortal({ environment, lookup });
    cleanup.push(() => portal.close());
    const baseUrl = 'https://files.example.gov';
    const profile = { ...played, baseUrl, allowPrivateAddresses: false, egress };
    const exchange = await portal.send(filing(profile), guard());
    return { proxy, exchange };
  }

  it.each(['169.254.169.254', '127.0.0.1', '10.1.2.3'])(
    'a name that leads to %s is refused, since the proxy would reach it',
    async (address) => {
      const { proxy, exchange } = await send(answering(address), OWN_MACHINE);
      expect(exchange).toMatchObject({ code: 'address_refused', written: false });
      expect(proxy.asked).toEqual([]);
    },
  );

  it('a name that cannot be resolved here is not judged, and so not asked for', async () => {
    const fails: LookupFunction = (_host, _options, callback) =>
      callback(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), []);
    const { proxy, exchange } = await send(fails, OWN_MACHINE);
    expect(exchange).toMatchObject({ code: 'dns', written: false });
    expect(proxy.asked).toEqual([]);
  });

  it('a public name goes through; a private proxy only where the operator allows it', async () => {
    const open = await send(answering('93.184.216.34'), OWN_MACHINE);
    expect(open.proxy.asked).toEqual(['files.example.gov:443']);
    const closed = await send(answering('93.184.216.34'), {});
    expect(closed.proxy.asked).toEqual([]);
    expect(closed.exchange).toMatchObject({ code: 'address_refused' });
    expect(JSON.stringify(closed.exchange)).toContain('the proxy 127.0.0.1');
  });
});

describe('a pool of addresses', () => {
  it('stays on the blocked one until the reset stamp; after it takes the next, where the terms allow', async () => {
    const [first, second] = [await startProxy(), await startProxy()];
    const egress = {
      proxies: [first.url, second.url],
      afterBlock: 'next',
      terms: 'Terms, section 4',
    } as const;
    const { world, profile } = await delaware(egress);
    await block(world, profile);
    world.pass(59_999);
    expect((await world.send(profile, 'early', {})).verdict.kind).toBe('throttled');
    expect(second.asked).toEqual([]);
    world.pass(1);
    expect((await world.send(profile, 'later', {})).verdict.kind).toBe('accepted');
    expect(second.asked).toHaveLength(1);
  });

  it('never moves where the terms say nothing', async () => {
    const [first, second] = [await startProxy(), await startProxy()];
    const { world, profile } = await delaware({
      proxies: [first.url, second.url],
      afterBlock: 'stay',
    });
    await block(world, profile);
    world.pass(60_000);
    expect((await world.send(profile, 'later', {})).verdict.kind).toBe('accepted');
    expect(second.asked).toEqual([]);
  });
});
