/**
 * Keys are turned while two workers send, and every turn is killed somewhere: before or after each write to the database or
 * to a file in turn. Nobody stops, nothing is lost, and everything that was ever sealed opens. The adversary is a worker that
 * goes on under a key that is gone: it would seal what nobody can read, or set filings aside that it cannot open.
 */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { csv, row } from '../cli/rows.ts';
import { until } from '../delivery/waiting.ts';
import { type Json, type Running, textAt, type Variables } from '../fixtures/cli.ts';
import { type LedgerCli, ledgerCli } from '../ledger-cli/world.ts';
import { verify } from '../verify-py/python.ts';

const AT_FILE = fileURLToPath(new URL('./die-at-file.mjs', import.meta.url));
const AT_WRITE = fileURLToPath(new URL('../grants-cli/die-at-write.mjs', import.meta.url));
const REASON = ['--reason', 'a laptop with the key was lost'];
/** In CI some moments of each turn; FILEWRIGHT_KILLS=every takes all of them. */
const STRIDE = process.env['FILEWRIGHT_KILLS'] === 'every' ? 1 : 17;
const ROWS = 2;

let cli: LedgerCli;
let workers: Running[] = [];
let sent = 0;
beforeAll(async () => {
  cli = await ledgerCli(2, 'Kept');
  workers = [cli.world.start(['worker']), cli.world.start(['worker'])];
  await Promise.all(workers.map((worker) => worker.saw('worker.started')));
}, 180_000);
afterAll(() => cli?.close());

/** Imported and approved under whatever key there is now; the workers send them when they come to it. */
async function feed(): Promise<void> {
  const numbers = Array.from({ length: ROWS }, (_, n) => String(100 + sent + n));
  sent += ROWS;
  const file = await cli.world.file(`flow-${sent}.csv`, csv(...numbers.map((each) => row(each))));
  const batch = textAt(await cli.world.data(['batch', 'import', file], cli.paula), 'batch');
  await cli.world.data(['batch', 'approve', batch], cli.arthur);
}

async function idOf(level: string): Promise<string> {
  const { keys } = await cli.world.data(['key', 'list']);
  return textAt(
    (keys as readonly Json[]).find((key) => key['level'] === level),
    'id',
  );
}

/** True when it was killed; false when it came to its end before that moment. */
async function dies(args: readonly string[], by: Variables, how: Moment): Promise<boolean> {
  const variables = {
    ...by,
    NODE_OPTIONS: `--import ${how.preload}`,
    FILEWRIGHT_TEST_DIE_AT: how.at,
  };
  const ended = await cli.world.start(['--json', ...args], variables).ended;
  if (ended.code === 0) return false;
  expect(ended.code, ended.stdout + ended.stderr).toBe(null);
  return true;
}

interface Moment {
  readonly preload: string;
  readonly at: string;
}

/** Every `stride`-th write, before it and after it in turn. */
function* moments(preload: string, stride: number): Generator<Moment> {
  for (let n = 1, turn = 0; n < 2_000; n += stride, turn += 1) {
    yield { preload, at: `${n} ${turn % 2 === 0 ? 'before' : 'after'}` };
  }
}

/** Proposes, is killed in the approval, and finishes by the same command. */
async function turn(level: 'root' | 'tenant', how: Moment): Promise<boolean> {
  const before = await idOf(level);
  const proposal = await cli.world.data(['key', 'rotate', level, ...REASON], cli.paula);
  const approve = ['key', 'approve', level, '--hash', textAt(proposal, 'hash')];
  const isKilled = await dies(approve, cli.arthur, how);
  if ((await idOf(level)) === before) {
    const again = await cli.world.run(approve, cli.arthur);
    // What the killed one had committed lacks only the file of a root key, or came to the server a moment later.
    if (level === 'root' && again.code !== 0) {
      const done = await cli.world.data(['key', 'rotate', level, ...REASON], cli.paula);
      expect(done, again.stderr).toMatchObject({ finished: true });
    }
    expect(await idOf(level), `${how.at} ${again.stdout}${again.stderr}`).not.toBe(before);
  }
  return isKilled;
}

async function accepted(): Promise<number> {
  const { filings } = await cli.world.data(['filing', 'list', '--limit', '1000']);
  return (filings as readonly Json[]).filter(({ status }) => status === 'accepted').length;
}

/** Everything is sent and readable, and nobody ended. A filing that was set aside would never come to be accepted. */
async function isWell(): Promise<void> {
  await until(async () => (await accepted()) === 2 + sent, 240_000);
  for (const worker of workers) expect(worker.child.exitCode).toBe(null);
  await cli.world.data(['audit', 'checkpoint']);
  await cli.world.data(['audit', 'verify', '--bodies']);
}

it.each([
  ['the tenant key, at writes to the database', 'tenant', AT_WRITE, STRIDE],
  ['the root key, at writes to the database', 'root', AT_WRITE, 2 * STRIDE],
  ['the root key, at its files', 'root', AT_FILE, 1],
] as const)(
  '%s',
  async (_, level, preload, stride) => {
    let kills = 0;
    for (const how of moments(preload, stride)) {
      const [isKilled] = await Promise.all([turn(level, how), feed()]);
      if (!isKilled) break;
      kills += 1;
    }
    expect(kills).toBeGreaterThan(2);
    await isWell();
  },
  600_000,
);

it('signing keys, at writes to the database', async () => {
  let kills = 0;
  for (const how of moments(AT_WRITE, 6 * STRIDE)) {
    const [isKilled] = await Promise.all([
      dies(['key', 'rotate', 'signing'], cli.paula, how),
      feed(),
    ]);
    if (!isKilled) break;
    kills += 1;
  }
  expect(kills).toBeGreaterThan(0);
  await cli.world.data(['key', 'rotate', 'signing'], cli.paula);
  await isWell();
}, 600_000);

it('the workers end when they are asked to, and what is exported verifies', async () => {
  for (const worker of workers) worker.child.kill('SIGTERM');
  for (const ended of await Promise.all(workers.map((worker) => worker.ended))) {
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).not.toContain('SEAL_BROKEN');
  }
  await cli.world.data(['audit', 'export', 'after'], cli.paula);
  expect(verify(cli.world.path('after'))).toMatchObject({ ok: true });
}, 120_000);
