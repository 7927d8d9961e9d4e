/** A RabbitMQ that a bench starts for itself, with its own port and folder, so that it may kill it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

export interface OwnRabbit {
  readonly url: string;
  killAndRestart(): Promise<void>;
  close(): Promise<void>;
}

const START_MS_MAX = 60_000;

/** Debian's own script comes first: the wrapper on the path changes the user and the folder. */
function program(): string | undefined {
  const folders = ['/usr/lib/rabbitmq/bin', ...(process.env['PATH'] ?? '').split(delimiter)];
  return folders.map((folder) => join(folder, 'rabbitmq-server')).find((path) => existsSync(path));
}

/** Undefined where there is no RabbitMQ to start. */
export async function startOwnRabbit(): Promise<OwnRabbit | undefined> {
  const path = program();
  if (path === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'filewright-bench-rabbit-'));
  const [port, distribution] = [await freePort(), await freePort()];
  const start = (): ChildProcess =>
    spawn(path, [], {
      stdio: 'ignore',
      // The leader of a group of its own, with whatever it starts.
      detached: true,
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        RABBITMQ_NODENAME: `filewright-bench-${port}@localhost`,
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
  let child = start();
  const onExit = (): void => killGroup(child);
  process.once('exit', onExit);
  await untilAnswers(port, true);
  const kill = async (): Promise<void> => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    killGroup(child);
    await ended;
    await untilAnswers(port, false);
  };
  return {
    url: `amqp://guest:guest@127.0.0.1:${port}`,
    killAndRestart: async () => {
      await kill();
      child = start();
      await untilAnswers(port, true);
    },
    close: async () => {
      await kill();
      process.off('exit', onExit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

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
  while ((await answers(port)) !== wanted) {
    if (performance.now() - fromMs > START_MS_MAX) throw new Error('RabbitMQ did not start or end');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 2_000 });
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
