/**
 * `audit verify` against somebody who may write every table of the database and has no key; then against one who has the
 * keys too, and not the copies outside. What they leave behind agrees with itself, and must not pass.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  approveRelease,
  inspectQuarantine,
  proposeRelease,
} from '../../src/oversight/acts/audit-quarantine.ts';
import { createFilewright } from '../../src/app.ts';
import { verifyLedger } from '../../src/oversight/acts/audit.ts';
import { entryId } from '../../src/core/ids.ts';
import type { LedgerEntry } from '../../src/ledger/entry-type.ts';
import { seedOf } from '../../src/ledger/store/signing-key-seal.ts';
import { PostgresSequencer } from '../../src/ledger/store/sequencer.ts';
import { retireSigningKey, rotateSigningKey } from '../../src/ledger/store/signing-keys.ts';
import { ReviewWorld } from '../review/world.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';
import { OPERATOR } from '../operator.ts';
import { rewriteLog, spineNaming } from './rewriting.ts';

const TABLES = [
  'ledger_head',
  'ledger_intake',
  'ledger_entry',
  'ledger_tile',
  'ledger_checkpoint',
  'ledger_signing_key',
];
/** One row for all logs. */
const KEPT = [...TABLES, 'quarantine'];
const NAME = 'filewright.local/main';
const origin = (boundary: string): string => `${NAME}/${boundary}`;

