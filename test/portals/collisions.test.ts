/** A session token in two places isolates its lanes before anything more is filed. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Profile } from '../../src/core/profile.ts';
import { PortalWorld, shipped, statement } from './world.ts';

const cleanup: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

async function open(...parameters: Parameters<typeof PortalWorld.open>): Promise<PortalWorld> {
  const world = await PortalWorld.open(...parameters);
  cleanup.push(() => world.close());
  return world;
}

/** A JSON portal that takes everything and answers with the headers given. */
async function plainPortal(
  headers: (n: number) => Readonly<Record<string, string>>,
): Promise<{ readonly url: string; readonly seen: string[] }> {
  const seen: string[] = [];
  const listener: RequestListener = (request, response) => {
    seen.push(`${String(request.headers['cookie'])} ${String(request.headers['x-session-token'])}`);
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers(seen.length) });
      setTimeout(() => response.end('{"receiptNumber":"RCPT-0001"}'), 20);
    });
  };
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  // A TCP server that listens has an AddressInfo.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

function lane(code: string, url: string, changes: Partial<Profile> = {}): Profile {
  const { limits: _limits, session: _session, ...profile } = shipped('us-de');
  return { ...profile, code, baseUrl: url, allowPrivateAddresses: true, ...changes };
}

describe('a session token', () => {
  it('in two lanes isolates both: the next filing of each is held as drift, unwritten', async () => {
    const world = await open([shipped('us-tx')]);
    const portal = await plainPortal(() => ({ 'x-session-token': 'same-for-all' }));
    const [a, b] = [lane('LANE-A', portal.url), lane('LANE-B', portal.url)];
    expect((await world.send(a, 'k1', {})).verdict.kind).toBe('accepted');
    expect(world.collisions).toEqual([]);
    // The answer that shows the collision is still the answer: its receipt is not thrown away.
    expect((await world.send(b, 'k2', {})).verdict.kind).toBe('accepted');
    expect(world.collisions).toMatchObject([
      { kind: 'two_lanes', lane: 'LANE-B', otherLane: 'LANE-A', carrier: 'x-session-token' },
    ]);
    expect(JSON.stringify(world.collisions)).not.toContain('same-for-all');
    for (const profile of [a, b]) {
      expect((await world.send(profile, 'k3', {})).verdict).toEqual({
        kind: 'drift',
        code: 'SESSION_COLLISION',
        written: false,
      });
    }
    expect(portal.seen).toHaveLength(2);
    // Once the lane is opened again it starts afresh.
    expect((await world.send(a, 'k4', {})).verdict.kind).toBe('accepted');
  });

  it('of a watched cookie in two lanes is a collision, and no cookie survives it', async () => {
    const world = await open([shipped('us-tx')]);
    const portal = await plainPortal((n) => ({ 'set-cookie': n < 3 ? 'SID=one; Path=/' : 'x=1' }));
    const session = { scope: 'lane', idleMs: 60_000, cookies: ['SID'], headers: [] } as const;
    const [a, b] = [
      lane('LANE-A', portal.url, { session }),
      lane('LANE-B', portal.url, { session }),
    ];
    await world.send(a, 'k1', {});
    await world.send(b, 'k2', {});
    expect(world.collisions).toMatchObject([{ kind: 'two_lanes', carrier: 'SID' }]);
    await world.send(a, 'k3', {});
    await world.send(a, 'k4', {});
    expect(portal.seen.at(-1)).toBe('undefined undefined');
  });

  it.each([
    'SID=deleted; expires=Thu, 01-Jan-1970 00:00:01 GMT; Max-Age=0; Path=/',
    'SID=deleted; expires=Thu, 01 Jan 1970 00:00:01 GMT; Path=/',
    'SID=x; Max-Age=-1',
  ])('that is taken away from two lanes is no collision: %s', async (cookie) => {
    const world = await open([shipped('us-tx')]);
    const portal = await plainPortal(() => ({ 'set-cookie': cookie }));
    const session = { scope: 'lane', idleMs: 60_000, cookies: ['SID'], headers: [] } as const;
    for (const code of ['LANE-A', 'LANE-B', 'LANE-A']) {
      const { verdict } = await world.send(lane(code, portal.url, { session }), code, {});
      expect(verdict.kind).toBe('accepted');
    }
    expect(world.collisions).toEqual([]);
    expect(portal.seen.at(-1)).toBe('undefined undefined');
  });

  it('that comes back within its own lane is what sessions are for', async () => {
    const world = await open([shipped('us-tx')]);
    const portal = await plainPortal(() => ({ 'x-session-token': 't1' }));
    const session = {
      scope: 'slot',
      idleMs: 60_000,
      cookies: [],
      headers: ['X-Session-Token'],
    } as const;
    const profile = lane('LANE-A', portal.url, { session });
    for (const key of ['k1', 'k2', 'k3']) await world.send(profile, key, {});
    expect(world.collisions).toEqual([]);
    expect(portal.seen).toEqual(['undefined undefined', 'undefined t1', 'undefined t1']);
  });

  it('in two filings at once on a serial portal is a collision; one after the other is none', async () => {
    const world = await open([shipped('us-tx')]);
    const portal = await plainPortal(() => ({ 'x-session-token': 'one' }));
    const session = {
      scope: 'slot',
      idleMs: 60_000,
      cookies: [],
      headers: ['X-Session-Token'],
    } as const;
    const profile = lane('LANE-A', portal.url, { session });
    await Promise.all(['k1', 'k2'].map((key) => world.send(profile, key, {})));
    expect(world.collisions).toMatchObject([
      { kind: 'two_filings', lane: 'LANE-A', otherLane: 'LANE-A' },
    ]);
    expect((await world.send(profile, 'k3', {})).verdict).toMatchObject({
      code: 'SESSION_COLLISION',
    });
    expect(portal.seen).toHaveLength(2);
  });

  it('handed to two logins of a portal with pages stops the second filing before its post', async () => {
    const world = await open([shipped('us-ny')], {
      'US-NY': { login: 'shared', latencyMs: { mean: 20, spread: 0 } },
    });
    const profile = world.profile('US-NY');
    const sent = await Promise.all(['a', 'b'].map((key) => world.send(profile, key, statement())));
    const codes = sent.map(({ verdict }) => ('code' in verdict ? verdict.code : verdict.kind));
    expect(codes).toContain('SESSION_COLLISION');
    expect(world.collisions.length).toBeGreaterThan(0);
    const posts = world.requests('US-NY').filter((line) => line === 'POST /statement/submit');
    expect(posts.length).toBeLessThan(2);
  });
});
