import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { RESPONSE_BYTES_MAX } from '../../core/exchange.ts';
import { createPortal, type LanePortal } from './portal.ts';
import {
  asAnswer,
  asFailure,
  filing,
  guard,
  listen,
  type Loopback,
  type LoopbackOptions,
  OK,
  profileFor,
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

function portal(): LanePortal {
  const created = createPortal({ environment: OWN_MACHINE });
  cleanup.unshift(() => created.close());
  return created;
}

const lane = (server: Loopback, changes: object = {}) =>
  profileFor(`http://127.0.0.1:${server.port}`, changes);

async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error('it never came to hold');
    await nextTurn();
  }
}

describe('a lease that is gone', () => {
  it('writes nothing on a fresh connection', async () => {
    const server = await serve();
    const failure = asFailure(
      await portal().send(
        filing(lane(server)),
        guard(() => false),
      ),
    );
    expect(failure).toMatchObject({ code: 'lease_lost', written: false });
    await until(() => server.connections() === 1);
    expect(server.bytes()).toBe(0);
  });

  it('writes nothing on a connection that is already open, and the lane goes on', async () => {
    const server = await serve();
    const profile = lane(server);
    const portals = portal();
    await portals.send(filing(profile), guard());
    const before = server.bytes();
    const failure = asFailure(
      await portals.send(
        filing(profile),
        guard(() => false),
      ),
    );
    expect(failure).toMatchObject({ code: 'lease_lost', written: false });
    expect(server.bytes()).toBe(before);
    expect(asAnswer(await portals.send(filing(profile), guard())).status).toBe(200);
    expect(server.received).toHaveLength(2);
  });

  it('is asked about directly before the write, not at dispatch', async () => {
    const server = await serve();
    const profile = lane(server);
    const portals = portal();
    await portals.send(filing(profile), guard());
    let isLive = true;
    const sending = portals.send(
      filing(profile),
      guard(() => isLive),
    );
    isLive = false;
    expect(asFailure(await sending)).toMatchObject({ code: 'lease_lost', written: false });
    expect(server.received).toHaveLength(1);
  });

  it('does not even connect when the signal has fired before', async () => {
    const server = await serve();
    const lost = guard();
    lost.lose();
    const failure = asFailure(await portal().send(filing(lane(server)), lost));
    expect(failure).toMatchObject({ code: 'lease_lost', written: false });
    expect(server.connections()).toBe(0);
  });

  it('cuts a request in flight, which stays written', async () => {
    const held = guard();
    const server = await serve({ onRequest: () => held.lose() });
    const failure = asFailure(await portal().send(filing(lane(server)), held));
    expect(failure).toMatchObject({ code: 'lease_lost', written: true });
  });

  it('ends the wait for a connection, and nothing is written when that comes about', async () => {
    const server = await serve();
    const held = guard();
    const sending = portal().send(filing(lane(server)), held);
    held.lose();
    expect(asFailure(await sending)).toMatchObject({ code: 'lease_lost', written: false });
    await nextTurn();
    expect(server.bytes()).toBe(0);
  });

  it('is watched by one signal for many requests without a warning', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): number => warnings.push(warning);
    process.on('warning', onWarning);
    const held = guard();
    const server = await serve({ onRequest: (_socket, _request, n) => n === 40 && held.lose() });
    const portals = portal();
    const sending = Array.from({ length: 40 }, () => portals.send(filing(lane(server)), held));
    const failures = (await Promise.all(sending)).map(asFailure);
    expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(['lease_lost']));
    await nextTurn();
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });
});

