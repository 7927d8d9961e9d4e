/** Opens a connection and measures each phase of it, with a time-out of its own for each. */
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import type { Clock, FailureCode } from '../../core/index.ts';
import { guardedDial, SendFailure } from '../guarded-dial.ts';
import { type Deadline, startDeadline } from './deadline.ts';

export interface PhaseLimits {
  /** Name and TCP connection. */
  readonly connectMs: number;
  readonly handshakeMs: number;
}

export interface ConnectionTarget {
  readonly url: URL;
  /** Loopback and private networks too. */
  readonly allowPrivateAddresses: boolean;
}

export interface ConnectionParts {
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  readonly lookup?: LookupFunction;
  /** Who may certify a server; the well-known authorities unless given. Made once: it is dearer than a handshake. */
  readonly secureContext?: SecureContext;
}

export interface PhaseTimes {
  readonly connectMs?: number;
  readonly tlsHandshakeMs?: number;
}

export type TimedConnection =
  | { readonly kind: 'open'; readonly socket: Socket; readonly times: PhaseTimes }
  | {
      readonly kind: 'failed';
      readonly code: FailureCode;
      readonly message: string;
      /** Of the phase that failed: how long it had taken by then. */
      readonly times: PhaseTimes;
    };

const DIAL_CODES: Readonly<Record<string, FailureCode>> = {
  NAME_UNRESOLVED: 'dns',
  UNREACHABLE: 'connect',
  ADDRESS_REFUSED: 'address_refused',
  TIMEOUT: 'timeout',
};

export async function openTimed(
  target: ConnectionTarget,
  limits: PhaseLimits,
  parts: ConnectionParts,
  signal: AbortSignal,
): Promise<TimedConnection> {
  const { clock, lookup } = parts;
  const { url, allowPrivateAddresses } = target;
  const isTls = url.protocol === 'https:';
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const startedAt = clock.monotonicMs();
  const connecting = startDeadline(clock, limits.connectMs, signal);
  let tcp: Socket;
  try {
    tcp = await guardedDial(
      { host, port, allowPrivateAddresses },
      { signal: connecting.signal, ...(lookup === undefined ? {} : { lookup }) },
    );
  } catch (error) {
    if (!(error instanceof SendFailure)) throw error;
    const times = { connectMs: clock.monotonicMs() - startedAt };
    const code = DIAL_CODES[error.code] ?? 'connect';
    return { kind: 'failed', code, message: error.message, times };
  } finally {
    connecting.cancel();
  }
  const connectMs = clock.monotonicMs() - startedAt;
  if (!isTls) return { kind: 'open', socket: tcp, times: { connectMs } };
  const shaking = startDeadline(clock, limits.handshakeMs, signal);
  const shakenAt = clock.monotonicMs();
  const end = await shakeHands(tcp, host, shaking, parts.secureContext);
  shaking.cancel();
  const times = { connectMs, tlsHandshakeMs: clock.monotonicMs() - shakenAt };
  if (end.kind === 'failed') return { ...end, times };
  if (times.tlsHandshakeMs <= limits.handshakeMs) return { ...end, times };
  // It ended before the timer was heard; what was measured counts, not which of the two came first.
  end.socket.destroy();
  return { kind: 'failed', code: 'tls_slow', message: slowText(limits.handshakeMs), times };
}

type Handshake =
  | { readonly kind: 'open'; readonly socket: Socket }
  | { readonly kind: 'failed'; readonly code: FailureCode; readonly message: string };

function shakeHands(
  tcp: Socket,
  host: string,
  deadline: Deadline,
  secureContext: SecureContext | undefined,
): Promise<Handshake> {
  return new Promise((resolve) => {
    const tls = connectTls({
      socket: tcp,
      host,
      // An address is no server name (RFC 6066 § 3); the certificate is then compared with `host`.
      servername: isIP(host) === 0 ? host : '',
      ALPNProtocols: ['http/1.1'],
      ...(secureContext === undefined ? {} : { secureContext }),
    });
    const { signal } = deadline;
    const end = (handshake: Handshake): void => {
      signal.removeEventListener('abort', stop);
      tls.off('error', onError);
      if (handshake.kind === 'failed') {
        // An error that arrives after the end has nobody to tell.
        tls.on('error', () => undefined);
        tls.destroy();
        tcp.destroy();
      }
      resolve(handshake);
    };
    const stop = (): void => {
      const isSlow = deadline.isOver();
      const message = isSlow ? slowText() : 'The handshake was given up.';
      end({ kind: 'failed', code: isSlow ? 'tls_slow' : 'timeout', message });
    };
    const onError = (error: NodeJS.ErrnoException): void => {
      const message = `The TLS handshake failed (${error.code ?? 'unknown'}).`;
      end({ kind: 'failed', code: 'tls', message });
    };
    signal.addEventListener('abort', stop, { once: true });
    tls.once('error', onError);
    tls.once('secureConnect', () => end({ kind: 'open', socket: tls }));
    if (signal.aborted) stop();
  });
}

function slowText(limitMs?: number): string {
  return limitMs === undefined
    ? 'The TLS handshake took too long.'
    : `The TLS handshake took more than ${limitMs} ms.`;
}
