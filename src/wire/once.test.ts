import { createServer, type Server, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { WriteGuard } from '../core/ports.ts';
import { askOnce, type OnceEnd, type OnceLimits, UNGUARDED } from './once.ts';
import { ANY_PRIVATE } from './private-networks.ts';

const LIMITS: OnceLimits = { wholeMs: 5_000, keptBytesMax: 1_000, readBytesMax: 100_000 };

/** Answers as told; counts what came. */
async function serve(onData: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const seen = { connections: 0, bytes: 0 };
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    seen.connections += 1;
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      seen.bytes += chunk.length;
      onData(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { seen, url: new URL(`http://127.0.0.1:${port}/x`) };
}

function ask(url: URL, limits: Partial<OnceLimits> = {}, guard = UNGUARDED): Promise<OnceEnd> {
  const request = { method: 'GET', url, headers: {}, allowPrivateAddresses: ANY_PRIVATE } as const;
  return askOnce(request, { ...LIMITS, ...limits }, {}, guard);
}

const head = (length: number) => `HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`;

describe('one request on a connection of its own', () => {
  it('brings the answer whole, with the times of its phases', async () => {
    const { url } = await serve((socket) => socket.write(`${head(2)}{}`));
    const end = await ask(url);
    expect(end).toMatchObject({ kind: 'answer', status: 200, bodyEnd: 'whole' });
    expect(end.times.connectMs).toBeGreaterThan(0);
    expect(end.times.responseMs).toBeLessThanOrEqual(end.elapsedMs);
  });

  it('that was written and is not answered in time is written, however much drips in', async () => {
    const { url } = await serve((socket) => {
      socket.write(head(1_000));
      const drip = setInterval(() => socket.write('.'), 10);
      socket.on('close', () => clearInterval(drip));
    });
    for (const limits of [{ wholeMs: 150 }, { answerMs: 150 }]) {
      const end = await ask(url, limits);
      expect(end).toMatchObject({ kind: 'failure', code: 'timeout', written: true });
      expect(end).toMatchObject({ heard: { status: 200 } });
      expect(end.elapsedMs).toBeGreaterThan(150);
      expect(end.elapsedMs).toBeLessThan(3_000);
    }
  });

  it('keeps no more of a body than it may, and reads no flood to its end', async () => {
    const { url } = await serve((socket) => socket.write(head(5_000) + 'x'.repeat(5_000)));
    const end = await ask(url);
    expect(end).toMatchObject({ kind: 'answer', bodyEnd: 'beyond_limit' });
    expect(end.kind === 'answer' && end.body.length).toBe(1_000);
    expect(await ask(url, { readBytesMax: 2_000 })).toMatchObject({ bodyEnd: 'cut' });
  });

  it('asks its guard directly before the write, and writes nothing when it says no', async () => {
    const { url, seen } = await serve((socket) => socket.write(`${head(2)}{}`));
    const guard: WriteGuard = { mayWrite: () => false, signal: UNGUARDED.signal };
    const end = await ask(url, {}, guard);
    expect(end).toMatchObject({ kind: 'failure', code: 'lease_lost', written: false });
    expect(end.times.responseMs).toBeGreaterThanOrEqual(0);
    expect(seen.bytes).toBe(0);
  });

  it('is over with its guard’s signal; before it began it does not even connect', async () => {
    const controller = new AbortController();
    const guard: WriteGuard = { mayWrite: () => true, signal: controller.signal };
    const { url, seen } = await serve(() => controller.abort());
    expect(await ask(url, {}, guard)).toMatchObject({ code: 'lease_lost', written: true });
    expect(await ask(url, {}, guard)).toMatchObject({ code: 'lease_lost', written: false });
    expect(seen.connections).toBe(1);
  });

  it('goes to no private address unless it may, by number or by name', async () => {
    const { url, seen } = await serve(() => undefined);
    for (const host of ['127.0.0.1', 'inside.example']) {
      const end = await askOnce(
        {
          method: 'GET',
          url: new URL(`http://${host}:${url.port}/`),
          headers: {},
          allowPrivateAddresses: false,
        },
        LIMITS,
        { lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]) },
        UNGUARDED,
      );
      expect(end).toMatchObject({ kind: 'failure', code: 'address_refused', written: false });
      expect(end.times.responseMs).toBeUndefined();
    }
    expect(seen.connections).toBe(0);
  });

  it('that HTTP does not allow is not written', async () => {
    const { url, seen } = await serve(() => undefined);
    const request = { method: 'GET', url, allowPrivateAddresses: ANY_PRIVATE } as const;
    const headers = { 'x-broken': 'a\r\nb: c' };
    const end = await askOnce({ ...request, headers }, LIMITS, {}, UNGUARDED);
    expect(end).toMatchObject({ kind: 'failure', code: 'protocol', written: false });
    expect(seen.bytes).toBe(0);
  });
});
