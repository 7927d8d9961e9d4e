import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import type { buildConnector } from 'undici';
import { isSpecialAddress } from './address-guard.ts';
import { ALLOW_PRIVATE, type AllowedPrivate } from './private-networks.ts';
import { codeOf, ConnectionFailure, type PhaseTimes } from './failure.ts';
import { openTunnel, type ProxyOptions } from './proxy-tunnel.ts';
import { skipInterim } from './skip-interim.ts';

/** What undici does not pass on about the socket of a connection. */
export interface SocketNews {
  /** Of the phases that opened the socket; whoever reports them first clears them. */
  times: PhaseTimes | undefined;
  /** The socket has failed. undici then ends a body without a declared length as if it were whole. */
  hasFailed: boolean;
}

/** Opens a TCP connection to one of `addresses`, which answer for `host`. */
export type Dial = (target: {
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly LookupAddress[];
}) => Socket;

export interface ConnectorOptions {
  /** Networks off the public internet that may be reached too; for receivers on the same machine or in the same house. */
  readonly allowPrivateAddresses: AllowedPrivate;
  /** For name, connection and tunnel together. */
  readonly connectMsMax: number;
  readonly tlsHandshakeMsMax: number;
  /** PEM texts that replace the well-known authorities. */
  readonly certificateAuthorities?: readonly string[] | undefined;
  /** The system's resolver unless given. */
  readonly lookup?: LookupFunction | undefined;
  /** Measures the phases; the process's own clock unless given. */
  readonly monotonicMs?: (() => number) | undefined;
  /** The way out, where one is named. It resolves the name again; what the name leads to is judged here first. */
  readonly proxy?: ProxyOptions | undefined;
  readonly dial?: Dial | undefined;
}

interface OpenTarget {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

/** Whose addresses are judged, and which private ones it may have. */
interface Judged {
  readonly host: string;
  readonly allowed: AllowedPrivate;
  readonly isProxy: boolean;
}

/** Where a URL leads. It writes IPv6 addresses in brackets, and nobody else does. */
export function targetOf(url: Pick<URL, 'protocol' | 'hostname' | 'port'>): OpenTarget {
  const isTls = url.protocol === 'https:';
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port, isTls };
}

/** undici's `connect` function for one client, which has one socket at a time. */
interface Connector {
  readonly connect: buildConnector.connector;
  readonly news: SocketNews;
  /** Of the connection that is open, or as far as it came. */
  readonly times: () => PhaseTimes;
  /** Gives up a connection that is still being opened. */
  readonly abandon: () => void;
}

/**
 * Opens connections: name, address check, TCP, address check, TLS. The names are not ours, so the address is judged
 * twice: before the first packet, and on the connected socket before the handshake, because only the socket knows whom
 * we really talk to (DNS rebinding). There is no DNS cache and no TLS session cache: nothing can be shared between
 * lanes, and keep-alive makes both rare.
 */
export function createConnector(options: ConnectorOptions): Connector {
  const news: SocketNews = { times: undefined, hasFailed: false };
  let opening: Opening | undefined;
  return {
    news,
    connect: (target, callback) => {
      opening = new Opening(options, targetOf(target), (outcome) => {
        opening = undefined;
        if (outcome instanceof Error) {
          callback(outcome, null);
          return;
        }
        const { socket, times } = outcome;
        news.times = times;
        news.hasFailed = false;
        skipInterim(socket);
        // Before undici adds its own listener inside `callback`, so that ours runs first.
        socket.on('error', () => {
          news.hasFailed = true;
        });
        callback(null, socket);
      });
      opening.start();
    },
    times: () => opening?.times() ?? news.times ?? {},
    abandon: () => opening?.abandon(),
  };
}

/** A connection on which somebody else speaks: a mail server's, or one that is only measured. */
export function openConnection(
  target: OpenTarget,
  options: ConnectorOptions,
): Promise<Opened | ConnectionFailure> {
  return new Promise((resolve) => new Opening(options, target, resolve).start());
}

interface Opened {
  readonly socket: Socket;
  readonly times: PhaseTimes;
}

