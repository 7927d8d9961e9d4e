/**
 * Opens a TCP connection to a host that somebody else named. The name is resolved once, every address is judged, the
 * connection goes to one of exactly those addresses, and the connected socket is judged again: a name that answers
 * differently the second time (DNS rebinding) leads nowhere.
 */
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { isSpecialAddress } from '../portals/index.ts';

export interface DialTarget {
  readonly host: string;
  readonly port: number;
  /** Loopback and private networks too; for receivers on the same machine or in the same house. */
  readonly allowPrivateAddresses: boolean;
}

export interface DialOptions {
  /** The system's resolver unless given. */
  readonly lookup?: LookupFunction;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
}

/** A message that could not be sent. Its text holds no secret and no body. */
export class SendFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'SendFailure';
    this.code = code;
  }
}

export async function guardedDial(target: DialTarget, options: DialOptions): Promise<Socket> {
  const { signal } = options;
  // URLs write IPv6 addresses in brackets.
  const host = target.host.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(host);
  const addresses =
    family === 0
      ? await resolve(host, options.lookup ?? systemLookup, signal)
      : [{ address: host, family }];
  const isRefused = (address: string): boolean =>
    !target.allowPrivateAddresses && isSpecialAddress(address);
  // One private address among public ones is enough: a name that has both is an attack or a mistake.
  const refused = addresses.find(({ address }) => isRefused(address));
  if (refused !== undefined) throw refusal(host, refused.address);
  const socket = connect({
    host,
    port: target.port,
    // Already resolved and judged; asking again could give another answer.
    lookup: (_host, _options, callback) => callback(null, [...addresses]),
    autoSelectFamily: true,
    noDelay: true,
  });
  await connected(socket, signal);
  const { remoteAddress = '' } = socket;
  if (isRefused(remoteAddress)) {
    socket.destroy();
    throw refusal(host, remoteAddress);
  }
  return socket;
}

function resolve(
  host: string,
  lookup: LookupFunction,
  signal: AbortSignal,
): Promise<readonly LookupAddress[]> {
  return new Promise((done, fail) => {
    const stop = (): void => fail(tooSlow());
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    lookup(host, { all: true }, (error, address, family) => {
      signal.removeEventListener('abort', stop);
      const found = typeof address === 'string' ? [{ address, family: family ?? 0 }] : address;
      if (error !== null || found.length === 0) {
        fail(new SendFailure('NAME_UNRESOLVED', `The name ${host} has no address.`));
      } else done(found);
    });
  });
}

function connected(socket: Socket, signal: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    const stop = (): void => {
      socket.destroy();
      fail(tooSlow());
    };
    const onError = (error: NodeJS.ErrnoException): void => {
      signal.removeEventListener('abort', stop);
      fail(new SendFailure('UNREACHABLE', `No connection (${error.code ?? 'unknown'}).`));
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    socket.once('error', onError);
    socket.once('connect', () => {
      socket.off('error', onError);
      signal.removeEventListener('abort', stop);
      done();
    });
  });
}

function refusal(host: string, address: string): SendFailure {
  return new SendFailure(
    'ADDRESS_REFUSED',
    `${host} leads to ${address}, which is not on the public internet.`,
  );
}

function tooSlow(): SendFailure {
  return new SendFailure('TIMEOUT', 'No connection in time.');
}
