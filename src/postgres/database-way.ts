/** Whether a connection to the database goes as its address says: beyond this machine only with TLS, unless the operator says otherwise. */
import { isIPv4 } from 'node:net';
import { FilewrightError } from '../core/index.ts';

/** The same machine: a unix socket, or loopback. */
export function isLocalHost(host: string): boolean {
  return (
    host === '' ||
    host.startsWith('/') ||
    /^(localhost|::1|\[::1\])$/i.test(host) ||
    (isIPv4(host) && host.startsWith('127.'))
  );
}

/** What of the driver's client says which way it goes; PG* variables and the address are read into it. */
interface Way {
  readonly host: string;
  readonly ssl: unknown;
}

/**
 * The client for an address. `make` builds it as the address says, or with TLS where the address is silent: an address that
 * turns TLS off then still gives one without.
 */
export function protectedClient<Client extends Way>(
  make: (more: { readonly ssl?: true }) => Client,
  mayBePlain: boolean,
): Client {
  const client = make({});
  if (mayBePlain || isTls(client) || isLocalHost(client.host)) return client;
  const withTls = make({ ssl: true });
  if (isTls(withTls)) return withTls;
  throw new FilewrightError(
    'DATABASE_UNREACHABLE',
    `DATABASE_URL turns TLS off, and ${client.host} is another machine: anyone between here and there could read and change everything. Remove sslmode=disable from it (or use sslmode=verify-full with sslrootcert), or set FILEWRIGHT_DATABASE_PLAINTEXT=1 if the way is protected by other means.`,
    { details: { host: client.host } },
  );
}

function isTls({ ssl }: Way): boolean {
  return ssl !== undefined && ssl !== false;
}

/** The driver's words where the server has no TLS to offer. */
export function withTlsRemedy(message: string): string {
  return /does not support SSL/i.test(message)
    ? `${message}. Turn TLS on in the server (ssl = on), or set FILEWRIGHT_DATABASE_PLAINTEXT=1 with sslmode=disable if the way is protected by other means.`
    : message;
}