describe('a ledger that somebody rewrote', { timeout: 240_000 }, () => {
  let world: ReviewWorld;
  let kept: string;
  const data = (): string => join(world.folder, 'data');
  const copies = (): string => join(data(), 'checkpoints');
  const outside = ['checkpoints', 'known-logs'] as const;
  beforeAll(async () => {
    world = await ReviewWorld.make();
    await world.refused();
    await world.app.sequencer.checkpoint();
    await world.sql(`insert into fact_right values ('test.happened', 'filing', 'system')`);
    // Enough for a full tile.
    await world.sql(`insert into ledger_intake
      (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data)
      select 'main', 'filing', ('01900000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, now(), 'test.happened',
        'thing', i::text, 1, 'system', 'test', 'test', '{}' from generate_series(1, 300) i`);
    await world.app.sequencer.checkpoint();
    for (const table of KEPT) {
      await world.sql(`create table kept_${table} as select * from ${table}`);
      await world.sql(`alter table ${table} disable trigger all`);
    }
    kept = mkdtempSync(join(tmpdir(), 'fw-kept-'));
    cpSync(copies(), join(kept, 'checkpoints'), { recursive: true });
  }, 240_000);
  afterAll(async () => {
    rmSync(kept, { recursive: true, force: true });
    await world.close();
  });
  beforeEach(async () => {
    for (const table of KEPT.toReversed()) await world.sql(`delete from ${table}`);
    for (const table of KEPT) await world.sql(`insert into ${table} select * from kept_${table}`);
    for (const name of outside) {
      rmSync(join(data(), name), { recursive: true, force: true });
      if (existsSync(join(kept, name))) {
        cpSync(join(kept, name), join(data(), name), { recursive: true });
      }
    }
  });

  const verdicts = async (): Promise<Record<string, string>> => {
    const report = await verifyLedger(world.app, OPERATOR, { bodies: false });
    const reasons = report.logs.map(({ log, reason }) => [
      log.split('/').at(-1) ?? '',
      reason ?? 'verified',
    ]);
    const problems = report.problems.map(({ reason }) => ['problem', reason]);
    expect(report.ok).toBe(report.logs.every(({ ok }) => ok) && report.problems.length === 0);
    return { ok: String(report.ok), ...Object.fromEntries([...reasons, ...problems]) };
  };
  const forgeOutcome = (entry: LedgerEntry): LedgerEntry =>
    entry.type === 'test.happened' && entry.subj.id === '7'
      ? { ...entry, data: { forged: true } }
      : entry;
  const remove = async (boundary: string): Promise<void> => {
    for (const table of TABLES.toReversed()) {
      await world.sql(`delete from ${table} where boundary = '${boundary}'`);
    }
  };
  const seed = async (boundary: string): Promise<Uint8Array> => {
    const [row] = await world.sql(
      `select * from ledger_signing_key where boundary = '${boundary}'`,
    );
    return seedOf(world.app.tenantKey, {
      origin: origin(boundary),
      id: String(row?.['id']),
      vkey: String(row?.['vkey']),
      firstSize: Number(row?.['first_size']),
      lastSize: undefined,
      wrapped: row?.['wrapped'] as Buffer, // bytea
    });
  };
  const newestCopy = (boundary: string): string => {
    const sizes = readdirSync(join(copies(), origin(boundary))).filter((name) => name !== 'latest');
    const size = Math.max(...sizes.map(Number));
    return join(copies(), origin(boundary), String(size));
  };

  it('verifies before anything was done to it, is remembered once, and verifies again', async () => {
    const first = await verifyLedger(world.app, OPERATOR, { bodies: true });
    expect(first.ok).toBe(true);
    expect(first.notices.filter((each) => each.includes('for the first time'))).toHaveLength(
      first.logs.length,
    );
    const again = await verifyLedger(world.app, OPERATOR, { bodies: true });
    expect(again).toMatchObject({ ok: true, notices: [] });
  });

  it('the log of filings under a fresh key', async () => {
    await rewriteLog(world, { boundary: 'filing', origin: origin('filing'), change: forgeOutcome });
    expect(await verdicts()).toMatchObject({ ok: 'false', filing: 'SIGNING_KEY_FORGED' });
  });

  it('the log of filings and the spine under fresh keys, with the copies outside, remembered nowhere', async () => {
    const head = await rewriteLog(world, {
      boundary: 'filing',
      origin: origin('filing'),
      change: forgeOutcome,
      copies: copies(),
    });
    await rewriteLog(world, {
      boundary: 'spine',
      origin: origin('spine'),
      change: spineNaming(origin('filing'), head),
      copies: copies(),
    });
    expect(await verdicts()).toMatchObject({
      ok: 'false',
      filing: 'SIGNING_KEY_FORGED',
      spine: 'SIGNING_KEY_FORGED',
    });
  });

  it('a verifier key put in the place of another', async () => {
    await world.sql(
      `update ledger_signing_key a set vkey = b.vkey from ledger_signing_key b where a.boundary = 'filing' and b.boundary = 'access'`,
    );
    expect(await verdicts()).toMatchObject({ filing: 'SIGNING_KEY_FORGED' });
  });

  it('sizes that a key signs for, changed', async () => {
    await world.sql(`update ledger_signing_key set first_size = 0 where boundary = 'filing'`);
    expect(await verdicts()).toMatchObject({ filing: 'SIGNING_KEY_FORGED' });
  });

  it('keys that are gone: nothing verifies, and nothing is signed with a new first key', async () => {
    await world.sql(`delete from ledger_signing_key where boundary = 'access'`);
    expect(await verdicts()).toMatchObject({ access: 'UNTRUSTED_SIGNATURE' });
  });

  it('one log, removed: the spine names it', async () => {
    await remove('filing');
    expect(await verdicts()).toMatchObject({ ok: 'false', filing: 'LOG_MISSING' });
  });

  it('one log and the spine, removed: the copies outside name both', async () => {
    await remove('filing');
    await remove('spine');
    expect(await verdicts()).toMatchObject({ filing: 'LOG_MISSING', spine: 'LOG_MISSING' });
  });

  it('one log removed with its copies, and a spine that never named it: what was remembered names it', async () => {
    expect(await verdicts()).toMatchObject({ ok: 'true' });
    const spine = await seed('spine');
    await remove('filing');
    rmSync(join(copies(), origin('filing')), { recursive: true });
    await rewriteLog(world, {
      boundary: 'spine',
      origin: origin('spine'),
      change: spineNaming(origin('filing'), undefined),
      seed: spine,
      copies: copies(),
    });
    expect(await verdicts()).toMatchObject({ filing: 'LOG_MISSING', spine: 'ROLLBACK' });
  });

  it('all logs, removed', async () => {
    for (const boundary of ['filing', 'access', 'spine', 'fallback']) await remove(boundary);
    expect(await verdicts()).toMatchObject({
      ok: 'false',
      filing: 'LOG_MISSING',
      access: 'LOG_MISSING',
      spine: 'LOG_MISSING',
    });
  });

  it('all logs, removed with everything that named them', async () => {
    for (const boundary of ['filing', 'access', 'spine', 'fallback']) await remove(boundary);
    rmSync(copies(), { recursive: true });
    expect(await verdicts()).toMatchObject({ ok: 'false', problem: 'NO_LOGS' });
  });

  it('with the keys, and without the copies outside: the copies show it', async () => {
    const [filing, spine] = [await seed('filing'), await seed('spine')];
    const head = await rewriteLog(world, {
      boundary: 'filing',
      origin: origin('filing'),
      change: forgeOutcome,
      seed: filing,
    });
    await rewriteLog(world, {
      boundary: 'spine',
      origin: origin('spine'),
      change: spineNaming(origin('filing'), head),
      seed: spine,
    });
    await rebuildTiles(world);
    expect(await verdicts()).toMatchObject({ ok: 'false', filing: 'COPY_MISMATCH' });
  });

  it('with the keys and the copies: what was remembered shows it', async () => {
    expect(await verdicts()).toMatchObject({ ok: 'true' });
    const [filing, spine] = [await seed('filing'), await seed('spine')];
    const head = await rewriteLog(world, {
      boundary: 'filing',
      origin: origin('filing'),
      change: forgeOutcome,
      seed: filing,
      copies: copies(),
    });
    await rewriteLog(world, {
      boundary: 'spine',
      origin: origin('spine'),
      change: spineNaming(origin('filing'), head),
      seed: spine,
      copies: copies(),
    });
    await rebuildTiles(world);
    expect(await verdicts()).toMatchObject({ ok: 'false', filing: 'INCONSISTENT_WITH_PINNED' });
  });

  it.each([
    [
      'an older checkpoint, removed',
      `delete from ledger_checkpoint where boundary = 'filing' and size = (select min(size) from ledger_checkpoint where boundary = 'filing')`,
      'filing',
      'CHECKPOINT_MISSING',
    ],
    [
      'the newest checkpoint, removed',
      `delete from ledger_checkpoint where boundary = 'spine' and size = (select max(size) from ledger_checkpoint where boundary = 'spine')`,
      'spine',
      'CHECKPOINT_MISSING',
    ],
    [
      'an older checkpoint with another root',
      `update ledger_checkpoint set root = sha256('x') where boundary = 'filing' and size = (select min(size) from ledger_checkpoint where boundary = 'filing')`,
      'filing',
      'CHECKPOINT_MISMATCH',
    ],
    [
      'an older checkpoint without its signature',
      `update ledger_checkpoint set note = 'none' where boundary = 'filing' and size = (select min(size) from ledger_checkpoint where boundary = 'filing')`,
      'filing',
      'MALFORMED_CHECKPOINT',
    ],
    ['a tile, removed', `delete from ledger_tile`, 'filing', 'TILE_MISSING'],
    [
      'a tile with other hashes',
      `update ledger_tile set bytes = overlay(bytes placing sha256('x') from 33)`,
      'filing',
      'TILE_MISMATCH',
    ],
    [
      'a tile with another root',
      `update ledger_tile set root = sha256('x')`,
      'filing',
      'TILE_MISMATCH',
    ],
    [
      'a head, removed',
      `delete from ledger_head where boundary = 'filing'`,
      'filing',
      'HEAD_MISSING',
    ],
    [
      'facts that no log will ever take',
      `insert into ledger_intake
        (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data)
       values ('main', 'nowhere', gen_random_uuid(), now() - interval '2 minutes', 'a.b', 'c', 'd', 1, 'system', 'e', 'f', '{}')`,
      'problem',
      'INTAKE_STUCK',
    ],
  ])('%s', async (_what, damage, place, reason) => {
    await world.sql(damage);
    expect(await verdicts()).toMatchObject({ ok: 'false', [place]: reason });
  });

  it('keys that turn are followed, and one that was retired does not come back', async () => {
    const { app } = world;
    const log = { tenant: 'main', boundary: 'access', origin: origin('access') };
    const place = { ...log, instance: 'filewright.local' };
    const means = { tenantKey: app.tenantKey, random: app.random };
    const fact = (type: 'key.rotated' | 'key.retired') => ({
      id: entryId(app.ids.next()),
      type,
      actor: { kind: 'system' as const, id: 'test' },
      trace: 'test',
      data: {},
    });
    await rotateSigningKey(app.session, place, means, fact('key.rotated'));
    expect(await verdicts()).toMatchObject({ ok: 'true' });
    await app.sequencer.checkpoint();
    expect(await verdicts()).toMatchObject({ ok: 'true' });
    await world.sql(`create table earlier as select * from ledger_signing_key`);
    await retireSigningKey(app.session, log, means, fact('key.retired'));
    await app.sequencer.checkpoint();
    expect(await verdicts()).toMatchObject({ ok: 'true' });
    // The row as it was has a code that the tenant key made: only the log says that it is over.
    await world.sql(`update ledger_signing_key k set last_size = null, mac = e.mac from earlier e
      where e.tenant = k.tenant and e.boundary = k.boundary and e.id = k.id`);
    expect(await verdicts()).toMatchObject({ access: 'KEY_RETIRED_OTHERWISE' });
    await world.sql('drop table earlier');
  });

  describe('a head that was signed by a process which was killed before it wrote the copy', () => {
    const signWithoutCopy = async (): Promise<void> => {
      const { app } = world;
      const { session, tenant, instance, tenantKey, random } = app;
      await world.sql(`insert into ledger_intake
        (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data)
        values ('main', 'filing', '01900000-0000-7000-8000-00000000ffff', now(), 'test.happened', 'thing', 'last', 1, 'system', 'test', 'test', '{}')`);
      const signing = { tenantKey, random };
      await new PostgresSequencer({ session, tenant, instance, signing }).checkpoint();
    };
    const newestHead = async (): Promise<string> => {
      const [row] = await world.sql(
        `select max(size) as size from ledger_checkpoint where boundary = 'filing'`,
      );
      return String(row?.['size']);
    };

    it('is no failure: its copy is written once all else holds, and somebody is told', async () => {
      await signWithoutCopy();
      const path = join(copies(), origin('filing'), await newestHead());
      expect(existsSync(path)).toBe(false);
      const report = await verifyLedger(world.app, OPERATOR, { bodies: false });
      expect(report).toMatchObject({ ok: true });
      expect(report.notices.filter((each) => each.includes('had no copies'))).toHaveLength(2);
      expect(existsSync(path)).toBe(true);
      const again = await verifyLedger(world.app, OPERATOR, { bodies: false });
      expect(again).toMatchObject({ ok: true, notices: [] });
    });

    it('writes nothing while anything else is wrong', async () => {
      await signWithoutCopy();
      await world.sql(`update ledger_tile set root = sha256('x')`);
      expect(await verdicts()).toMatchObject({ ok: 'false', filing: 'TILE_MISMATCH' });
      expect(existsSync(join(copies(), origin('filing'), await newestHead()))).toBe(false);
    });

    it.each([
      ['the newest copy taken away: `latest` names it still', ['latest']],
      ['and `latest` put back: what was remembered names it still', []],
    ])('%s', async (_what, left) => {
      const log = join(copies(), origin('filing'));
      expect(await verdicts()).toMatchObject({ ok: 'true' });
      rmSync(newestCopy('filing'));
      if (left.length === 0) cpSync(newestCopy('filing'), join(log, 'latest'));
      expect(await verdicts()).toMatchObject({ ok: 'false', filing: 'COPY_MISSING' });
    });

    it('every copy taken away with all that was remembered: a log of several heads had some', async () => {
      for (const name of outside) rmSync(join(data(), name), { recursive: true, force: true });
      expect(await verdicts()).toMatchObject({ ok: 'false', filing: 'COPY_MISSING' });
    });
  });

  const asked = async () => {
    const view = await inspectQuarantine(world.app, OPERATOR);
    if (view.state !== 'in') return { state: view.state };
    const filing = view.contradictions.find(({ boundary }) => boundary === 'filing');
    return { state: view.state, cause: view.cause, reason: filing?.reason };
  };
  const forged = { state: 'in', cause: 'forgery', reason: 'forged' };
  const damaged = { state: 'in', reason: 'damaged' };
  const behind = { state: 'in', cause: 'older database', reason: 'behind' };
  const LAST = `boundary = 'filing' and seq = (select max(seq) from ledger_entry where boundary = 'filing')`;

  describe('quarantine status answers', () => {
    it.each<readonly [string, string, object]>([
      ['where nothing is wrong', 'select 1', { state: 'never' }],
      [
        'on a leaf that was changed',
        `update ledger_entry set leaf = sha256('x') where ${LAST}`,
        forged,
      ],
      ['on an entry that is gone', `delete from ledger_entry where ${LAST}`, damaged],
      ['on a tile with another root', `update ledger_tile set root = sha256('x')`, forged],
      ['on tiles that are gone', 'delete from ledger_tile', damaged],
      ['on a head that is gone', `delete from ledger_head where boundary = 'filing'`, behind],
      [
        'on a head that says less',
        `update ledger_head set size = signed_size - 1, signed_size = signed_size - 1 where boundary = 'filing'`,
        behind,
      ],
      [
        'on a head without its hashes',
        `update ledger_head set range = '' where boundary = 'filing'`,
        { state: 'never' },
      ],
      [
        'on a checkpoint that is none',
        `update ledger_checkpoint set note = 'none' where boundary = 'filing'`,
        { state: 'never' },
      ],
      ['without signing keys', 'delete from ledger_signing_key', { state: 'never' }],
      [
        'on a signing key that is none',
        `update ledger_signing_key set vkey = 'none' where boundary = 'filing'`,
        { state: 'never' },
      ],
    ])('%s', async (_what, damage, expected) => {
      await world.sql(damage);
      expect(await asked()).toMatchObject(expected);
    });

    it.each(['', 'nothing\n', '\0\xff'])('on a copy that says %j', async (content) => {
      writeFileSync(newestCopy('filing'), content);
      expect(await asked()).toMatchObject({ state: 'in', reason: 'unreadable copy' });
    });
  });

  it('a copy outside: missing, changed, or all of them gone', async () => {
    rmSync(newestCopy('access'));
    expect(await verdicts()).toMatchObject({ access: 'COPY_MISSING' });
    cpSync(newestCopy('filing'), join(copies(), origin('access'), 'latest'));
    writeFileSync(newestCopy('filing'), 'nothing\n');
    expect(await verdicts()).toMatchObject({ filing: 'COPY_MISMATCH' });
    rmSync(copies(), { recursive: true });
    expect(await verdicts()).toMatchObject({ filing: 'COPY_MISSING', spine: 'COPY_MISSING' });
  });

  it('keeps the evidence of both sides when two people end it', async () => {
    const { paula, arthur } = world;
    // A process of its own: that of the other tests remembers entries that were put back.
    const app = await createFilewright({
      dataDirectory: data(),
      environment: OWN_MACHINE,
    });
    try {
      // As who has the keys: a log that agrees with itself, and not with the copy outside.
      const log = { boundary: 'filing', origin: origin('filing'), change: forgeOutcome };
      await rewriteLog(world, { ...log, seed: await seed('filing') });
      await rebuildTiles(world);
      expect(await asked()).toMatchObject(forged);
      const evidence = async (): Promise<string> => {
        const [row] = await world.sql('select evidence::text from quarantine');
        return String(row?.['evidence']);
      };
      const before = await evidence();
      const view = await inspectQuarantine(app, OPERATOR);
      if (view.state !== 'in') throw new Error('it is not in quarantine');
      const settle = view.mustSettle;
      const { sha256 } = await proposeRelease(app, paula, { settle, reason: 'looked at by both' });
      await expect(approveRelease(app, paula, { sha256 })).rejects.toThrow();
      expect(await asked()).toMatchObject({ state: 'in' });
      await approveRelease(app, arthur, { sha256 });
      expect(await asked()).toMatchObject({ state: 'out' });
      expect(await evidence()).toBe(before);
      expect(before).toContain('forged');
    } finally {
      await app.close();
    }
  });
});

/** As the one who rewrote the entries would: from the leaves. */
async function rebuildTiles(world: ReviewWorld): Promise<void> {
  await world.sql(`delete from ledger_tile`);
  const { makeMissingTiles } = await import('../../src/ledger/store/tree-store.ts');
  const [head] = await world.sql(`select size from ledger_head where boundary = 'filing'`);
  await makeMissingTiles(
    (statement, values) => world.app.session.run(statement, values),
    { tenant: 'main', boundary: 'filing' },
    Number(head?.['size']),
  );
}
