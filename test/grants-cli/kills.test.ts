/** A year of a nonprofit on the command line: its commands are killed as processes, and simply given again. */
import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SeededRandom } from '../../src/testing/virtual-clock.ts';
import { build } from '../fixtures/built-tree.ts';
import { type Json, MAIN } from '../fixtures/cli.ts';
import { ACCOUNT, House, listAt, STATES, YEAR } from './house.ts';

const SEED = Number(process.env['FILEWRIGHT_KILL_SEED'] ?? 1);
const DIE_AT_WRITE = new URL('./die-at-write.mjs', import.meta.url).href;
const KILLS_MIN = 15;
const MINUTES_3_MS = 180_000;

interface Step {
  readonly words: readonly string[];
  /** What it ends with when nobody kills it. */
  readonly code: number;
}

let house: House;
beforeAll(async () => {
  build();
  house = await House.open();
}, MINUTES_3_MS);
afterAll(() => house.close());

const file = (name: string): string => `${YEAR}/${name}`;
/** Exactly what was shown before. */
async function close(tenant: Tenant, period: string, code: number): Promise<Step> {
  const words = ['grants', 'close', period, '--account', ACCOUNT, ...STATES];
  const { hash } = await tenant.data(words);
  return { words: [...words, '--expect-hash', String(hash)], code };
}

async function* year(tenant: Tenant): AsyncGenerator<Step> {
  const awards = ['awards-federal.ndjson', 'awards-foundations.csv', 'awards-campaign.xml'];
  yield { words: ['grants', 'ingest', ...awards.map(file)], code: 0 };
  const city = ['award-city.json', 'award-city-corrected.json'];
  yield { words: ['grants', 'ingest', ...city.map(file)], code: 5 };
  const first = ['bank-2026-02-10.camt052.xml', 'bank-2026-q1.camt053.xml'];
  yield { words: ['grants', 'feed', ...first.map(file)], code: 0 };
  yield { words: ['grants', 'reconcile', '--to', '2026-03-31'], code: 0 };
  yield await close(tenant, '2026-Q1', 0);
  const rest = ['bank-2026-q2.mt940.txt', 'bank-2026-q3.bai2.txt', 'bank-2026-q4.ofx'];
  yield { words: ['grants', 'feed', ...rest.map(file)], code: 0 };
  // The line with the bank's fee is looked up, as a person would.
  const aged = await tenant.data(['grants', 'unmatched', '--as-of', '2026-06-30']);
  const line = String(listAt(aged, 'entries').find((one) => one['side'] === 'bank')?.['id']);
  yield { words: ['grants', 'resolve', line, '--reason', 'fee of the bank'], code: 0 };
  yield await close(tenant, '2026-Q2', 0);
  yield await close(tenant, '2026-Q3', 4);
  const check = ['--checked-on', '2026-09-30', '--evidence', 'registration 105882'];
  yield { words: ['grants', 'attach-registration', 'PA', ...check], code: 0 };
  yield { words: ['grants', 'release', ...STATES], code: 0 };
  yield await close(tenant, '2026-Q4', 0);
  yield { words: ['grants', 'rules', '2026', ...STATES], code: 0 };
  yield { words: ['report', '990', '--period', '2026'], code: 0 };
}

/** One of two nonprofits in the same database. */
class Tenant {
  readonly #globals: readonly string[];

  constructor(name: string) {
    this.#globals = ['--tenant', name, '--key-file', `${name}.key`];
  }

  async open(): Promise<void> {
    const [, name = '', , key = ''] = this.#globals;
    await house.data(['--tenant', name, 'init']);
    await house.data(['--tenant', name, 'user', 'add', 'Nora Bookkeeper', '--key-out', key]);
  }

  data(words: readonly string[], code = 0): Promise<Json> {
    return house.data([...this.#globals, ...words], code);
  }

  /** As a process of its own; true when it was killed before it came to its end by itself. */
  diesAt(words: readonly string[], moment: string): Promise<boolean> {
    const argv = ['--import', DIE_AT_WRITE, MAIN, ...this.#globals, ...words];
    const env = { ...process.env, FILEWRIGHT_TEST_DIE_AT: moment };
    const child = spawn(process.execPath, argv, { cwd: house.folder, env, stdio: 'ignore' });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (_code, signal) => resolve(signal === 'SIGKILL'));
    });
  }

  /** What the books say in the end; ids and keys are others in another tenant. */
  async books(): Promise<unknown> {
    const { periods: _, ...counts } = await this.data(['grants', 'status']);
    const days = ['--period', '2026'];
    const report = await this.data(['report', '990', ...days]);
    const figures = listAt(report, 'figures').map(({ name, cents }) => [name, cents]);
    const trace = ['report', 'trace', 'IRS990/TotalContributionsAmt', ...days];
    const { stdout } = await house.run(...this.#globals, ...trace);
    const lines = [...stdout.matchAll(/^ *bank .*$/gm)].map(([text]) => text.trim()).sort();
    const aged = await this.data(['grants', 'unmatched', '--as-of', '2026-12-31']);
    return { counts, figures, lines, waiting: listAt(aged, 'entries').length };
  }
}

/** How often anything is written to a connection meanwhile. */
async function writesDuring(work: () => Promise<unknown>): Promise<number> {
  const write: unknown = Reflect.get(Socket.prototype, 'write');
  if (typeof write !== 'function') throw new Error('a socket can be written to');
  let count = 0;
  // By hand: a spy here would be shared with the one on this process's own output.
  Reflect.set(Socket.prototype, 'write', function counted(this: Socket, ...args: unknown[]) {
    count += 1;
    return Reflect.apply(write, this, args) as unknown;
  });
  try {
    await work();
    return count;
  } finally {
    Reflect.set(Socket.prototype, 'write', write);
  }
}

it(
  'commands killed at random moments and given again end with the books of an undisturbed year',
  async () => {
    const calm = new Tenant('calm');
    await calm.open();
    const counts: number[] = [];
    for await (const { words, code } of year(calm)) {
      counts.push(await writesDuring(() => calm.data(words, code)));
    }
    const dice = new SeededRandom(SEED, 'kills');
    const stormy = new Tenant('stormy');
    await stormy.open();
    const kills: string[] = [];
    let step = 0;
    for await (const { words, code } of year(stormy)) {
      const count = counts[step] ?? 0;
      step += 1;
      for (let runs = dice.chance(0.4) ? 1 : 2; runs > 0; runs -= 1) {
        // The last writes are where work is committed; the first ones only open the database.
        const moment = `${count - dice.below(Math.ceil(count * 0.8))} ${dice.chance(0.5) ? 'before' : 'after'}`;
        if (await stormy.diesAt(words, moment)) kills.push(`${words[1]} ${moment} of ${count}`);
      }
      await stormy.data(words, code);
    }
    process.stdout.write(`seed ${SEED}, ${kills.length} kills: ${kills.join(', ')}\n`);
    expect(kills.length).toBeGreaterThanOrEqual(KILLS_MIN);
    expect(await stormy.books()).toEqual(await calm.books());
    expect(await stormy.data(['audit', 'verify', '--bodies'])).toMatchObject({
      ok: true,
      waiting: 0,
    });
  },
  MINUTES_3_MS,
);
