/** The adversary is a portal below its pages: what it says to the socket. It costs one attempt its time, and nothing else. */
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Profile } from '../../src/core/profile.ts';
import { PortalWorld, shipped, statement } from './world.ts';

const RECEIPT = '{"receiptNumber":"DE-123456","status":"ACCEPTED"}';
/** 64 MB of nothing, which become some kilobytes. */
const BOMB = Buffer.alloc(64 * 1024 * 1024, 0x20);
const TIMEOUT_MS = 1_500;

type Say = (socket: Socket) => void;
const raw =
  (...parts: readonly (string | Uint8Array)[]): Say =>
  (socket) => {
    for (const part of parts) socket.write(part);
    socket.end();
  };
const answer = (body: string | Uint8Array, headers: readonly string[] = []): Say => {
  const bytes = Buffer.from(body);
  const head = ['HTTP/1.1 200 OK', 'content-type: application/json', ...headers];
  return raw(`${head.join('\r\n')}\r\ncontent-length: ${bytes.length}\r\n\r\n`, bytes);
};
/** Said again and again until the other side has had enough. */
const forever =
  (start: string, more: string | Uint8Array, everyMs = 0): Say =>
  (socket) => {
    socket.write(start);
    const next = (): void => {
      if (socket.destroyed) return;
      if (!socket.write(more)) socket.once('drain', next);
      else if (everyMs > 0) setTimeout(next, everyMs).unref();
      else setImmediate(next);
    };
    next();
  };

const CHUNKED =
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
const MEGABYTE = Buffer.alloc(1_000_000, 0x5b);

const KINDS: Readonly<Record<string, Say>> = {
  'a gzip bomb, though nothing compressed was asked for': answer(gzipSync(BOMB), [
    'content-encoding: gzip',
  ]),
  'a Brotli bomb': answer(brotliCompressSync(BOMB), ['content-encoding: br']),
  'a receipt that is compressed': answer(gzipSync(RECEIPT), ['content-encoding: gzip']),
  'a bomb in a bomb': answer(gzipSync(gzipSync(BOMB)), ['content-encoding: gzip, gzip']),
  'a header line of a megabyte': answer(RECEIPT, [`x-long: ${'x'.repeat(1_000_000)}`]),
  'a hundred thousand header lines': answer(
    RECEIPT,
    Array.from({ length: 100_000 }, (_, n) => `x-${n}: 1`),
  ),
  'a header without an end': forever('HTTP/1.1 200 OK\r\nx-long: ', 'x'.repeat(10_000)),
  'a header that drips': forever('HTTP/1.1 200 OK\r\nx-slow: ', 'x', 20),
  'a body that drips': forever(
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n{',
    ' ',
    20,
  ),
  'chunks without an end': forever(
    CHUNKED,
    Buffer.concat([Buffer.from('F4240\r\n'), MEGABYTE, Buffer.from('\r\n')]),
  ),
  'chunks of one byte': forever(CHUNKED, '1\r\n[\r\n'.repeat(1_000)),
  'a chunk of more bytes than there are': raw(CHUNKED, 'FFFFFFFFFFFFFFFF\r\n', '[1]'),
  'chunk extensions without an end': forever(CHUNKED, `1;${'x'.repeat(10_000)}`),
  'trailers without an end': forever(`${CHUNKED}0\r\n`, `x-t: ${'x'.repeat(10_000)}\r\n`),
  'two lengths that differ': raw(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5\r\ncontent-length: 66\r\n\r\n`,
    RECEIPT,
  ),
  'a length and chunks': raw(
    `HTTP/1.1 200 OK\r\ncontent-length: 66\r\ntransfer-encoding: chunked\r\n\r\n`,
    RECEIPT,
  ),
  'a length below zero': raw('HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n', RECEIPT),
  'a length that is never reached': raw(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 999999\r\n\r\n`,
    RECEIPT,
  ),
  'interim answers without an end': forever('', 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'),
  'a status line of nonsense': raw('HTTP/9.9 999 \x1b[2J\r\n\r\n', RECEIPT),
  'no HTTP at all': forever('', Buffer.alloc(10_000)),
  'a receipt behind NULs': answer(`${'\0'.repeat(1_000)}${RECEIPT}`),
  'a receipt in UTF-16 that is called UTF-8': answer(Buffer.from(RECEIPT, 'utf16le')),
  'a receipt behind a million brackets': answer(`${'['.repeat(1_000_000)}${RECEIPT}`),
  nothing: (socket) => socket.resume(),
  'an end at once': (socket) => socket.destroy(),
};

let say: Say;
let sends = 0;
let server: Server;
let world: PortalWorld;
let profile: Profile;

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => say(socket));
  });
  await new Promise<void>((ready) => {
    server.listen(0, '127.0.0.1', ready);
  });
  world = await PortalWorld.open([shipped('us-tx')]);
  const { port } = server.address() as AddressInfo;
  const own = { baseUrl: `http://127.0.0.1:${port}`, allowPrivateAddresses: true };
  profile = shipped('us-de', { ...own, timeoutMs: TIMEOUT_MS });
});
afterAll(async () => {
  await world.close();
  server.close();
});

describe('whatever a portal says to the socket', () => {
  it('an honest receipt is one, to begin with', async () => {
    say = answer(RECEIPT);
    const { verdict } = await world.send(profile, 'k-honest', statement());
    expect(verdict).toMatchObject({ kind: 'accepted' });
  });

  it.each(Object.entries(KINDS))(
    '%s ends in its time, proves nothing and fills no heap',
    async (_name, kind) => {
      const n = ++sends;
      say = kind;
      const heapBefore = process.memoryUsage().arrayBuffers;
      const { exchange, verdict } = await world.send(profile, `k-${n}`, statement());
      expect(verdict.kind, JSON.stringify(verdict)).not.toBe('accepted');
      // Nothing of it says that nothing was sent: the request was read before the answer began.
      expect(exchange.kind === 'answer' || exchange.written, JSON.stringify(verdict)).toBe(true);
      expect(process.memoryUsage().arrayBuffers - heapBefore).toBeLessThan(48 * 1024 * 1024);
      // The lane is there for the next one.
      say = answer(RECEIPT);
      const next = await world.send(profile, `k-${n}-again`, statement());
      expect(next.verdict.kind).toBe('accepted');
    },
  );
});
