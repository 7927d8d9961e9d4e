/** Worker processes for the tests, run from the build; whoever starts one calls `build` before. */
import { type ChildProcess, spawn } from 'node:child_process';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILT } from '../fixtures/built-tree.ts';
import type { Server } from './server.ts';
import type { Stage } from './stage.ts';

const ROLE = fileURLToPath(new URL('./worker-process.mjs', import.meta.url));

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
  readonly server: Server;
  readonly stage: Stage;
  readonly leaseMs: number;
  /** Another way to the database. */
  readonly databaseUrl?: string;
}): Child {
  const { server, stage, leaseMs, databaseUrl = '' } = options;
  const place = [server.dataDirectory, stage.app.tenant, String(leaseMs), databaseUrl];
  return new Child(
    spawn(process.execPath, [ROLE, BUILT, ...place], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    }),
  );
}

/** The product's own command, as an operator starts it. */
export function spawnCommand(options: { readonly server: Server; readonly stage: Stage }): Child {
  const { server, stage } = options;
  const command = join(BUILT, 'cli/main.js');
  const place = ['--data-dir', server.dataDirectory, '--tenant', stage.app.tenant];
  const env = { ...process.env, ...OWN_MACHINE };
  return new Child(
    spawn(process.execPath, [command, ...place, 'worker'], { stdio: 'ignore', env }),
  );
}
