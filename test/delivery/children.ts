/** Worker processes for the tests, run from a build of the tree as it is now. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../src/postgres/package-root.ts';
import type { Server } from './server.ts';
import type { Stage } from './stage.ts';

const ROLE = fileURLToPath(new URL('./worker-process.mjs', import.meta.url));

export interface Build {
  readonly directory: string;
  remove(): void;
}

/** Types are checked elsewhere; here only the emitted code counts, which the compiler writes in any case. */
export async function buildTree(): Promise<Build> {
  const root = packageRoot();
  const directory = join(root, `dist.delivery-${process.pid}`);
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const options = ['-p', join(root, 'tsconfig.build.json'), '--outDir', directory];
  await new Promise<void>((resolve) => {
    execFile(process.execPath, [compiler, ...options], { cwd: root }, () => resolve());
  });
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

export class Child {
  readonly pid: number;
  readonly #process: ChildProcess;
  readonly #exit: Promise<number | NodeJS.Signals>;

  constructor(process: ChildProcess) {
    this.#process = process;
    this.pid = process.pid ?? 0;
    this.#exit = new Promise((resolve) => {
      process.once('exit', (code, signal) => resolve(signal ?? code ?? 1));
    });
  }

  /** The exit code, or the signal that ended it. */
  get exit(): Promise<number | NodeJS.Signals> {
    return this.#exit;
  }

  signal(name: NodeJS.Signals): void {
    this.#process.kill(name);
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#exit;
  }
}

export function spawnWorker(options: {
  readonly build: Build;
  readonly server: Server;
  readonly stage: Stage;
  readonly leaseMs: number;
  /** Another way to the database. */
  readonly databaseUrl?: string;
}): Child {
  const { build, server, stage, leaseMs, databaseUrl = '' } = options;
  const place = [server.dataDirectory, stage.app.tenant, String(leaseMs), databaseUrl];
  return new Child(
    spawn(process.execPath, [ROLE, build.directory, ...place], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    }),
  );
}

/** The product's own command, as an operator starts it. */
export function spawnCommand(options: {
  readonly build: Build;
  readonly server: Server;
  readonly stage: Stage;
}): Child {
  const { build, server, stage } = options;
  const command = join(build.directory, 'src/cli/main.js');
  const place = ['--data-dir', server.dataDirectory, '--tenant', stage.app.tenant];
  return new Child(spawn(process.execPath, [command, ...place, 'worker'], { stdio: 'ignore' }));
}
