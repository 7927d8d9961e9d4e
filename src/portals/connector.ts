import type { LookupAddress } from 'node:dns';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import type { buildConnector } from 'undici';
import { isSpecialAddress } from './address-guard.ts';
import { codeOf, ConnectionFailure } from './failure.ts';
import { openTunnel, type ProxyOptions } from './proxy-tunnel.ts';
import { skipInterim } from './skip-interim.ts';

/** What undici does not pass on about the socket of a connection. */
export interface SocketNews {
  /** Of the handshake that opened the socket; whoever reports it first clears it. */
  tlsHandshakeMs: number | undefined;
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
  readonly allowPrivateAddresses: boolean;
  /** For name, connection and handshake together. */
  readonly connectMsMax: number;
  readonly tlsHandshakeMsMax: number;
  readonly secureContext: SecureContext | undefined;
  readonly lookup: LookupFunction;
  readonly monotonicMs: () => number;
  /** The way out, where the profile names one. Names are then resolved by the proxy. */
  readonly proxy?: ProxyOptions;
  readonly dial?: Dial;
}

/** undici's `connect` function for one client, which has one socket at a time. */
export interface Connector {
  readonly connect: buildConnector.connector;
  readonly news: SocketNews;
  /** Gives up a connection that is still being opened. */
  readonly abandon: () => void;
}

/**
 * Opens connections: name, address check, TCP, address check, TLS. The names of a portal are not ours, so the address
 * is judged twice: before the first packet, and on the connected socket before the handshake, because only the socket
 * knows whom we really talk to (DNS rebinding). There is no DNS cache and no TLS session cache: nothing can be shared
 * between lanes, and keep-alive makes both rare.
 */
export function createConnector(options: ConnectorOptions): Connector {
  const news: SocketNews = { tlsHandshakeMs: undefined, hasFailed: false };
  let opening: Opening | undefined;
  return {
    news,
    connect: (target, callback) => {
      opening = new Opening(options, target, (outcome) => {
        opening = undefined;
        if (outcome instanceof Error) {
          callback(outcome, null);
          return;
        }
        const { socket, tlsHandshakeMs } = outcome;
        news.tlsHandshakeMs = tlsHandshakeMs;
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
    abandon: () => opening?.fail('connect', 'The connection was given up.'),
  };
}

interface Opened {
  readonly socket: Socket;
  readonly tlsHandshakeMs: number | undefined;
}

/** One connection on its way. Ends exactly once, with a socket or a `ConnectionFailure`. */
class Opening {
  private readonly options: ConnectorOptions;
  private readonly host: string;
  private readonly port: number;
  private readonly isTls: boolean;
  private readonly finish: (outcome: Opened | ConnectionFailure) => void;
  private isOver = false;
  private socket: Socket | undefined;
  private timer: NodeJS.Timeout | undefined;
  private handshakeTimer: NodeJS.Timeout | undefined;

  constructor(
    options: ConnectorOptions,
    target: buildConnector.Options,
    finish: (outcome: Opened | ConnectionFailure) => void,
  ) {
    this.options = options;
    this.host = target.hostname;
    this.isTls = target.protocol === 'https:';
    this.port = target.port === '' ? (this.isTls ? 443 : 80) : Number(target.port);
    this.finish = finish;
  }

  start(): void {
    const { connectMsMax, lookup } = this.options;
    this.timer = setTimeout(() => {
      this.fail('timeout', `No connection within ${connectMsMax} ms.`);
    }, connectMsMax);
    const { proxy } = this.options;
    // The proxy is the operator's own and may be private; a target that is private by its very name stays refused.
    if (proxy !== undefined && isIP(this.host) !== 0 && this.isRefused(this.host)) {
      this.refuse(this.host);
      return;
    }
    const host = proxy?.host ?? this.host;
    const family = isIP(host);
    if (family !== 0) {
      this.dial([{ address: host, family }]);
      return;
    }
    lookup(host, { all: true }, (error, address, addressFamily) => {
      if (this.isOver) return;
      if (error !== null) {
        this.fail('dns', `The name could not be resolved (${codeOf(error) ?? 'unknown'}).`);
        return;
      }
      const addresses =
        typeof address === 'string'
          ? [{ address, family: addressFamily ?? isIP(address) }]
          : address;
      this.dial(addresses);
    });
  }

  fail(code: ConnectionFailure['failure'], message: string): void {
    if (this.isOver) return;
    this.end();
    // An error that arrives after this one has nobody to tell.
    this.socket?.on('error', () => undefined);
    this.socket?.destroy();
    this.finish(new ConnectionFailure(code, message));
  }

  private end(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    clearTimeout(this.handshakeTimer);
  }

  private dial(addresses: readonly LookupAddress[]): void {
    if (addresses.length === 0) return this.fail('dns', 'The name has no address.');
    // One private address among public ones is enough: a name that has both is an attack or a mistake.
    const { proxy } = this.options;
    const judged = proxy === undefined ? addresses : [];
    const refused = judged.find(({ address }) => this.isRefused(address));
    if (refused !== undefined) return this.refuse(refused.address);
    const host = proxy?.host ?? this.host;
    const target = { host, port: proxy?.port ?? this.port, addresses };
    const socket = (this.options.dial ?? dialTcp)(target);
    this.socket = socket;
    socket.on('error', this.onTcpError);
    socket.once('connect', () => {
      if (this.isOver) return;
      if (proxy !== undefined) return this.tunnel(socket, proxy);
      const { remoteAddress } = socket;
      if (this.isRefused(remoteAddress ?? '')) return this.refuse(remoteAddress ?? 'nobody');
      return this.onConnected(socket);
    });
  }

  private onConnected(socket: Socket): void {
    if (this.isTls) return this.shakeHands(socket);
    socket.off('error', this.onTcpError);
    this.end();
    return this.finish({ socket, tlsHandshakeMs: undefined });
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

  private isRefused(address: string): boolean {
    return !this.options.allowPrivateAddresses && isSpecialAddress(address);
  }

  private refuse(address: string): void {
    this.fail('address_refused', `${this.host} leads to ${address}, not on the public internet.`);
  }

  private shakeHands(tcp: Socket): void {
    const { tlsHandshakeMsMax, secureContext, monotonicMs } = this.options;
    const startedAt = monotonicMs();
    const tooSlow = () =>
      this.fail('tls_slow', `The TLS handshake took more than ${tlsHandshakeMsMax} ms.`);
    this.handshakeTimer = setTimeout(tooSlow, tlsHandshakeMsMax);
    const socket = connectTls({
      socket: tcp,
      host: this.host,
      // An address is no server name (RFC 6066 § 3); the certificate is then compared with `host`.
      servername: isIP(this.host) === 0 ? this.host : '',
      // HTTP/1.1 alone: several requests at once on one connection would break the ceiling.
      ALPNProtocols: ['http/1.1'],
      ...(secureContext === undefined ? {} : { secureContext }),
    });
    this.socket = socket;
    const onTlsError = (error: Error): void => {
      this.fail('tls', `The TLS handshake failed (${codeOf(error) ?? error.message}).`);
    };
    socket.on('error', onTlsError);
    socket.once('secureConnect', () => {
      if (this.isOver) return;
      const tlsHandshakeMs = monotonicMs() - startedAt;
      if (tlsHandshakeMs > tlsHandshakeMsMax) return tooSlow();
      socket.off('error', onTlsError);
      this.end();
      this.finish({ socket, tlsHandshakeMs });
    });
  }
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
