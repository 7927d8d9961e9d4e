import type { LookupFunction } from 'node:net';
import { createSecureContext } from 'node:tls';
import { Client } from 'undici';
import type { Profile } from '../core/index.ts';
import { type ConnectorOptions, createConnector, type Dial, type SocketNews } from './connector.ts';
import type { CollisionWatch } from './collision-watch.ts';
import { LoginDoor } from './login-door.ts';
import { RivalWatch } from './rival-watch.ts';
import { planRequests, type RequestPlan } from './request-plan.ts';
import type { ProxyOptions } from './proxy-tunnel.ts';
import { SessionPool } from './session-pool.ts';

// The slot is the limit on requests in flight; this only bounds memory. It is the largest ceiling a profile may have.
const CONNECTIONS_MAX = 1_000;
// Idle connections are given up early: a request written to one that the portal is closing has an unknown outcome.
const IDLE_MS_MAX = 4_000;

/** One undici client: at most one socket, and one request on it at a time. */
export interface Connection {
  readonly client: Client;
  readonly news: SocketNews;
  readonly abandon: () => void;
}

export interface WireOptions {
  readonly lookup: LookupFunction;
  readonly monotonicMs: () => number;
  readonly certificateAuthorities: readonly string[] | undefined;
  readonly dial: Dial | undefined;
  readonly watch: CollisionWatch;
  /** Reads a credential reference. */
  readonly credential: (reference: string) => Promise<string>;
}

/**
 * The connections and cookies of one lane. Nothing in here is reachable from another lane.
 *
 * Not undici's Pool: that one takes a client for busy until the turn of the event loop after its answer, and opens a
 * second connection for a request that comes sooner. A portal that allows one session would see two connections. Here
 * a connection is free with its answer, so there are never more of them than requests were in flight at once.
 */
export class LaneWire {
  readonly origin: string;
  readonly sessions: SessionPool;
  readonly door: LoginDoor;
  readonly rivals: RivalWatch;
  private readonly connectionTerms: string;
  private readonly connectorOptions: ConnectorOptions;
  private readonly connections = new Set<Connection>();
  // The last one used is the first one taken: it is the least likely to have been closed by the portal meanwhile.
  private readonly idle: Connection[] = [];
  // Another answer than ours came on one of them: what they bring next may belong to a request of before.
  private distrusted: ReadonlySet<Connection> = new Set();
  private isRetired = false;
  private profile: Profile;
  private currentPlan: RequestPlan;

  constructor(profile: Profile, options: WireOptions, proxy: string | undefined) {
    const { certificateAuthorities: ca, dial, watch, monotonicMs } = options;
    this.profile = profile;
    this.currentPlan = planRequests(profile);
    this.connectionTerms = connectionTerms(profile, proxy);
    const { origin } = new URL(profile.baseUrl);
    this.origin = origin;
    const rule = profile.session;
    this.sessions = new SessionPool({ lane: profile.code, origin, rule, watch }, monotonicMs);
    this.door = new LoginDoor(monotonicMs);
    this.rivals = new RivalWatch(monotonicMs);
    this.connectorOptions = {
      allowPrivateAddresses: profile.allowPrivateAddresses,
      connectMsMax: profile.timeoutMs,
      tlsHandshakeMsMax: profile.tlsHandshakeMsMax,
      // Made once: loading the authorities for every connection costs more than the handshake.
      secureContext: this.origin.startsWith('https:')
        ? createSecureContext(ca === undefined ? {} : { ca: [...ca] })
        : undefined,
      lookup: options.lookup,
      monotonicMs: options.monotonicMs,
      ...(proxy === undefined ? {} : { proxy: proxyOptions(proxy, profile, options) }),
      ...(dial === undefined ? {} : { dial }),
    };
  }

  /** False when the profile has changed so that open connections no longer obey it. */
  fits(profile: Profile, proxy: string | undefined): boolean {
    if (profile === this.profile && proxy === undefined) return true;
    return connectionTerms(profile, proxy) === this.connectionTerms;
  }

  plan(profile: Profile): RequestPlan {
    if (profile !== this.profile) {
      this.profile = profile;
      this.currentPlan = planRequests(profile);
    }
    return this.currentPlan;
  }

  /** A connection for one request; undefined when there are absurdly many or the lane is closed. */
  take(): Connection | undefined {
    const idle = this.idle.pop();
    if (idle !== undefined) return idle;
    if (this.isRetired || this.connections.size >= CONNECTIONS_MAX) return undefined;
    const { connect, news, abandon } = createConnector(this.connectorOptions);
    const client = new Client(this.origin, {
      connect,
      // One request at a time on a connection: a second one behind it would break the ceiling.
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: IDLE_MS_MAX,
      keepAliveMaxTimeout: IDLE_MS_MAX,
      // The run's own timer covers the whole exchange; undici's would start afresh with every byte of a slow drip.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const connection = { client, news, abandon };
    this.connections.add(connection);
    return connection;
  }

  /** After a whole answer: the connection serves the next request. */
  giveBack(connection: Connection): void {
    if (this.isRetired || this.distrusted.has(connection)) this.drop(connection);
    else this.idle.push(connection);
  }

  /** After anything else: whatever is still queued on the connection can no longer be written. */
  drop(connection: Connection): void {
    this.connections.delete(connection);
    connection.abandon();
    // Resolves when the socket is closed, and rejects never; nobody has to wait for it.
    void connection.client.destroy();
  }

  /** Ends everything at once; requests in flight fail as `cut`. */
  async destroy(): Promise<void> {
    this.retire();
    this.sessions.end('closed');
    const connections = [...this.connections];
    this.connections.clear();
    for (const { abandon } of connections) abandon();
    await Promise.all(connections.map(({ client }) => client.destroy()));
  }

  /** Whatever is open brings its answer, and none after it. Sessions stay. */
  distrust(): void {
    for (const connection of this.idle.splice(0)) this.drop(connection);
    this.distrusted = new Set(this.connections);
  }

  /** Lets requests in flight finish and takes no new ones. */
  retire(): void {
    this.isRetired = true;
    for (const connection of this.idle.splice(0)) this.drop(connection);
  }
}

function connectionTerms(profile: Profile, proxy: string | undefined): string {
  const { baseUrl, allowPrivateAddresses, timeoutMs, tlsHandshakeMsMax, session } = profile;
  return JSON.stringify([
    baseUrl,
    allowPrivateAddresses,
    timeoutMs,
    tlsHandshakeMsMax,
    session,
    proxy,
    profile.egress?.authorization,
  ]);
}

function proxyOptions(
  address: string,
  { egress }: Profile,
  { credential }: WireOptions,
): ProxyOptions {
  const { hostname, port } = new URL(address);
  const reference = egress?.authorization;
  return {
    // An IPv6 address stands in brackets in a URL, and nowhere else.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 80 : Number(port),
    authorization: reference === undefined ? undefined : () => credential(reference),
  };
}
