import { Client } from 'undici';
import { type ConnectorOptions, createConnector, type SocketNews } from './connector.ts';
import type { WireExchange, WireRequest } from './exchange.ts';
import type { PhaseTimes } from './failure.ts';

// Slots are the limit on requests in flight; this only bounds memory. It is the largest ceiling a profile may have.
const CONNECTIONS_MAX = 1_000;
// Idle connections are given up early: a request written to one that is being closed has an unknown outcome.
const IDLE_MS_MAX = 4_000;

/** One undici client: at most one socket, and one request on it at a time. */
export class Connection {
  readonly news: SocketNews;
  readonly times: () => PhaseTimes;
  private readonly client: Client;
  private readonly abandon: () => void;

  constructor(origin: string, options: ConnectorOptions) {
    const { connect, news, times, abandon } = createConnector(options);
    this.news = news;
    this.times = times;
    this.abandon = abandon;
    this.client = new Client(origin, {
      connect,
      // One request at a time on a connection: a second one behind it would break the ceiling.
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: IDLE_MS_MAX,
      keepAliveMaxTimeout: IDLE_MS_MAX,
      // Our own timers cover the whole exchange; undici's would start afresh with every byte of a slow drip.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  dispatch(request: WireRequest, exchange: WireExchange): void {
    this.client.dispatch(request, exchange);
  }

  /** Whatever is still queued can no longer be written. Resolves when the socket is closed, and rejects never. */
  destroy(): Promise<void> {
    this.abandon();
    return this.client.destroy();
  }
}

/**
 * The connections to one origin. Nothing in here is reachable from another lane.
 *
 * Not undici's Pool: that one takes a client for busy until the turn of the event loop after its answer, and opens a
 * second connection for a request that comes sooner. A portal that allows one session would see two connections. Here
 * a connection is free with its answer, so there are never more of them than requests were in flight at once.
 */
export class Connections {
  private readonly origin: string;
  private readonly options: ConnectorOptions;
  private readonly all = new Set<Connection>();
  // The last one used is the first one taken: it is the least likely to have been closed by the portal meanwhile.
  private readonly idle: Connection[] = [];
  // Another answer than ours came on one of them: what they bring next may belong to a request of before.
  private distrusted: ReadonlySet<Connection> = new Set();
  private isRetired = false;

  constructor(origin: string, options: ConnectorOptions) {
    this.origin = origin;
    this.options = options;
  }

  /** A connection for one request; undefined when there are absurdly many or no more are to be opened. */
  take(): Connection | undefined {
    const idle = this.idle.pop();
    if (idle !== undefined) return idle;
    if (this.isRetired || this.all.size >= CONNECTIONS_MAX) return undefined;
    const connection = new Connection(this.origin, this.options);
    this.all.add(connection);
    return connection;
  }

  /** After a whole answer: the connection serves the next request. */
  giveBack(connection: Connection): void {
    if (this.isRetired || this.distrusted.has(connection)) this.drop(connection);
    else this.idle.push(connection);
  }

  /** After anything else. */
  drop(connection: Connection): void {
    this.all.delete(connection);
    // Nobody has to wait for it.
    void connection.destroy();
  }

  /** Ends everything at once; requests in flight fail as `cut`. */
  async destroy(): Promise<void> {
    this.retire();
    const connections = [...this.all];
    this.all.clear();
    await Promise.all(connections.map((connection) => connection.destroy()));
  }

  /** Whatever is open brings its answer, and none after it. */
  distrust(): void {
    for (const connection of this.idle.splice(0)) this.drop(connection);
    this.distrusted = new Set(this.all);
  }

  /** Lets requests in flight finish and takes no new ones. */
  retire(): void {
    this.isRetired = true;
    for (const connection of this.idle.splice(0)) this.drop(connection);
  }
}
