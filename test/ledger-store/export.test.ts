import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMs, instant } from '../../src/core/time.ts';
import type { FilingId } from '../../src/core/ids.ts';
import { parseEntry } from '../../src/ledger/entry-chain.ts';
import { tileFiles } from '../../src/ledger/tile-builder.ts';
import {
  entriesBetween,
  entriesOfFiling,
  firstSeqSince,
  ledgerCounts,
  logTiles,
} from '../../src/ledger/store/ledger-export.ts';
import { ledgerEntries } from '../../src/ledger/store/ledger-entries.ts';
import { type FreshDatabase, freshDatabase } from '../fixtures/database.ts';
import { claim, outcome, queueFilings, record, register } from '../store-contract/steps.ts';
import { collect, ledgerWorld, type LedgerWorld } from './ledger-world.ts';

describe('reading the ledger for an export', () => {
  let database: FreshDatabase;
  let world: LedgerWorld;
  let filings: readonly FilingId[];
  beforeAll(async () => {
    database = await freshDatabase();
    world = await ledgerWorld(database);
    filings = await queueFilings(world, [{}, {}, {}]);
    const worker = await register(world);
    for (const held of await claim(world, worker, 3)) {
      await record(world, await outcome(world, held, { to: 'fallout' }));
    }
    await world.addFacts(600);
    await world.sequencer.checkpoint();
  });
  afterAll(async () => {
    await world.close();
    await database.close();
  });

  const entries = () => collect(ledgerEntries(world.admin, world.tenant, 'filing'));

  it('gives the very tiles and bundles that the entries make', async () => {
    const all = await entries();
    for (const size of [0, 1, 255, 256, 257, 512, all.length]) {
      const expected = await collect(tileFiles(all.slice(0, size)));
      const files = await collect(logTiles(world.admin, world.log('filing'), size));
      const sorted = (list: typeof files) =>
        list.map(({ path, bytes }) => `${path} ${Buffer.from(bytes).toString('hex')}`).toSorted();
      expect(sorted(files), `size ${size}`).toEqual(sorted(expected));
    }
  });

  it('finds the first entry of a moment, at every border', async () => {
    const log = world.log('filing');
    const times = (await entries()).map((bytes) => Date.parse(parseEntry(bytes).ts));
    const [first, last] = [times[0] ?? 0, times.at(-1) ?? 0];
    for (const moment of [0, first, first + 1, last, last + 1, ...new Set(times)]) {
      const found = await firstSeqSince(world.admin, log, instant(moment));
      const expected = times.findIndex((time) => time >= moment);
      expect(found).toBe(expected < 0 ? times.length : expected);
    }
    const time = { from: instant(first), to: addMs(instant(last), 1) };
    const between = await collect(entriesBetween(world.admin, log, time));
    expect(between.map(({ seq }) => seq)).toEqual(times.map((_, seq) => seq));
    const none = { from: addMs(instant(last), 1), to: addMs(instant(last), 2) };
    expect(await collect(entriesBetween(world.admin, log, none))).toEqual([]);
  });

  it('gives every entry of one filing and no other', async () => {
    const all = (await entries()).map(parseEntry);
    for (const filing of filings) {
      const expected = all
        .filter(({ subj, data }) => subj.id === filing || data['filing'] === filing)
        .map(({ seq }) => seq);
      const found = await collect(entriesOfFiling(world.admin, world.tenant, filing));
      expect(found.map(({ seq }) => seq)).toEqual(expected);
      expect(expected.length).toBeGreaterThanOrEqual(4);
    }
    const unknown = '01900000-0000-7000-8000-000000000000' as FilingId;
    expect(await collect(entriesOfFiling(world.admin, world.tenant, unknown))).toEqual([]);
  });

  it('counts what the database holds', async () => {
    const all = await entries();
    const counts = (await ledgerCounts(world.admin, world.tenant)).find(
      ({ boundary }) => boundary === 'filing',
    );
    expect(counts).toMatchObject({
      size: all.length,
      signedSize: all.length,
      entries: all.length,
      tiles: Math.floor(all.length / 256),
      bodies: all.filter((bytes) => parseEntry(bytes).body !== null).length,
      waiting: 0,
    });
  });
});
