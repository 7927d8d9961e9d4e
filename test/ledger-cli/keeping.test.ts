/** Keeping by commands: the root key's backup, holds, shredding, a restored backup; and the guide, line by line. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureEmbedded } from '../../src/postgres/embedded/ensure.ts';
import { Session } from '../../src/postgres/session.ts';
import { stopEmbedded } from '../../src/postgres/embedded/stop.ts';
import { ROOT } from '../fixtures/built-tree.ts';
import { type Json, textAt, type Variables } from '../fixtures/cli.ts';
import { condition, missing } from '../verify-py/python.ts';
import { ledgerCli, type LedgerCli, verdicts } from './world.ts';

const WORD = 'PLANTED-MARKER-c41d';

describe.skipIf(missing)(
  `keeping and destroying by command${condition}`,
  { timeout: 180_000 },
  () => {
    let cli: LedgerCli;
    beforeAll(async () => {
      cli = await ledgerCli(3, WORD);
    }, 300_000);
    afterAll(() => cli.close());

    const finding = async (check: string, variables: Variables = {}, code = 0): Promise<Json> => {
      const { findings } = await cli.world.data(['doctor'], variables, code);
      const found = Array.isArray(findings)
        ? findings.find((each) => textAt(each, 'check') === check)
        : undefined;
      return found as Json; // A finding of doctor, or undefined, which no expectation below accepts.
    };

    it('doctor asks for a backup of the root key, compares the one it is given, and remembers it', async () => {
      expect(await finding('root key backup')).toMatchObject({ state: 'warning' });
      const copy = cli.world.path('copy.key');
      copyFileSync(join(cli.world.dataDirectory, 'root.key'), copy);
      writeFileSync(cli.world.path('other.key'), `${'ab'.repeat(32)}\n`);
      const other = await cli.world.run([
        'doctor',
        '--root-key-backup',
        cli.world.path('other.key'),
      ]);
      expect(other).toMatchObject({ code: 4 });
      expect(other.stderr).toContain('another key');
      const itself = ['doctor', '--root-key-backup', join(cli.world.dataDirectory, 'root.key')];
      expect(await cli.world.run(itself)).toMatchObject({ code: 4 });
      await cli.world.data(['doctor', '--root-key-backup', copy]);
      expect(await finding('root key backup')).toMatchObject({ state: 'good' });
      // With another root key the confirmation is of no more use.
      const record = join(cli.world.dataDirectory, 'root-key-backup.json');
      writeFileSync(
        record,
        readFileSync(record, 'utf8').replace(/"fingerprint":"../, '"fingerprint":"zz'),
      );
      expect(await finding('root key backup')).toMatchObject({
        state: 'warning',
        found: expect.stringContaining('another'),
      });
    });

    it('doctor sees a folder of copies that is gone, and heads that were never copied', async () => {
      expect(await finding('checkpoints outside')).toMatchObject({ state: 'good' });
      const blocked = await cli.world.file('not-a-folder', 'x');
      expect(
        await finding('checkpoints outside', { FILEWRIGHT_CHECKPOINTS: join(blocked, 'in') }, 1),
      ).toMatchObject({ state: 'bad' });
    });

    it('a hold is released only by another person, and nothing under it is destroyed', async () => {
      const { world, paula, arthur } = cli;
      expect((await world.run(['retention', 'hold', 'E-1', '--reason', 'litigation'])).code).toBe(
        4,
      );
      // A name that was mistyped holds nothing, and is not told as if it did.
      const typo = await world.run(['retention', 'hold', 'e-1', '--reason', 'litigation'], paula);
      expect(typo).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('NOTHING IS HELD YET'),
      });
      const [wrong = ''] = /[0-9a-f-]{36}/.exec(typo.stdout) ?? [];
      await world.data(['retention', 'release', wrong], arthur);
      const held = await world.data(
        ['retention', 'hold', ' E-1 ', '--reason', 'litigation'],
        paula,
      );
      expect(held).toMatchObject({ keys: 1 });
      const id = textAt(held, 'id');
      await makeOld(cli, ['E-1', 'E-2']);
      expect(await world.data(['retention', 'run', '--dry-run'], paula)).toMatchObject({
        keys: 1,
        held: 1,
        isDryRun: true,
      });
      expect(await world.data(['retention', 'run'], paula)).toMatchObject({
        keys: 1,
        held: 1,
        needed: 0,
      });
      expect((await world.run(['retention', 'release', id], paula)).code).toBe(4);
      await world.data(['retention', 'release', id], arthur);
      expect((await world.run(['retention', 'release', id], arthur)).code).toBe(3);
      expect(await world.data(['retention', 'status'])).toMatchObject({
        keys: { shredded: 1, due: 1, held: 0 },
        holds: [],
      });
      expect(await world.data(['retention', 'run'], paula)).toMatchObject({ keys: 1, held: 0 });
    });

    it('after shredding every proof verifies, and what was destroyed is nowhere', async () => {
      const { world, paula, filings } = cli;
      const whole = world.path('after');
      await makeYoungAgain(cli);
      const report = await world.data(['audit', 'export', whole, '--bodies']);
      expect(report).toMatchObject({
        logs: expect.arrayContaining([
          expect.objectContaining({ boundary: 'filing', bodies: { written: 2, shredded: 4 } }),
        ]),
      });
      const judged = await verdicts(world, whole);
      expect([judged.python.ok, judged.ours.code]).toEqual([true, 0]);
      expect(await world.data(['audit', 'verify', '--bodies'])).toMatchObject({ ok: true });
      const pack = world.path('defense-after');
      const defended = await world.data(['filing', 'defend', filings[0] ?? '', pack], paula);
      expect(defended).toMatchObject({ shredded: 2, payloads: 0, answers: 0 });
      const packed = await verdicts(world, pack);
      expect([packed.python.code, packed.ours.code]).toEqual([0, 0]);
      for (const folder of [whole, pack]) {
        for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
          expect(bytesOf(join(folder, name)).includes(`${WORD} 1`), name).toBe(false);
        }
      }
      // The one that was not destroyed is still there for whoever may read it.
      const kept = await world.run(['filing', 'show', filings[2] ?? '', '--payload'], paula);
      expect(kept.stdout).toContain(`${WORD} 3`);
    });

    it('a body that was removed without shredding is refused by the export and reported by audit verify', async () => {
      const { world } = cli;
      await administer(cli, [
        'alter table ledger_blob disable trigger all',
        'delete from ledger_blob',
        'alter table ledger_blob enable trigger all',
      ]);
      const refused = await world.run(['audit', 'export', world.path('robbed'), '--bodies']);
      expect(refused.code).toBe(7);
      expect(refused.stderr).toContain('it was removed');
      expect(await world.data(['audit', 'verify', '--bodies'], {}, 7)).toMatchObject({ ok: false });
    });
  },
);

describe.skipIf(missing)(`a restored backup, by command${condition}`, { timeout: 180_000 }, () => {
  let cli: LedgerCli;
  beforeAll(async () => {
    cli = await ledgerCli(2);
  }, 300_000);
  afterAll(async () => {
    await stopEmbedded(cli.world.path('restored'), { mode: 'immediate' });
    await cli.close();
  });

  it('is in quarantine until a second person approves, and goes on under a new key', async () => {
    const { world, paula } = cli;
    await world.data(['audit', 'checkpoint']);
    await world.data(['db', 'backup', world.path('backup')]);
    await cli.send(['51', '52']);
    await world.data(['audit', 'checkpoint']);
    expect(await world.data(['audit', 'quarantine', 'status'])).toEqual({ state: 'never' });

    const restored = world.path('restored');
    await world.data(['--data-dir', restored, 'db', 'restore', world.path('backup')]);
    copyFileSync(join(world.dataDirectory, 'root.key'), join(restored, 'root.key'));
    chmodSync(join(restored, 'root.key'), 0o600);
    const here: Variables = {
      ...paula,
      FILEWRIGHT_DATA: restored,
      FILEWRIGHT_CHECKPOINTS: join(world.dataDirectory, 'checkpoints'),
    };
    const status = await world.data(['audit', 'quarantine', 'status'], here, 4);
    expect(status).toMatchObject({
      state: 'in',
      mustSettle: 0,
      contradictions: expect.arrayContaining([
        expect.objectContaining({ boundary: 'filing', reason: 'behind' }),
      ]),
    });
    const doctor = await world.data(['doctor'], here, 1);
    expect(JSON.stringify(doctor)).toContain('in quarantine since');
    const reason = 'the newest backup that we have';
    const propose = (settle: string): string[] =>
      ['audit', 'quarantine', 'propose', '--settle', settle].concat('--reason', reason);
    expect((await world.run(propose('7'), here)).code).toBe(5);
    const nobody = { ...here, FILEWRIGHT_KEY: undefined };
    expect((await world.run(propose('0'), nobody)).code).toBe(4);
    expect((await world.run(['audit', 'quarantine', 'approve'], here)).code).toBe(4);
    const { sha256 } = await world.data(propose('0'), here);
    // The one who proposed is not the second person, and nobody approves by another hash.
    expect((await world.run(['audit', 'quarantine', 'approve'], here)).code).toBe(4);
    const there: Variables = { ...here, ...cli.arthur };
    const other = ['audit', 'quarantine', 'approve', '--expect-hash', 'ab'.repeat(32)];
    expect((await world.run(other, there)).code).toBe(5);
    expect(await world.data(['audit', 'quarantine', 'status'], here, 4)).toMatchObject({
      cause: 'older database',
      release: { sha256 },
    });
    await world.data(['audit', 'quarantine', 'approve', '--expect-hash', String(sha256)], there);
    expect(await world.data(['audit', 'quarantine', 'status'], here)).toMatchObject({
      state: 'out',
    });

    const folder = world.path('forked');
    await world.data(['audit', 'export', folder, '--log', 'filing'], here);
    const judged = await verdicts(world, folder);
    expect([judged.python.ok, judged.ours.code]).toEqual([true, 0]);
    expect(readFileSync(join(folder, 'policy.txt'), 'utf8').match(/^log /gm)).toHaveLength(2);
  });
});

describe.skipIf(missing)(
  `the guide to proof, line by line${condition}`,
  { timeout: 180_000 },
  () => {
    it('does what it says', async () => {
      const cli = await ledgerCli(1);
      try {
        const page = readFileSync(join(ROOT, 'docs/guide/proof.md'), 'utf8');
        const lines = [...page.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, block = '']) => block);
        expect(lines.length).toBeGreaterThanOrEqual(5);
        const bin = cli.world.path('bin');
        mkdirSync(bin);
        writeFileSync(cli.world.path('paula.key'), cli.paula.FILEWRIGHT_KEY ?? '');
        const main = join(ROOT, process.env['FILEWRIGHT_TEST_DIST'] ?? 'dist', 'cli/main.js');
        writeFileSync(
          join(bin, 'filewright'),
          `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`,
          { mode: 0o755 },
        );
        const ran = spawnSync('sh', ['-e', '-c', lines.join('\n')], {
          cwd: cli.world.folder,
          encoding: 'utf8',
          env: {
            ...process.env,
            ...cli.paula,
            PATH: `${bin}:${process.env['PATH'] ?? ''}`,
            FILEWRIGHT_DATA: cli.world.dataDirectory,
            FILING: cli.filings[0] ?? '',
          },
        });
        expect(ran.status, ran.stdout + ran.stderr).toBe(0);
        expect(ran.stdout.match(/^OK .*\/filing size=/gm)?.length).toBeGreaterThanOrEqual(5);
      } finally {
        await cli.close();
      }
    });
  },
);

/** As an administrator of the database, who can do what the product refuses. */
async function administer(cli: LedgerCli, statements: readonly string[]): Promise<void> {
  const { connection } = await ensureEmbedded({ dataDirectory: cli.world.dataDirectory });
  const session = new Session({ target: connection, schema: 'filewright', name: 'test' });
  try {
    await session.transaction(async (run) => {
      for (const text of statements) await run({ name: '', text });
    });
  } finally {
    await session.close();
  }
}

