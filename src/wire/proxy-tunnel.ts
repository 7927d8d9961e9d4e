import type { Socket } from 'node:net';
import type { AllowedPrivate } from './private-networks.ts';

/** The proxy that a lane's profile names. */
export interface ProxyOptions {
  readonly host: string;
  readonly port: number;
  /** A profile names it, so that the operator alone says which private address it may have. */
  readonly allowPrivateAddresses: AllowedPrivate;
  /** The value of `Proxy-Authorization`; read when a connection is opened. */
  readonly authorization: (() => Promise<string>) | undefined;
}

type TunnelEnd =
  | { readonly kind: 'open' }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'broken'; readonly message: string };

// A proxy has little to say; more than this is no answer to CONNECT.
const HEAD_BYTES_MAX = 16 * 1024;
const HEAD_END = '\r\n\r\n';

/**
 * Asks the proxy on `socket` for a tunnel (RFC 9110 § 9.3.6), also for plain http, so that the proxy never sees where a
 * request ends. Written here instead of undici's ProxyAgent because that one opens its own sockets: the limit on the
 * handshake, the interim answers and the check directly before the write would not hold on them.
 */
export function openTunnel(
  socket: Socket,
  target: { readonly host: string; readonly port: number; readonly authorization?: string },
  done: (end: TunnelEnd) => void,
): void {
  const { host, port, authorization } = target;
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`];
  if (authorization !== undefined) lines.push(`Proxy-Authorization: ${authorization}`);
  let head = '';
  const finish = (end: TunnelEnd): void => {
    socket.off('readable', onReadable);
    socket.off('end', onEnd);
    done(end);
  };
  const onEnd = (): void => finish({ kind: 'broken', message: 'The proxy hung up.' });
  const onReadable = (): void => {
    for (;;) {
      const chunk: unknown = socket.read();
      if (!Buffer.isBuffer(chunk)) return;
      head += chunk.toString('latin1');
      const end = head.indexOf(HEAD_END);
      if (end < 0 && head.length <= HEAD_BYTES_MAX) continue;
      const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |\r)/.exec(head)?.[1] ?? Number.NaN);
      if (end < 0 || Number.isNaN(status)) {
        finish({ kind: 'broken', message: 'The proxy did not answer in HTTP.' });
      } else if (status < 200 || status > 299) {
        finish({ kind: 'refused', status });
      } else if (end + HEAD_END.length < head.length) {
        finish({ kind: 'broken', message: 'The proxy spoke before it was asked.' });
      } else {
        finish({ kind: 'open' });
      }
      return;
    }
  };
  socket.on('readable', onReadable);
  socket.on('end', onEnd);
  socket.write(`${lines.join('\r\n')}${HEAD_END}`);
}