describe('a timeout', () => {
  it('covers an answer that never comes', async () => {
    const server = await serve({ onRequest: () => undefined });
    const failure = asFailure(
      await portal().send(filing(lane(server, { timeoutMs: 60 })), guard()),
    );
    expect(failure).toMatchObject({ code: 'timeout', written: true });
    expect(failure.elapsedMs).toBeGreaterThanOrEqual(55);
  });

  it('is not stretched by a slow drip of the body or of the head', async () => {
    const dripping = (head: string) =>
      serve({
        onRequest: (socket) => {
          socket.write(head);
          const timer = setInterval(() => socket.write('x'), 10);
          socket.on('close', () => clearInterval(timer));
        },
      });
    const servers = [
      await dripping('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n'),
      await dripping('HTTP/1.1 200 OK\r\nx-slow: '),
    ];
    for (const server of servers) {
      const profile = lane(server, { timeoutMs: 100 });
      const failure = asFailure(await portal().send(filing(profile), guard()));
      expect(failure).toMatchObject({ code: 'timeout', written: true });
      expect(failure.elapsedMs).toBeLessThan(1_000);
    }
  });

  it('frees the lane for the next request', async () => {
    const server = await serve({ onRequest: (socket, _request, n) => n > 1 && socket.write(OK) });
    const profile = lane(server, { timeoutMs: 60 });
    const portals = portal();
    asFailure(await portals.send(filing(profile), guard()));
    expect(asAnswer(await portals.send(filing(profile), guard())).status).toBe(200);
  });
});

