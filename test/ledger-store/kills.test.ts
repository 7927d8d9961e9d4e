/** kill -9 at every step of a group and of its checkpoint: the log verifies, and no two heads contradict each other. */
import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkCheckpoint } from '../../src/ledger/checkpoint.ts';
import type { LedgerBoundary } from '../../src/core/boundary.ts';
import { leafHash } from '../../src/ledger/hashes.ts';
import { rootHash } from '../../src/ledger/tree.ts';
import { verifyEntries } from '../../src/ledger/verify.ts';
import type * as sources from '../../src/ledger/store/sequencer-thread.ts';
import { checkpointsFrom } from '../../src/ledger/store/checkpoints.ts';
import { ledgerEntries } from '../../src/ledger/store/ledger-entries.ts';
import { signingKeys } from '../../src/ledger/store/signing-keys.ts';
import { build, BUILT } from '../fixtures/built-tree.ts';
import { type FreshDatabase, freshDatabase } from '../fixtures/database.ts';
import { collect, INSTANCE, ledgerWorld, type LedgerWorld } from './ledger-world.ts';

const CHILD = fileURLToPath(new URL('./sequencer-child.mjs', import.meta.url));

/** The point, and how often it is passed before it kills. */
const POINTS = [
  ['before commit', 0],
  ['before commit', 2],
  ['after commit', 0],
  ['after commit', 2],
  ['before checkpoint', 0],
  ['before copy', 0],
  ['before open', 0],
  ['after open', 1],
  ['before rename', 0],
  ['after rename', 0],
  ['before rename', 1],
  ['after rename', 3],
  ['after copy', 1],
] as const;

describe('a sequencer that is killed', () => {
  let database: FreshDatabase;
  beforeAll(async () => {
    build();
    database = await freshDatabase();
  });
  afterAll(async () => {
    await database.close();
  });

  function run(world: LedgerWorld, point: string, round: number): Promise<string> {
    const config = {
      build: BUILT,
      target: database.target,
      schema: database.schema,
      tenant: world.tenant,
      instance: INSTANCE,
      tenantKey: Buffer.from(world.signing.tenantKey.current).toString('hex'),
      folder: world.folder,
      point,
      round,
    };
    const child = spawn(process.execPath, [CHILD, JSON.stringify(config)], { stdio: 'inherit' });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve(signal ?? String(code)));
    });
  }

  /** Every head that was ever signed or copied is the root of the log's beginning. */
  async function verify(world: LedgerWorld, boundary: LedgerBoundary): Promise<number> {
    const log = world.log(boundary);
    const entries = await collect(ledgerEntries(world.admin, world.tenant, boundary));
    expect(await verifyEntries(entries, { origin: log.origin })).toMatchObject({ ok: true });
    const leaves = entries.map(leafHash);
    const verifierKeys = (await signingKeys(world.admin, log)).map(({ vkey }) => vkey);
    const stored = await collect(checkpointsFrom(world.admin, log));
    const folder = join(world.folder, log.origin);
    const names = (await readdir(folder)).filter((name) => !name.startsWith('.'));
    const copies = await Promise.all(names.map((name) => readFile(join(folder, name))));
    for (const note of [...stored.map((each) => each.note), ...copies]) {
      const read = checkCheckpoint(note, { origin: log.origin, verifierKeys });
      if (!read.ok) throw new Error(read.message);
      const { size, root } = read.checkpoint;
      expect(Buffer.from(root).equals(rootHash(leaves.slice(0, size))), `size ${size}`).toBe(true);
    }
    expect(names.sort()).toEqual([...stored.map(({ size }) => String(size)), 'latest'].sort());
    const latest = await readFile(join(folder, 'latest'));
    expect(latest).toEqual(Buffer.from(stored.at(-1)?.note ?? []));
    expect(stored.at(-1)?.size).toBe(entries.length);
    return entries.length;
  }

  it('in a thread of its own signs, copies through the main thread, and ends with everything signed', async () => {
    const world = await ledgerWorld(database);
    // The build has the types of the sources.
    const store = (await import(
      /* @vite-ignore */ `${BUILT}/src/ledger/store/sequencer-thread.js`
    )) as typeof sources;
    const thread = store.startSequencerThread(
      {
        target: database.target,
        schema: database.schema,
        tenant: world.tenant,
        instance: INSTANCE,
        everyMs: 20,
        tenantKey: world.signing.tenantKey,
      },
      world.copies,
    );
    await world.addFacts(600);
    await thread.stop();
    expect(await verify(world, 'filing')).toBe(600);
    expect(await verify(world, 'spine')).toBeGreaterThan(0);
    await world.close();
  });

  it.each(POINTS)('%s (passed %i times) leaves a log that goes on', async (point, round) => {
    const world = await ledgerWorld(database);
    try {
      await world.addFacts(20);
      await world.sequencer.checkpoint();
      await world.addFacts(70);
      expect(await run(world, point, round)).toBe('SIGKILL');
      await world.addFacts(10);
      await world.another().checkpoint();
      expect(await verify(world, 'filing')).toBe(100);
      expect(await verify(world, 'spine')).toBeGreaterThan(0);
      expect(await world.waiting()).toBe(0);
    } finally {
      await world.close();
    }
  });
});
