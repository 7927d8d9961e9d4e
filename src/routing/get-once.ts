/** One GET, for the health and the records of a target and for the assignment table. Every outcome is a value. */
import { createSecureContext, type SecureContext } from 'node:tls';
import { Client } from 'undici';
import type { Clock } from '../core/index.ts';
import {
  type ConnectionParts,
  type HandoffParts,
  openTimed,
  type PhaseTimes,
} from '../notify/index.ts';

export type GetOutcome =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body: Buffer;
      readonly elapsedMs: number;
      readonly times: PhaseTimes;
    }
  | {
      readonly kind: 'failed';
      readonly code: string;
      readonly elapsedMs: number;
      readonly times: PhaseTimes;
    };

/** A page of records fits; what is larger is not read. */
const BODY_BYTES_MAX = 1024 * 1024;
const HEADER_BYTES_MAX = 16 * 1024;

export interface GetParts {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly handshakeMs: number;
  readonly transport: Pick<HandoffParts, 'lookup' | 'certificateAuthorities'>;
}

const contexts = new WeakMap<object, SecureContext>();

export async function getOnce(
  request: {
    readonly url: URL;
    readonly allowPrivateAddresses: boolean;
    readonly headers?: Readonly<Record<string, string>>;
  },
  parts: GetParts,
  signal: AbortSignal,
): Promise<GetOutcome> {
  const { clock, timeoutMs, handshakeMs } = parts;
  const startedMs = clock.monotonicMs();
  const end = (code: string, times: PhaseTimes = {}): GetOutcome => ({
    kind: 'failed',
    code,
    times,
    elapsedMs: Math.round(clock.monotonicMs() - startedMs),
  });
  const { url, allowPrivateAddresses } = request;
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowPrivateAddresses)) {
    return end('ADDRESS_INVALID');
  }
  const limits = { connectMs: timeoutMs, handshakeMs };
  const opened = await openTimed({ url, allowPrivateAddresses }, limits, wires(parts), signal);
  if (opened.kind === 'failed') return end(opened.code.toUpperCase(), opened.times);
  const client = new Client(url.origin, {
    // Never in the same call: undici would wait for ever for a connection that it has already.
    connect: (_target, callback) => queueMicrotask(() => callback(null, opened.socket)),
    pipelining: 1,
    allowH2: false,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxHeaderSize: HEADER_BYTES_MAX,
    maxResponseSize: BODY_BYTES_MAX,
  });
  try {
    const answer = await client.request({
      method: 'GET',
      path: url.pathname + url.search,
      headers: {
        // A cached answer says nothing about the health of what is behind it.
        'cache-control': 'no-cache, no-store',
        'accept-encoding': 'identity',
        ...request.headers,
      },
      signal,
    });
    const body = Buffer.from(await answer.body.arrayBuffer());
    const elapsedMs = Math.round(clock.monotonicMs() - startedMs);
    return { kind: 'answer', status: answer.statusCode, body, elapsedMs, times: opened.times };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'CUT';
    return end(code, opened.times);
  } finally {
    opened.socket.destroy();
    // Resolves when the socket is closed, and rejects never; nobody has to wait for it.
    void client.destroy();
  }
}

function wires({ clock, transport }: GetParts): ConnectionParts {
  const { lookup, certificateAuthorities: ca } = transport;
  let secureContext = contexts.get(transport);
  if (secureContext === undefined) {
    secureContext = createSecureContext(ca === undefined ? {} : { ca: [...ca] });
    contexts.set(transport, secureContext);
  }
  return { clock, secureContext, ...(lookup === undefined ? {} : { lookup }) };
}