/** One connection on its way. Ends exactly once, with a socket or a `ConnectionFailure`. */
class Opening {
  private readonly options: ConnectorOptions;
  private readonly host: string;
  private readonly port: number;
  private readonly isTls: boolean;
  private readonly finish: (outcome: Opened | ConnectionFailure) => void;
  private readonly monotonicMs: () => number;
  private readonly startedAt: number;
  private connectMs: number | undefined;
  private isOver = false;
  private socket: Socket | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    options: ConnectorOptions,
    { host, port, isTls }: OpenTarget,
    finish: (outcome: Opened | ConnectionFailure) => void,
  ) {
    this.options = options;
    this.host = host;
    this.port = port;
    this.isTls = isTls;
    this.finish = finish;
    this.monotonicMs = options.monotonicMs ?? processMs;
    this.startedAt = this.monotonicMs();
  }

  start(): void {
    const { connectMsMax } = this.options;
    const lookup: LookupFunction = this.options.lookup ?? systemLookup;
    this.timer = after(connectMsMax, () =>
      this.fail('timeout', `No connection within ${connectMsMax} ms.`),
    );
    const { proxy, allowPrivateAddresses } = this.options;
    const own: Judged = { host: this.host, allowed: allowPrivateAddresses, isProxy: false };
    if (proxy === undefined) {
      this.resolve(own, lookup, (addresses) => this.dial(addresses));
      return;
    }
    // Whoever names the proxy is not the operator, and the proxy reaches what we must not: both are judged, the target first.
    const way: Judged = { host: proxy.host, allowed: proxy.allowPrivateAddresses, isProxy: true };
    this.resolve(own, lookup, () => {
      this.resolve(way, lookup, (addresses) => this.dial(addresses));
    });
  }

  /** Goes on with the addresses of a host once none of them is refused. */
  private resolve(
    judged: Judged,
    lookup: LookupFunction,
    then: (addresses: readonly LookupAddress[]) => void,
  ): void {
    const judge = (addresses: readonly LookupAddress[]): void => {
      if (addresses.length === 0) return this.fail('dns', 'The name has no address.');
      // One private address among public ones is enough: a name that has both is an attack or a mistake.
      const refused = addresses.find(({ address }) => isRefused(judged, address));
      return refused === undefined ? then(addresses) : this.refuse(judged, refused.address);
    };
    const family = isIP(judged.host);
    if (family !== 0) return judge([{ address: judged.host, family }]);
    lookup(judged.host, { all: true }, (error, address, addressFamily) => {
      if (this.isOver) return undefined;
      if (error !== null) {
        const why = judged.isProxy ? 'The name of the proxy' : 'The name';
        return this.fail('dns', `${why} could not be resolved (${codeOf(error) ?? 'unknown'}).`);
      }
      return judge(
        typeof address === 'string'
          ? [{ address, family: addressFamily ?? isIP(address) }]
          : address,
      );
    });
    return undefined;
  }

  private fail(code: ConnectionFailure['failure'], message: string): void {
    if (this.isOver) return;
    this.end();
    // An error that arrives after this one has nobody to tell.
    this.socket?.on('error', () => undefined);
    this.socket?.destroy();
    this.finish(new ConnectionFailure(code, message, this.times()));
  }

  abandon(): void {
    this.fail('timeout', 'The connection was given up.');
  }

  private end(): void {
    this.isOver = true;
    clearTimeout(this.timer);
  }

  times(): PhaseTimes {
    const { connectMs } = this;
    const soFarMs = this.monotonicMs() - this.startedAt;
    if (connectMs === undefined) return { connectMs: soFarMs };
    return this.isTls ? { connectMs, tlsHandshakeMs: soFarMs - connectMs } : { connectMs };
  }

  private dial(addresses: readonly LookupAddress[]): void {
    const { proxy, allowPrivateAddresses } = this.options;
    const host = proxy?.host ?? this.host;
    const target = { host, port: proxy?.port ?? this.port, addresses };
    const socket = (this.options.dial ?? dialTcp)(target);
    this.socket = socket;
    socket.on('error', this.onTcpError);
    socket.once('connect', () => {
      if (this.isOver) return;
      const isProxy = proxy !== undefined;
      const allowed = proxy?.allowPrivateAddresses ?? allowPrivateAddresses;
      const judged: Judged = { host, allowed, isProxy };
      const { remoteAddress } = socket;
      if (isRefused(judged, remoteAddress ?? '')) {
        return this.refuse(judged, remoteAddress ?? 'nobody');
      }
      return proxy === undefined ? this.onConnected(socket) : this.tunnel(socket, proxy);
    });
  }

  private onConnected(socket: Socket): void {
    clearTimeout(this.timer);
    this.connectMs = this.monotonicMs() - this.startedAt;
    if (this.isTls) return this.shakeHands(socket);
    socket.off('error', this.onTcpError);
    this.end();
    return this.finish({ socket, times: this.times() });
  }

  private tunnel(socket: Socket, proxy: ProxyOptions): void {
    const { host, port } = this;
    const ask = (authorization: string | undefined): void => {
      if (this.isOver) return;
      const target = { host, port, ...(authorization === undefined ? {} : { authorization }) };
      openTunnel(socket, target, (end) => {
        if (this.isOver) return;
        if (end.kind === 'open') this.onConnected(socket);
        else if (end.kind === 'broken') this.fail('connect', end.message);
        else {
          // 407 meets every request alike: the credential is wrong, not the moment.
          const code = end.status === 407 ? 'credential' : 'connect';
          this.fail(code, `The proxy refused the tunnel with ${end.status}.`);
        }
      });
    };
    if (proxy.authorization === undefined) return ask(undefined);
    proxy
      .authorization()
      .then(ask, (error: unknown) =>
        this.fail('credential', error instanceof Error ? error.message : 'unreadable'),
      );
    return undefined;
  }

  private readonly onTcpError = (error: Error): void => {
    this.fail('connect', `The connection failed (${codeOf(error) ?? 'unknown'}).`);
  };

  private refuse({ host, isProxy }: Judged, address: string): void {
    const who = isProxy ? `the proxy ${host}` : host;
    this.fail(
      'address_refused',
      `${who} leads to ${address}, not on the public internet. If that is intended, name its network in ${ALLOW_PRIVATE} where Filewright runs${isProxy ? '' : ', and allow private addresses for this portal or receiver'}.`,
    );
  }

  private shakeHands(tcp: Socket): void {
    const { tlsHandshakeMsMax, certificateAuthorities } = this.options;
    const tooSlow = () =>
      this.fail('tls_slow', `The TLS handshake took more than ${tlsHandshakeMsMax} ms.`);
    this.timer = after(tlsHandshakeMsMax, tooSlow);
    const socket = connectTls({
      socket: tcp,
      host: this.host,
      // An address is no server name (RFC 6066 § 3); the certificate is then compared with `host`.
      servername: isIP(this.host) === 0 ? this.host : '',
      // HTTP/1.1 alone: several requests at once on one connection would break the ceiling.
      ALPNProtocols: ['http/1.1'],
      secureContext: trustIn(certificateAuthorities),
    });
    this.socket = socket;
    const onTlsError = (error: Error): void => {
      this.fail('tls', `The TLS handshake failed (${codeOf(error) ?? error.message}).`);
    };
    socket.on('error', onTlsError);
    socket.once('secureConnect', () => {
      if (this.isOver) return;
      const times = this.times();
      // It may end before the timer is heard; what was measured counts, not which of the two came first.
      if ((times.tlsHandshakeMs ?? 0) > tlsHandshakeMsMax) return tooSlow();
      socket.off('error', onTlsError);
      this.end();
      this.finish({ socket, times });
    });
  }
}

function isRefused({ allowed }: Judged, address: string): boolean {
  return isSpecialAddress(address) && (allowed === false || !allowed.allows(address));
}

/** Counts on, whatever happens to the time of day. */
export function processMs(): number {
  return performance.now();
}

/** After *more* than `limitMs`: timers count whole milliseconds, and may be early by a part of one. */
export function after(limitMs: number, then: () => void): NodeJS.Timeout {
  return setTimeout(then, limitMs + 1);
}

let wellKnown: SecureContext | undefined;
const trusted = new WeakMap<readonly string[], SecureContext>();

/** Made once for each list: loading the authorities for every connection costs more than the handshake. */
function trustIn(authorities: readonly string[] | undefined): SecureContext {
  if (authorities === undefined) return (wellKnown ??= createSecureContext());
  let context = trusted.get(authorities);
  if (context === undefined) {
    context = createSecureContext({ ca: [...authorities] });
    trusted.set(authorities, context);
  }
  return context;
}

const dialTcp: Dial = ({ host, port, addresses }) =>
  connectTcp({
    host,
    port,
    // The names were resolved above; asking again could give another answer.
    lookup: (_host, _options, callback) => callback(null, [...addresses]),
    autoSelectFamily: true,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
  });