/** Lets decades pass for these subjects: what a test cannot wait for. */
function makeOld(cli: LedgerCli, subjects: readonly string[]): Promise<void> {
  const list = subjects.map((subject) => `'${subject}'`).join(', ');
  const tables = ['ledger_dek', 'envelope', 'outcome'];
  return administer(cli, [
    ...tables.map((table) => `alter table ${table} disable trigger all`),
    'create table aged as select tenant, id, due, last_safe from envelope',
    `update ledger_dek set retain_until = '2001-01-01' where subject in (${list})`,
    `update envelope set due = '1990-01-01', last_safe = '1989-12-31' where entity_id in (${list})`,
    `update outcome set at = '1990-01-01' where filing in (select id from envelope where entity_id in (${list}))`,
    'alter table ledger_dek enable always trigger ledger_dek_guard',
    'alter table envelope enable always trigger envelope_once',
    'alter table outcome enable always trigger outcome_once',
  ]);
}

/** Dates that only this test has changed would be told as what they are: rows that differ from their entries. */
function makeYoungAgain(cli: LedgerCli): Promise<void> {
  return administer(cli, [
    'alter table envelope disable trigger all',
    'update envelope e set due = a.due, last_safe = a.last_safe from aged a where a.tenant = e.tenant and a.id = e.id',
    'drop table aged',
    'alter table envelope enable always trigger envelope_once',
  ]);
}

function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    // A folder has no bytes.
    return Buffer.alloc(0);
  }
}
