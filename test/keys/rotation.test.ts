/** kill -9 at many moments of each rotation: the installation opens, every body does, and the same command finishes it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, textAt, type Variables } from '../fixtures/cli.ts';
import { type LedgerCli, ledgerCli } from '../ledger-cli/world.ts';
import { verify } from '../verify-py/python.ts';

const AT_FILE = fileURLToPath(new URL('./die-at-file.mjs', import.meta.url));
const AT_WRITE = fileURLToPath(new URL('../grants-cli/die-at-write.mjs', import.meta.url));
const REASON = ['--reason', 'a laptop with the key was lost'];
/** Every so many writes to the database one run dies, before and after it. */
const STRIDE = 11;
const RUNS_MAX = 40;

let cli: LedgerCli;
beforeAll(async () => {
  cli = await ledgerCli(3, 'Kept');
});
afterAll(() => cli?.close());

const keys = async (): Promise<readonly Json[]> =>
  (await cli.world.data(['key', 'list']))['keys'] as readonly Json[];
const idOf = async (level: string): Promise<string> =>
  textAt(
    (await keys()).find((key) => key['level'] === level),
    'id',
  );

/** Everything that was sealed before still opens, in a process that knows nothing. */
async function opens(): Promise<void> {
  const report = await cli.world.data(['audit', 'verify', '--bodies']);
  const filing = (report['logs'] as readonly Json[]).find((log) =>
    textAt(log, 'log').endsWith('/filing'),
  );
  expect(Number(filing?.['bodies'])).toBeGreaterThan(2);
}

async function proposed(level: string): Promise<string> {
  return textAt(await cli.world.data(['key', 'rotate', level, ...REASON], cli.paula), 'hash');
}

/** True when it was killed; false when it came to its end before that moment. */
async function dies(
  args: readonly string[],
  by: Variables,
  preload: string,
  at: string,
): Promise<boolean> {
  const variables = { ...by, NODE_OPTIONS: `--import ${preload}`, FILEWRIGHT_TEST_DIE_AT: at };
  const ended = await cli.world.start(['--json', ...args], variables).ended;
  if (ended.code === 0) return false;
  expect(ended.code, ended.stdout + ended.stderr).toBe(null);
  return true;
}

async function finish(level: 'root' | 'tenant', hash: string): Promise<void> {
  const again = await cli.world.run(['key', 'approve', level, '--hash', hash], cli.arthur);
  if (again.code === 0) return;
  expect(level).toBe('root');
  const done = await cli.world.data(['key', 'rotate', 'root', ...REASON], cli.paula);
  expect(done).toMatchObject({ finished: true });
}

describe.each(['root', 'tenant'] as const)('the %s key', (level) => {
  it('is turned by two people, never by one', async () => {
    const before = await idOf(level);
    const hash = await proposed(level);
    expect(await idOf(level)).toBe(before);
    const approve = ['key', 'approve', level, '--hash'];
    expect((await cli.world.run([...approve, hash], cli.paula)).stderr).toContain('second person');
    expect((await cli.world.run([...approve, '0'.repeat(64)], cli.arthur)).code).toBe(5);
    expect((await cli.world.run([...approve, hash])).code).toBe(4);
    expect(await idOf(level)).toBe(before);
    await cli.world.data([...approve, hash], cli.arthur);
    expect(await idOf(level)).not.toBe(before);
    await opens();
    expect((await cli.world.run([...approve, hash], cli.arthur)).code).toBe(4);
  });

  it('survives kill -9 at writes to the database all along its way', async () => {
    let kills = 0;
    for (let n = 1, runs = 0; runs < RUNS_MAX; n += STRIDE, runs += 1) {
      const before = await idOf(level);
      const hash = await proposed(level);
      const approve = ['key', 'approve', level, '--hash', hash];
      const side = runs % 2 === 0 ? 'before' : 'after';
      const isKilled = await dies(approve, cli.arthur, AT_WRITE, `${n} ${side}`);
      await opens();
      if (!isKilled) break;
      kills += 1;
      // Killed after its last step, it is done.
      if ((await idOf(level)) === before) await finish(level, hash);
      await opens();
      expect(await idOf(level), `${n} ${side}`).not.toBe(before);
    }
    expect(kills).toBeGreaterThan(3);
    expect(kills).toBeLessThan(RUNS_MAX);
  }, 300_000);
});

it('the root key survives kill -9 at every step of its files', async () => {
  let kills = 0;
  for (const at of [
    '1 before',
    '1 after',
    '2 before',
    '2 after',
    '3 before',
    '3 after',
    '4 before',
  ]) {
    const before = await idOf('root');
    const hash = await proposed('root');
    const isKilled = await dies(
      ['key', 'approve', 'root', '--hash', hash],
      cli.arthur,
      AT_FILE,
      at,
    );
    await opens();
    if (!isKilled) break;
    kills += 1;
    const isSwapped = (await idOf('root')) !== before;
    if (!isSwapped) await finish('root', hash);
    await opens();
    expect(await idOf('root'), at).not.toBe(before);
    expect(existsSync(join(cli.world.dataDirectory, 'root.key.next')), at).toBe(false);
  }
  expect(kills).toBe(6);
});

it('signing keys survive kill -9 at writes all along their way, and the same command finishes', async () => {
  let kills = 0;
  for (let n = 3, runs = 0; runs < RUNS_MAX; n += 3 * STRIDE, runs += 1) {
    const isKilled = await dies(
      ['key', 'rotate', 'signing'],
      cli.paula,
      AT_WRITE,
      `${n} ${runs % 2 === 0 ? 'before' : 'after'}`,
    );
    await opens();
    if (!isKilled) break;
    kills += 1;
  }
  expect(kills).toBeGreaterThan(3);
  await cli.world.data(['key', 'rotate', 'signing'], cli.paula);
  const live = (await keys()).filter(
    (key) => key['level'] === 'signing' && key['state'] === 'in use',
  );
  const logs = live.map((key) => textAt(key, 'log'));
  expect(new Set(logs).size).toBe(logs.length);
  await cli.world.data(['audit', 'export', 'after'], cli.paula);
  expect(verify(cli.world.path('after'))).toMatchObject({ ok: true });
  await cli.world.data(['audit', 'verify', 'after']);
}, 300_000);

it('lists no key, only names and ages', async () => {
  const { stdout } = await cli.world.run(['key', 'list']);
  expect(stdout).toMatch(/root .* in use +the tenant keys/);
  expect(stdout).not.toMatch(/[0-9a-f]{64}/);
});
