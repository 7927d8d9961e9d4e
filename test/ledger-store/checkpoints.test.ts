import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkCheckpoint } from '../../src/ledger/checkpoint.ts';
import { CompactRange } from '../../src/ledger/compact-range.ts';
import { leafHash } from '../../src/ledger/hashes.ts';
import { parseEntry } from '../../src/ledger/entry-chain.ts';
import { rootHash } from '../../src/ledger/tree.ts';
import { verifyConsistency, verifyInclusion } from '../../src/ledger/verify-proof.ts';
import { checkpointsFrom, latestCheckpoint } from '../../src/ledger/store/checkpoints.ts';
import { consistencyProofAt, inclusionProofAt, rootAt } from '../../src/ledger/store/tree-store.ts';
import { ledgerEntries, ledgerHeads } from '../../src/ledger/store/ledger-entries.ts';
import {
  retireSigningKey,
  rotateSigningKey,
  trustedLogs,
} from '../../src/ledger/store/signing-keys.ts';
import { Session } from '../../src/postgres/session.ts';
import { type FreshDatabase, freshDatabase } from '../fixtures/database.ts';
import { collect, INSTANCE, ledgerWorld, type LedgerWorld } from './ledger-world.ts';

describe('signed checkpoints', () => {
  let database: FreshDatabase;
  let world: LedgerWorld;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    world = await ledgerWorld(database);
  });
  afterEach(() => world.close());

  const trust = async (boundary: 'filing' | 'spine' | 'access') => ({
    origin: world.log(boundary).origin,
    policy: {
      logs: await trustedLogs(world.admin, world.log(boundary), world.signing.tenantKey),
      witnesses: [],
      groups: [],
      quorum: 'none',
    },
  });

  /** Lets the second pass that must lie between two checkpoints. */
  const letASecondPass = () =>
    world.admin.transaction(async (run) => {
      await run({ name: '', text: 'alter table ledger_head disable trigger ledger_head_grows' });
      await run(
        {
          name: '',
          text: `update ledger_head set signed_at = signed_at - interval '1 second' where tenant = $1`,
        },
        [world.tenant],
      );
      await run({
        name: '',
        text: 'alter table ledger_head enable always trigger ledger_head_grows',
      });
    });

  const sequenceAll = async (sequencer = world.sequencer) => {
    while ((await sequencer.sequence()) > 0);
  };

  it('is signed with the group that it covers, believed by its policy, and lies outside as well', async () => {
    await world.addFacts(3);
    await world.sequencer.sequence();
    const stored = await latestCheckpoint(world.admin, world.log('filing'));
    if (stored === undefined) throw new Error('no checkpoint');
    const entries = await collect(ledgerEntries(world.admin, world.tenant, 'filing'));
    const root = rootHash(entries.map((bytes) => leafHash(bytes)));
    const outcome = checkCheckpoint(stored.note, await trust('filing'));
    expect(outcome).toMatchObject({ ok: true, checkpoint: { size: 3 } });
    expect(Buffer.from(stored.root).equals(root)).toBe(true);
    const folder = join(world.folder, world.log('filing').origin);
    expect((await readdir(folder)).sort()).toEqual(['3', 'latest']);
    for (const name of ['3', 'latest']) {
      expect(await readFile(join(folder, name))).toEqual(Buffer.from(stored.note));
    }
  });

  it('is signed at most once a second, and the rest when the second has passed', async () => {
    const sizes = async () =>
      (await collect(checkpointsFrom(world.admin, world.log('filing')))).map(({ size }) => size);
    await world.addFacts(2);
    await world.sequencer.sequence();
    await world.addFacts(2);
    await world.sequencer.sequence();
    expect(await sizes()).toEqual([2]);
    await letASecondPass();
    // Nothing waits any more; the head alone is due.
    await world.another().sequence();
    expect(await sizes()).toEqual([2, 4]);
    await world.addFacts(1);
    await world.sequencer.checkpoint();
    expect(await sizes()).toEqual([2, 4, 5]);
    await world.sequencer.checkpoint();
    expect(await sizes()).toEqual([2, 4, 5]);
  });

  it('puts the head of every log that changed into the spine, in order, and signs the spine', async () => {
    await world.addFacts(2);
    await world.addFacts(1, 'rules');
    await world.sequencer.checkpoint();
    await world.addFacts(2);
    await world.sequencer.checkpoint();
    const entries = (await collect(ledgerEntries(world.admin, world.tenant, 'spine'))).map(
      parseEntry,
    );
    const filing = entries.filter((entry) => entry.data['origin'] === world.log('filing').origin);
    expect(filing.map(({ type, subj, data }) => [type, subj.ver, data['size']])).toEqual([
      ['spine.head', 1, 2],
      ['spine.head', 2, 4],
    ]);
    const last = await latestCheckpoint(world.admin, world.log('filing'));
    expect(filing[1]?.data['root']).toBe(Buffer.from(last?.root ?? []).toString('hex'));
    const origins = new Set(entries.map(({ data }) => data['origin']));
    expect(origins).toContain(world.log('rules').origin);
    const spine = await latestCheckpoint(world.admin, world.log('spine'));
    expect(spine?.size).toBe(entries.length);
    expect(checkCheckpoint(spine?.note ?? '', await trust('spine')).ok).toBe(true);
    // The spine has come to rest.
    await world.sequencer.checkpoint();
    expect(await collect(ledgerEntries(world.admin, world.tenant, 'spine'))).toHaveLength(
      entries.length,
    );
  });

  it('proves inclusion and consistency at every size, across tile borders', async () => {
    const log = world.log('filing');
    const run = world.run;
    // Groups that do not end where tiles do.
    await world.addFacts(100);
    await sequenceAll();
    await world.addFacts(600);
    await sequenceAll();
    const leaves = (await collect(ledgerEntries(world.admin, world.tenant, 'filing'))).map(
      leafHash,
    );
    expect(leaves).toHaveLength(700);
    for (const size of [1, 2, 255, 256, 257, 511, 512, 513, 699, 700]) {
      const root = await rootAt(run, log, size);
      expect(Buffer.from(root).equals(rootHash(leaves.slice(0, size))), `root of ${size}`).toBe(
        true,
      );
      for (const index of [0, size >> 1, size - 1]) {
        const proof = await inclusionProofAt(run, log, { index, size });
        const leaf = leaves[index];
        if (leaf === undefined) throw new Error('no leaf');
        const claim = { leafIndex: index, treeSize: size, leafHash: leaf, root, proof };
        expect(verifyInclusion(claim), `${index} of ${size}`).toBe(true);
      }
      const proof = await consistencyProofAt(run, log, { size1: size, size2: 700 });
      const roots = { root1: root, root2: await rootAt(run, log, 700) };
      expect(verifyConsistency({ size1: size, size2: 700, ...roots, proof })).toBe(true);
    }
  });

  it('completes the tile of tiles where 65,536 entries are reached', async () => {
    const log = world.log('reporting');
    const before = 65_530;
    const range = CompactRange.empty();
    const leaves = Array.from({ length: before }, (_, n) =>
      createHash('sha256').update(String(n)).digest(),
    );
    for (const leaf of leaves) range.append(leaf);
    const values = [world.tenant, before];
    await world.admin.run(
      {
        name: '',
        text: `insert into ledger_head (tenant, boundary, size, range, last_leaf) values ($1, 'reporting', $2, $3, $4)`,
      },
      [...values, range.toBytes(), leaves.at(-1)],
    );
    await world.admin.run(
      {
        name: '',
        text: `insert into ledger_entry (tenant, boundary, seq, id, bytes, leaf)
          select $1, 'reporting', n, gen_random_uuid(), 'x', sha256(n::text::bytea) from generate_series(0, $2::int - 1) n`,
      },
      values,
    );
    await world.addFacts(300, 'reporting');
    await sequenceAll();
    const entries = await collect(ledgerEntries(world.admin, world.tenant, 'reporting'));
    for (const bytes of entries.slice(before)) leaves.push(Buffer.from(leafHash(bytes)));
    const size = before + 300;
    expect(leaves).toHaveLength(size);
    const tiles = await world.admin.run(
      {
        name: '',
        text: `select level, count(*)::int as n from ledger_tile where tenant = $1 group by level order by level`,
      },
      [world.tenant],
    );
    expect(tiles).toEqual([
      { level: 0, n: 257 },
      { level: 1, n: 1 },
    ]);
    const root = rootHash(leaves);
    expect(Buffer.from(await rootAt(world.run, log, size)).equals(root)).toBe(true);
    for (const index of [0, 65_535, 65_536, size - 1]) {
      const proof = await inclusionProofAt(world.run, log, { index, size });
      const leaf = leaves[index] ?? Buffer.alloc(0);
      expect(
        verifyInclusion({ leafIndex: index, treeSize: size, leafHash: leaf, root, proof }),
      ).toBe(true);
    }
  });

  it('makes the tiles of a log from before there were tiles', async () => {
    await world.addFacts(600);
    await sequenceAll();
    const before = await rootAt(world.run, world.log('filing'), 600);
    await world.admin.transaction(async (run) => {
      await run({ name: '', text: 'alter table ledger_tile disable trigger ledger_tile_once' });
      await run({ name: '', text: 'delete from ledger_tile where tenant = $1' }, [world.tenant]);
      await run({
        name: '',
        text: 'alter table ledger_tile enable always trigger ledger_tile_once',
      });
    });
    await expect(rootAt(world.run, world.log('filing'), 600)).rejects.toThrow(
      'stored hashes of tile',
    );
    await world.addFacts(1);
    await sequenceAll(world.another());
    expect(await rootAt(world.run, world.log('filing'), 600)).toEqual(before);
  });

  it('is refused at the start when the log no longer has the root that was signed', async () => {
    await world.addFacts(300);
    await world.sequencer.checkpoint();
    await world.admin.transaction(async (run) => {
      for (const text of [
        'alter table ledger_entry disable trigger ledger_entry_once',
        `update ledger_entry set leaf = sha256(leaf) where tenant = '${world.tenant}' and boundary = 'filing' and seq = 299`,
        'alter table ledger_entry enable always trigger ledger_entry_once',
      ]) {
        await run({ name: '', text });
      }
    });
    await world.addFacts(1);
    await expect(world.another().sequence()).rejects.toMatchObject({
      code: 'LEDGER_BROKEN',
      message: expect.stringContaining('root'),
    });
    expect(await world.waiting()).toBe(1);
  });

  it('changes its key with an overlap in which both sign', async () => {
    const log = { ...world.log('filing'), instance: INSTANCE };
    await world.addFacts(2);
    await world.sequencer.checkpoint();
    const { old, new: fresh } = await rotateSigningKey(
      world.admin,
      log,
      world.signing,
      world.fact('key.rotated'),
    );
    await expect(
      rotateSigningKey(world.admin, log, world.signing, world.fact('key.rotated')),
    ).rejects.toMatchObject({ code: 'REFUSED_BY_RULE' });
    await expect(
      retireSigningKey(world.admin, log, world.signing, world.fact('key.retired')),
    ).rejects.toMatchObject({ code: 'REFUSED_BY_RULE' });
    await world.sequencer.checkpoint();
    const overlap = await latestCheckpoint(world.admin, log);
    for (const vkey of [old, fresh]) {
      const trusted = { origin: log.origin, verifierKeys: [vkey] };
      expect(checkCheckpoint(overlap?.note ?? '', trusted).ok, vkey).toBe(true);
    }
    const retired = await retireSigningKey(
      world.admin,
      log,
      world.signing,
      world.fact('key.retired'),
    );
    expect(retired).toEqual({ retired: old, lastSize: 3 });
    await world.sequencer.checkpoint();
    const after = await latestCheckpoint(world.admin, log);
    const byOld = checkCheckpoint(after?.note ?? '', { origin: log.origin, verifierKeys: [old] });
    expect(byOld).toMatchObject({ ok: false, reason: 'UNTRUSTED_SIGNATURE' });
    for await (const { note } of checkpointsFrom(world.admin, log)) {
      expect(checkCheckpoint(note, await trust('filing')).ok).toBe(true);
    }
    const rotated = (await collect(ledgerEntries(world.admin, world.tenant, 'filing')))
      .map(parseEntry)
      .find((entry) => entry.type === 'key.rotated');
    expect(rotated?.data).toMatchObject({ old, new: fresh });
  });

  it('never lets two sequencers sign heads that contradict each other', async () => {
    const other = world.another();
    for (let round = 0; round < 6; round += 1) {
      await world.addFacts(40);
      await Promise.all([world.sequencer.checkpoint(), other.checkpoint()]);
    }
    await world.sequencer.checkpoint();
    const leaves = (await collect(ledgerEntries(world.admin, world.tenant, 'filing'))).map(
      leafHash,
    );
    expect(leaves).toHaveLength(240);
    for await (const { size, root } of checkpointsFrom(world.admin, world.log('filing'))) {
      expect(Buffer.from(root).equals(rootHash(leaves.slice(0, size)))).toBe(true);
    }
  });

  it('is signed by who is left when the process that appended is gone', async () => {
    await world.addFacts(3);
    await world.sequencer.checkpoint();
    await world.addFacts(4);
    await world.another().sequence();
    await letASecondPass();
    await sequenceAll();
    expect(await latestCheckpoint(world.admin, world.log('filing'))).toMatchObject({ size: 7 });
  });

  it('is signed now also beside a process that appends without a pause', async () => {
    const busy = world.another();
    const over = new AbortController();
    const work = (async () => {
      while (!over.signal.aborted) {
        await world.addFacts(20);
        await busy.sequence();
      }
    })();
    for (let round = 0; round < 15; round += 1) {
      const heads = await ledgerHeads(world.admin, world.tenant);
      const before = heads.find(({ boundary }) => boundary === 'filing')?.size ?? 0;
      await world.sequencer.checkpoint();
      const signed = await latestCheckpoint(world.admin, world.log('filing'));
      expect(signed?.size ?? 0).toBeGreaterThanOrEqual(before);
    }
    over.abort();
    await work;
  });

  it('of the other logs is signed where a process that stands still holds one of them', async () => {
    await world.addFacts(5);
    await world.addFacts(5, 'access');
    const stopped = new Session({ ...database, name: 'stopped' });
    await stopped.transaction(async (run) => {
      await world.admin.run(
        { name: '', text: `insert into ledger_head values ($1, 'filing') on conflict do nothing` },
        [world.tenant],
      );
      const text = `select 1 from ledger_head where tenant = $1 and boundary = 'filing' for update`;
      await run({ name: '', text }, [world.tenant]);
      await world.sequencer.checkpoint();
    });
    await stopped.close();
    expect(await latestCheckpoint(world.admin, world.log('filing'))).toBeUndefined();
    expect(await latestCheckpoint(world.admin, world.log('access'))).toBeDefined();
    await world.sequencer.checkpoint();
    expect(await latestCheckpoint(world.admin, world.log('filing'))).toMatchObject({ size: 5 });
  });
});
