/** Worker processes: the product's own `worker` command, each behind its own proxy, started again when it dies. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTickProxy, type TickProxy } from './tick-proxy.ts';
import { PAGE_SECRETS } from './pages.ts';

const COMMAND = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
/** A worker that has not drained by then is a finding. */
const STOP_MS_MAX = 30_000;
/** EX_TEMPFAIL, as the command line documents it. */
const TRY_LATER = 75;
const REFUSALS_MAX = 100;
const RESTART_MS = 200;

export class CrewMember {
  readonly name: string;
  readonly proxy: TickProxy;
  readonly #dataDirectory: string;
  readonly #deaths: string[];
  #child: ChildProcess | undefined;
  #isExpected = false;
  #refusals = 0;
  #restart: NodeJS.Timeout | undefined;

  constructor(options: {
    readonly name: string;
    readonly proxy: TickProxy;
    readonly dataDirectory: string;
    readonly deaths: string[];
  }) {
    this.name = options.name;
    this.proxy = options.proxy;
    this.#dataDirectory = options.dataDirectory;
    this.#deaths = options.deaths;
  }

  start(): void {
    const log = openSync(join(this.#dataDirectory, `worker-${this.name}.log`), 'a');
    const child = spawn(
      process.execPath,
      ['--enable-source-maps', COMMAND, '--data-dir', this.#dataDirectory, 'worker'],
      {
        stdio: ['ignore', log, log],
        env: {
          ...process.env,
          FILEWRIGHT_ALLOW_PRIVATE: '127.0.0.0/8',
          ...PAGE_SECRETS,
          DATABASE_URL: `postgres://filewright@127.0.0.1:${this.proxy.port}/postgres?sslmode=disable`,
        },
      },
    );
    closeSync(log);
    const end = (): void => void child.kill('SIGKILL');
    process.once('exit', end);
    child.once('exit', () => process.off('exit', end));
    this.#child = child;
    this.#isExpected = false;
    child.once('exit', (code, signal) => {
      if (this.#isExpected) return;
      // Started while the database was down, it says "try later", and a supervisor does.
      if (code === TRY_LATER && this.#refusals < REFUSALS_MAX) {
        this.#refusals += 1;
        this.#restart = setTimeout(() => this.start(), RESTART_MS);
      } else this.#deaths.push(`worker ${this.name} ended: ${signal ?? code}`);
    });
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** kill −9; resolves with the moment at which the process was certainly gone. */
  async kill(): Promise<number> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`Worker ${this.name} was expected to run, and had ended before its kill`);
    }
    this.#isExpected = true;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGKILL');
    await gone;
    return Date.now();
  }

  /** SIGTERM; resolves with the exit code, or undefined when it had to be killed. */
  async stop(): Promise<number | undefined> {
    clearTimeout(this.#restart);
    const child = this.#child;
    if (child === undefined) return undefined;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? undefined;
    this.#isExpected = true;
    const gone = new Promise<number | undefined>((resolve) =>
      child.once('exit', (code) => resolve(code ?? undefined)),
    );
    child.kill('SIGTERM');
    const patience = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
    const code = await gone;
    clearTimeout(patience);
    return code;
  }
}

export async function startCrew(options: {
  readonly count: number;
  readonly dataDirectory: string;
  readonly socketPath: string;
  /** Filled with every death that nobody ordered. */
  readonly deaths: string[];
}): Promise<readonly CrewMember[]> {
  const crew: CrewMember[] = [];
  for (let n = 0; n < options.count; n += 1) {
    const proxy = await startTickProxy(options.socketPath);
    const { dataDirectory, deaths } = options;
    const member = new CrewMember({ name: String(n), proxy, dataDirectory, deaths });
    member.start();
    crew.push(member);
  }
  return crew;
}
