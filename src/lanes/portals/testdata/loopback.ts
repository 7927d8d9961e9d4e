/** Real servers on loopback for the tests of this room: they record the exact bytes and answer with exact bytes. */
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Answer, Exchange, Failure } from '../../../core/exchange.ts';
import { idempotencyKey } from '../../../core/ids.ts';
import type { Profile } from '../../../core/profile.ts';
import type { SendRequest, WriteGuard } from '../../../core/ports.ts';
import { readProfile } from '../../profile/read-profile.ts';

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
export const testKey = () => read('./test-key.pem');
export const testCertificate = () => read('./test-cert.pem');

/** A request as it came over the wire, head and body together. */
export interface Received {
  readonly text: string;
  readonly connection: number;
}

export interface Loopback {
  readonly port: number;
  readonly received: Received[];
  /** All bytes that arrived, also those of unfinished requests. */
  readonly bytes: () => number;
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

export interface LoopbackOptions {
  readonly tls?: boolean;
  /** Called with every whole request; writes the answer. */
  readonly onRequest?: (socket: Socket, request: Received, n: number) => void;
  readonly onConnection?: (socket: Socket, n: number) => void;
}

export const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';

export async function listen(options: LoopbackOptions): Promise<Loopback> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let bytes = 0;
  let connections = 0;
  const onSocket = (socket: Socket): void => {
    const connection = (connections += 1);
    sockets.add(socket);
    socket.on('error', () => undefined);
    options.onConnection?.(socket, connection);
    let pending = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      pending = Buffer.concat([pending, chunk]);
      for (let size = requestSize(pending); size > 0; size = requestSize(pending)) {
        const request = { text: pending.toString('latin1', 0, size), connection };
        pending = pending.subarray(size);
        received.push(request);
        if (options.onRequest === undefined) socket.write(OK);
        else options.onRequest(socket, request, received.length);
      }
    });
  };
  const server: Server =
    options.tls === true
      ? createTlsServer({ key: testKey(), cert: testCertificate() }, onSocket)
      : createServer(onSocket);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: portOf(server),
    received,
    bytes: () => bytes,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

export function portOf(server: Server): number {
  // A TCP server that listens has an AddressInfo; the other forms are pipes and closed servers.
  return (server.address() as AddressInfo).port;
}

// Bytes of the first whole request in the buffer, 0 when it is not there yet.
function requestSize(buffer: Buffer): number {
  const headEnd = buffer.indexOf('\r\n\r\n');
  if (headEnd < 0) return 0;
  const length = /content-length: (\d+)/i.exec(buffer.toString('latin1', 0, headEnd))?.[1] ?? '0';
  const size = headEnd + 4 + Number(length);
  return buffer.length >= size ? size : 0;
}

export function profileFor(baseUrl: string, changes: object = {}): Profile {
  const profile = {
    format: 1,
    code: 'US-XX',
    jurisdiction: 'US-XX',
    title: 'Loopback',
    driver: 'json-api',
    baseUrl,
    allowPrivateAddresses: true,
    ceiling: 4,
    timeoutMs: 5_000,
    submit: { method: 'POST', path: '/submit' },
    status: {
      path: '/status/{key}',
      visibilityLagMs: 0,
      stateAt: '/state',
      accepted: ['ACCEPTED'],
      refused: [],
      processing: [],
      notFound: [],
    },
    receipt: { statuses: [200], numberAt: '/receipt', pattern: '.' },
    received: { submissionIdAt: '/id', pollMs: 1, boundMs: 1 },
    ...changes,
  };
  return readProfile(JSON.stringify(profile), 'loopback');
}

export const KEY = idempotencyKey('key-1');

export function filing(profile: Profile, body = '{"a":1}'): SendRequest {
  const contentType = 'application/json; charset=utf-8';
  return { profile, key: KEY, payload: Buffer.from(body), contentType };
}

export function guard(mayWrite: () => boolean = () => true): WriteGuard & {
  readonly lose: () => void;
} {
  const controller = new AbortController();
  return { mayWrite, signal: controller.signal, lose: () => controller.abort() };
}

export function asAnswer(exchange: Exchange): Answer {
  if (exchange.kind === 'answer') return exchange;
  throw new Error(`expected an answer, found ${exchange.code}: ${exchange.message}`);
}

export function asFailure(exchange: Exchange): Failure {
  if (exchange.kind === 'failure') return exchange;
  throw new Error(`expected a failure, found the answer ${exchange.status}`);
}
