/** One webhook, sent once. Standard Webhooks in its headers, an event in its body; every outcome is a value. */
import type { LookupFunction, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { isIP } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { Client } from 'undici';
import type { Clock } from '../core/index.ts';
import { VERSION } from '../portals/index.ts';
import { guardedDial, SendFailure } from './guarded-dial.ts';
import type { SendOutcome } from './outcome.ts';

/** Receivers answer first and work later; name, connection, handshake, answer and its body together. */
const TIMEOUT_MS = 15_000;
/** The answer's body says nothing to us; it is read this far so that the connection ends cleanly. */
const ANSWER_BYTES_MAX = 64 * 1024;
const ANSWER_HEADER_BYTES_MAX = 16 * 1024;

export interface WebhookMessage {
  readonly url: string;
  /** The same at every attempt, so that a receiver knows what it has seen. */
  readonly id: string;
  readonly body: string;
  /** Each of them signs; two while a secret is being replaced. */
  readonly secrets: readonly string[];
  readonly allowPrivateAddresses: boolean;
}

export interface WebhookOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly timeoutMs?: number;
  readonly lookup?: LookupFunction;
  /** PEM texts that replace the well-known authorities. */
  readonly certificateAuthorities?: readonly string[];
}

export async function sendWebhook(
  message: WebhookMessage,
  options: WebhookOptions,
): Promise<SendOutcome> {
  const signal = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  let socket: Socket;
  try {
    socket = await openSocket(message, options, signal);
  } catch (error) {
    if (!(error instanceof SendFailure)) throw error;
    // An address inside the house stays one: nothing is gained by asking again for three days.
    const verdict = error.code === 'ADDRESS_REFUSED' ? 'permanent' : 'transient';
    return { verdict, code: error.code };
  }
  const url = new URL(message.url);
  const client = new Client(url.origin, {
    // Never in the same call: undici would wait for ever for a connection that it has already.
    connect: (_target, callback) => queueMicrotask(() => callback(null, socket)),
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: ANSWER_HEADER_BYTES_MAX,
  });
  try {
    const { statusCode, headers, body } = await client.request({
      method: 'POST',
      path: url.pathname + url.search,
      headers: signedHeaders(message, options.clock),
      body: message.body,
      signal,
    });
    let bytes = 0;
    try {
      for await (const chunk of body) {
        bytes += Buffer.byteLength(chunk as Uint8Array); // A byte stream without an encoding set.
        if (bytes > ANSWER_BYTES_MAX) break;
      }
    } catch {
      // The status has been heard, and nothing else of the answer counts.
    }
    return outcomeOf(statusCode, headers['retry-after'], options.clock);
  } catch (error) {
    return { verdict: 'unknown', code: signal.aborted ? 'TIMEOUT' : cutCode(error) };
  } finally {
    await client.destroy();
    socket.destroy();
  }
}

async function openSocket(
  message: WebhookMessage,
  options: WebhookOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const url = new URL(message.url);
  const isTls = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const { allowPrivateAddresses } = message;
  const { lookup, certificateAuthorities: ca } = options;
  const tcp = await guardedDial(
    { host, port, allowPrivateAddresses },
    { signal, ...(lookup === undefined ? {} : { lookup }) },
  );
  if (!isTls) return tcp;
  return new Promise((done, fail) => {
    const tls = connectTls({
      socket: tcp,
      host,
      // An address is no server name (RFC 6066 § 3); the certificate is then compared with `host`.
      servername: isIP(host) === 0 ? host : '',
      ALPNProtocols: ['http/1.1'],
      ...(ca === undefined ? {} : { ca: [...ca] }),
    });
    const stop = (): void => {
      tls.destroy();
      fail(new SendFailure('TIMEOUT', 'No TLS handshake in time.'));
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const onError = (error: NodeJS.ErrnoException): void => {
      signal.removeEventListener('abort', stop);
      tcp.destroy();
      fail(new SendFailure('TLS_FAILED', `The TLS handshake failed (${error.code ?? 'unknown'}).`));
    };
    tls.once('error', onError);
    tls.once('secureConnect', () => {
      signal.removeEventListener('abort', stop);
      tls.off('error', onError);
      done(tls);
    });
  });
}

function signedHeaders(
  { id, body, secrets }: WebhookMessage,
  clock: Pick<Clock, 'now'>,
): Record<string, string> {
  const at = new Date(clock.now());
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': `filewright/${VERSION}`,
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}

function outcomeOf(
  status: number,
  retryAfter: string | string[] | undefined,
  clock: Pick<Clock, 'now'>,
): SendOutcome {
  const code = `HTTP_${status}`;
  if (status >= 200 && status < 300) return { verdict: 'sent', code };
  if (status === 410) return { verdict: 'gone', code };
  // Redirects are not followed: the address was given by a person, and the next one would be given by anybody.
  const retryAfterMs = typeof retryAfter === 'string' ? waitOf(retryAfter, clock) : undefined;
  return { verdict: 'transient', code, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** RFC 9110 § 10.2.3: seconds, or a date. */
function waitOf(retryAfter: string, clock: Pick<Clock, 'now'>): number | undefined {
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? undefined : Math.max(0, at - clock.now());
}

function cutCode(error: unknown): string {
  const code =
    typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  return code.startsWith('UND_ERR_HEADERS') || code.startsWith('HPE_')
    ? 'ANSWER_UNREADABLE'
    : 'CUT';
}
