/** Brokers that a test or a bench starts for itself, with their own port and folder, so that it may kill them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

export interface Presence {
  readonly isMissing: boolean;
  /** For the title of what is skipped. */
  readonly note: string;
}

export interface OwnBroker {
  readonly url: string;
  /** SIGKILL, and the same broker again on the same folder. */
  killAndRestart(): Promise<void>;
  close(): Promise<void>;
}

/** Long on purpose: RabbitMQ starts slowly on a busy machine. */
const TURN_MS_MAX = 60_000;
const LOOK_MS = 50;

const PATHS = [
  ...(process.env['PATH'] ?? '').split(delimiter),
  // Debian's own script, without the wrapper that changes the user and the folder.
  '/usr/lib/rabbitmq/bin',
];

function program(name: string, folders: readonly string[]): string | undefined {
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

const redisServer = program('redis-server', PATHS);
const rabbitServer = program('rabbitmq-server', ['/usr/lib/rabbitmq/bin', ...PATHS]);
const isRequired = process.env['FILEWRIGHT_REQUIRE_BROKERS'] === '1';

export const ownRedis = presence('redis-server', redisServer);
export const ownRabbit = presence('rabbitmq-server', rabbitServer);

function presence(name: string, path: string | undefined): Presence {
  const isMissing = path === undefined && !isRequired;
  return { isMissing, note: isMissing ? ` (skipped: no ${name} to start)` : '' };
}

export async function startOwnRedis(): Promise<OwnBroker> {
  const folder = mkdtempSync(join(tmpdir(), 'filewright-redis-'));
  const port = await freePort();
  // Every write is on disk before it is answered: what was added survives the kill.
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
  const start = (): ChildProcess =>
    spawn(
      redisServer ?? 'redis-server',
      ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...durable],
      { stdio: 'ignore', detached: true },
    );
  return ownBroker(start, { port, folder, url: `redis://127.0.0.1:${port}` });
}

export async function startOwnRabbit(): Promise<OwnBroker> {
  const folder = mkdtempSync(join(tmpdir(), 'filewright-rabbit-'));
  const [port, distribution] = [await freePort(), await freePort()];
  const start = (): ChildProcess =>
    spawn(rabbitServer ?? 'rabbitmq-server', [], {
      stdio: 'ignore',
      detached: true,
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        RABBITMQ_NODENAME: `filewright-${port}@localhost`,
        RABBITMQ_NODE_PORT: String(port),
        RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
        RABBITMQ_DIST_PORT: String(distribution),
        RABBITMQ_MNESIA_BASE: join(folder, 'mnesia'),
        RABBITMQ_LOG_BASE: join(folder, 'log'),
        RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
        RABBITMQ_CONFIG_FILE: join(folder, 'none'),
        RABBITMQ_PID_FILE: join(folder, 'pid'),
      },
    });
  return ownBroker(start, { port, folder, url: `amqp://guest:guest@127.0.0.1:${port}` });
}

async function ownBroker(
  start: () => ChildProcess,
  place: { readonly port: number; readonly folder: string; readonly url: string },
): Promise<OwnBroker> {
  const { port, folder, url } = place;
  const up = async (): Promise<ChildProcess> => {
    const child = start();
    await untilAnswers(port, true);
    return child;
  };
  let child = await up();
  // Never without this: a group that outlives its test keeps the machine busy.
  const onExit = (): void => killGroup(child);
  process.once('exit', onExit);
  const kill = async (): Promise<void> => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    killGroup(child);
    await ended;
    await untilAnswers(port, false);
  };
  return {
    url,
    killAndRestart: async () => {
      await kill();
      child = await up();
    },
    close: async () => {
      await kill();
      process.off('exit', onExit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The broker is the leader of a group of its own, with whatever it started. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

async function untilAnswers(port: number, wanted: boolean): Promise<void> {
  const fromMs = performance.now();
  while ((await answers('127.0.0.1', port)) !== wanted) {
    if (performance.now() - fromMs > TURN_MS_MAX) {
      throw new Error(`The broker on port ${port} did not ${wanted ? 'start' : 'end'} in time`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

export function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2_000 });
    const end = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      // A listening TCP server has an address object.
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
