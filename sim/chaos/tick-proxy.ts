/**
 * A TCP proxy between one worker and PostgreSQL that sees every tick pass and can stop time at it: the tick never
 * reaches the server, or it commits and the worker never hears of it. Whoever set the trap then kills the worker.
 */
import { connect, createServer, type Socket } from 'node:net';
import { readBind, type WireMessage, WireMessages } from './wire-messages.ts';

/** What a tick asks for, read from its parameters. */
export interface SeenTick {
  readonly worker: string;
  readonly outcomes: readonly SeenOutcome[];
  readonly lanes: readonly string[];
  readonly attemptIds: readonly string[];
}

export interface SeenOutcome {
  readonly filing: string;
  readonly attempt: number;
  readonly verdict: string;
  readonly receipt: string | null;
}

/** `request`: held before the server; `answer`: held on its way back, with as many claims as it brings. */
export interface Trap {
  readonly hold: 'request' | 'answer';
  wants(tick: SeenTick): boolean;
  /** Called once. Until the worker is dead nothing more passes on the connection. */
  caught(tick: SeenTick, claims: number): void;
}

export interface TickProxy {
  readonly port: number;
  /** Ticks that have reached the server. */
  readonly ticks: () => number;
  set(trap: Trap): void;
  /** Takes the trap away, if it has not caught anything yet. */
  disarm(): void;
  close(): Promise<void>;
}

export async function startTickProxy(socketPath: string): Promise<TickProxy> {
  let trap: Trap | undefined;
  let ticks = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(socketPath);
    link(client, upstream, sockets);
    const line = new Line({
      toServer: (bytes) => upstream.write(bytes),
      toClient: (bytes) => client.write(bytes),
      trapFor: (tick) => {
        const set = trap;
        if (set === undefined || !set.wants(tick)) return undefined;
        if (set.hold === 'request') trap = undefined;
        return set;
      },
      sprung: (set) => {
        const isSet = trap === set;
        if (isSet) trap = undefined;
        return isSet;
      },
      passed: () => {
        ticks += 1;
      },
    });
    client.on('data', (bytes: Buffer) => line.fromClient(bytes));
    upstream.on('data', (bytes: Buffer) => line.fromServer(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port');
  return {
    port: address.port,
    ticks: () => ticks,
    set: (next) => {
      trap = next;
    },
    disarm: () => {
      trap = undefined;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Either end's death is the other's: a killed worker's held bytes are dropped, never forwarded. */
function link(client: Socket, upstream: Socket, sockets: Set<Socket>): void {
  for (const [socket, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    sockets.add(socket);
    socket.setNoDelay(true);
    // Cut connections are what this run is about; worker and server each find out by themselves.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
  }
}

interface LineEnds {
  toServer(bytes: Buffer): void;
  toClient(bytes: Buffer): void;
  trapFor(tick: SeenTick): Trap | undefined;
  /** Whether this trap is still set; from now on it is not. */
  sprung(trap: Trap): boolean;
  passed(): void;
}

/** One connection. */
class Line {
  readonly #ends: LineEnds;
  readonly #asked = new WireMessages('client');
  readonly #answered = new WireMessages('server');
  #isStopped = false;
  #awaited: { readonly trap: Trap; readonly tick: SeenTick } | undefined;
  #kept: Buffer[] = [];
  #claims = 0;

  constructor(ends: LineEnds) {
    this.#ends = ends;
  }

  fromClient(bytes: Buffer): void {
    for (const message of this.#asked.push(bytes)) {
      if (this.#isStopped) return;
      const tick = readTick(message);
      if (tick !== undefined) {
        const trap = this.#ends.trapFor(tick);
        if (trap?.hold === 'request') {
          this.#isStopped = true;
          trap.caught(tick, 0);
          return;
        }
        this.#ends.passed();
        if (trap !== undefined) this.#awaited = { trap, tick };
      }
      this.#ends.toServer(message.bytes);
    }
  }

  fromServer(bytes: Buffer): void {
    for (const message of this.#answered.push(bytes)) {
      if (this.#awaited === undefined) {
        this.#ends.toClient(message.bytes);
        continue;
      }
      this.#kept.push(message.bytes);
      if (message.type === 'D') this.#claims += 1;
      // "Ready for query" comes after the commit.
      if (message.type === 'Z') this.#decide();
    }
  }

  /** The tick has committed. One that claimed nothing is no catch, and goes on as if nobody had looked. */
  #decide(): void {
    const { trap, tick } = this.#awaited ?? {};
    const claims = this.#claims;
    this.#claims = 0;
    if (trap !== undefined && tick !== undefined && claims > 0 && this.#ends.sprung(trap)) {
      this.#isStopped = true;
      trap.caught(tick, claims);
      return;
    }
    this.#awaited = undefined;
    for (const bytes of this.#kept) this.#ends.toClient(bytes);
    this.#kept = [];
  }
}

function readTick(message: WireMessage): SeenTick | undefined {
  if (message.type !== 'B') return undefined;
  const { statement, parameters } = readBind(message);
  if (statement !== 'tick') return undefined;
  const [, worker = '', outcomes = '[]', lanes = '{}', , attemptIds = '{}'] = parameters;
  return {
    worker,
    // Written by `tickValues` in store/tick.ts, which this harness is built with.
    outcomes: JSON.parse(outcomes) as SeenOutcome[],
    lanes: readArray(lanes),
    attemptIds: readArray(attemptIds),
  };
}

/** An array of lane codes or ids, none of which needs more than quotes. */
function readArray(text: string): string[] {
  const inner = text.slice(1, -1);
  return inner === '' ? [] : inner.split(',').map((item) => item.replaceAll('"', ''));
}