describe('a body', () => {
  const cut = (text: string) =>
    serve({
      onRequest: (socket) => {
        socket.end(text);
      },
    });

  it.each([
    ['shorter than declared', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{"a"', '{"a"'],
    [
      'cut inside a chunk',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n8\r\n{"a"',
      '{"a"',
    ],
    [
      'without its last chunk',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\n{"a"\r\n',
      '{"a"',
    ],
    [
      'with a malformed chunk',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\n{"a"\r\nZZ\r\n',
      '{"a"',
    ],
    ['that never began', 'HTTP/1.1 422 No\r\ncontent-length: 10\r\n\r\n', ''],
  ])('%s is an answer that was cut', async (_name, text, body) => {
    const server = await cut(text);
    const answer = asAnswer(await portal().send(filing(lane(server)), guard()));
    expect(answer.bodyEnd).toBe('cut');
    expect(Buffer.from(answer.body).toString()).toBe(body);
    expect(answer.bodySha256).toBe(createHash('sha256').update(body).digest('hex'));
  });

  it('without a declared length is whole when the portal closes, and cut when the connection is reset', async () => {
    const head = 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{"a":1}';
    const closing = await cut(head);
    const whole = asAnswer(await portal().send(filing(lane(closing)), guard()));
    expect(whole.bodyEnd).toBe('whole');
    const resetting = await serve({
      onRequest: (socket) => {
        socket.write(head);
        setTimeout(() => socket.resetAndDestroy(), 20);
      },
    });
    const reset = asAnswer(await portal().send(filing(lane(resetting)), guard()));
    expect(reset.bodyEnd).toBe('cut');
    expect(Buffer.from(reset.body).toString()).toBe('{"a":1}');
  });

  it.each([
    [RESPONSE_BYTES_MAX, 'whole'],
    [RESPONSE_BYTES_MAX + 1, 'beyond_limit'],
    [9 * 1024 * 1024, 'beyond_limit'],
  ] as const)('of %i bytes is %s, with a digest over all of it', async (size, bodyEnd) => {
    const body = Buffer.alloc(size, 'abcdefg');
    const server = await serve({
      onRequest: (socket) => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`);
        socket.write(body);
      },
    });
    const answer = asAnswer(await portal().send(filing(lane(server)), guard()));
    expect(answer.bodyEnd).toBe(bodyEnd);
    expect(answer.bodySha256).toBe(createHash('sha256').update(body).digest('hex'));
    const kept = body.subarray(0, RESPONSE_BYTES_MAX);
    expect(Buffer.compare(Buffer.from(answer.body), kept)).toBe(0);
  });

  it('that goes on forever is cut off', async () => {
    const block = Buffer.alloc(1024 * 1024);
    const server = await serve({
      onRequest: (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000000000\r\n\r\n');
        const pour = (): void => {
          while (!socket.destroyed && socket.write(block));
        };
        socket.on('drain', pour);
        pour();
      },
    });
    const answer = asAnswer(await portal().send(filing(lane(server)), guard()));
    expect(answer.bodyEnd).toBe('cut');
    expect(answer.body.length).toBe(RESPONSE_BYTES_MAX);
  });
});

describe('a connection that ends without an answer', () => {
  it.each([
    ['closed', 'cut', (socket: { end(): void }) => socket.end()],
    ['reset', 'cut', (socket: { resetAndDestroy(): void }) => socket.resetAndDestroy()],
    [
      'closed in the head',
      'cut',
      (socket: { end(text: string): void }) => socket.end('HTTP/1.1 200 O'),
    ],
    [
      'closed after an interim answer',
      'cut',
      (socket: { end(text: string): void }) => socket.end('HTTP/1.1 103 Early Hints\r\n\r\n'),
    ],
    [
      'not HTTP',
      'protocol',
      (socket: { write(text: string): void }) => socket.write('SSH-2.0-x\r\n\r\n'),
    ],
    [
      'an endless head',
      'protocol',
      (socket: { write(text: string): void }) =>
        socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}`),
    ],
    [
      'an upgrade',
      'protocol',
      (socket: { write(text: string): void }) =>
        socket.write('HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ],
  ] as const)('(%s) is a failure after the write', async (_name, code, act) => {
    const server = await serve({ onRequest: (socket) => act(socket) });
    const failure = asFailure(await portal().send(filing(lane(server)), guard()));
    expect(failure).toMatchObject({ code, written: true });
    expect(server.received).toHaveLength(1);
  });

  it('is never answered by sending the filing again', async () => {
    // The portal drops every second request on a connection that it has kept alive before.
    const server = await serve({
      onRequest: (socket, _request, n) => {
        if (n % 2 === 1) socket.write(OK);
        else socket.destroy();
      },
    });
    const profile = lane(server);
    const portals = portal();
    const ends: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      const exchange = await portals.send(filing(profile, `{"n":${n}}`), guard());
      ends.push(exchange.kind === 'answer' ? 'answer' : `${exchange.code} ${exchange.written}`);
    }
    expect(ends).toEqual(['answer', 'cut true', 'answer', 'cut true', 'answer', 'cut true']);
    const bodies = server.received.map(({ text }) => text.slice(text.indexOf('{')));
    expect(bodies).toEqual(['{"n":0}', '{"n":1}', '{"n":2}', '{"n":3}', '{"n":4}', '{"n":5}']);
  });

  it('while idle costs nothing: the next filing goes out once, on a new one', async () => {
    const server = await serve({
      onRequest: (socket) => {
        socket.write(OK);
        setImmediate(() => socket.destroy());
      },
    });
    const profile = lane(server);
    const portals = portal();
    for (let n = 0; n < 20; n += 1) {
      const exchange = await portals.send(filing(profile, `{"n":${n}}`), guard());
      // Either it went out on a new connection, or it met the closing one: then it counts as written.
      if (exchange.kind === 'failure') expect(exchange.code).toBe('cut');
      await nextTurn();
    }
    const bodies = server.received.map(({ text }) => text.slice(text.indexOf('{')));
    expect(new Set(bodies).size).toBe(bodies.length);
  });

  it('after each answer, as the portal announces it, costs nothing either', async () => {
    const closing = OK.replace('\r\n', '\r\nconnection: close\r\n');
    const server = await serve({
      onRequest: (socket, { text }) =>
        socket.end(text.startsWith('HEAD') ? closing.slice(0, -2) : closing),
    });
    const profile = lane(server);
    const portals = portal();
    for (let n = 0; n < 10; n += 1) {
      expect(asAnswer(await portals.probe(profile, guard())).status).toBe(200);
      expect(asAnswer(await portals.send(filing(profile), guard())).bodyEnd).toBe('whole');
    }
    expect(server.received).toHaveLength(20);
  });

  it('because the lane was closed is a failure, written if it was', async () => {
    const portals = portal();
    const server = await serve({ onRequest: () => void portals.close('US-XX') });
    const failure = asFailure(await portals.send(filing(lane(server)), guard()));
    expect(failure).toMatchObject({ code: 'cut', written: true });
  });
});
