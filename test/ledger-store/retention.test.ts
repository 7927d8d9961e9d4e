import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { entryId, filingId, type PersonId } from '../../src/core/ids.ts';
import { TenantKey } from '../../src/ledger/tenant-key.ts';
import { KeyVault } from '../../src/ledger/vault.ts';
import { parseEntry } from '../../src/ledger/entry-chain.ts';
import { verifyBody } from '../../src/ledger/verify-body.ts';
import { verifyEntries } from '../../src/ledger/verify.ts';
import { checkpointsFrom } from '../../src/ledger/store/checkpoints.ts';
import {
  dataKeyStates,
  ledgerBlobs,
  ledgerEntries,
  ledgerHeads,
} from '../../src/ledger/store/ledger-entries.ts';
import { extendRetention, retainedKeys, shredDue } from '../../src/oversight/store/retention.ts';
import { listHolds, placeHold, releaseHold } from '../../src/people/store/holds.ts';
import {
  localRootKey,
  openTenantKey,
  rotateRootKey,
  rotateTenantKey,
} from '../../src/ledger/store/key-tree.ts';
import { findPayload } from '../../src/filings/store/filings.ts';
import { dataKey } from '../../src/ledger/store/data-keys.ts';
import { recordFact } from '../../src/ledger/store/facts.ts';
import { type FreshDatabase, freshDatabase } from '../fixtures/database.ts';
import { collect, INSTANCE, ledgerWorld, type LedgerWorld, random } from './ledger-world.ts';
import { takeAnyFact } from '../store-contract/postgres-world.ts';

const LONG_AGO = '2012-05';
const RESTRICTED = { code: '23001' };

describe('keeping and destroying', () => {
  let database: FreshDatabase;
  let world: LedgerWorld;
  let vault: KeyVault;
  let people: readonly [PersonId, PersonId];
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    world = await ledgerWorld(database);
    await takeAnyFact(world.admin);
    const { origin } = world.log('filing');
    vault = new KeyVault({ origin, tenantKey: world.signing.tenantKey, random });
    people = world.people;
    return () => world.close();
  });

  /** A sealed fact of a subject in a month. */
  async function seal(subject: string, month: string, body: string): Promise<string> {
    const where = { tenant: world.tenant, subject, month };
    const key = await dataKey(world.admin, where, () => vault.newKey(month));
    const bare = world.fact('test.sealed');
    const sealed = vault.seal({ key, entry: bare.id, body: Buffer.from(body) });
    await world.admin.transaction((run) =>
      recordFact(
        run,
        { tenant: world.tenant, boundary: 'filing' },
        { kind: 'sealed', id: bare.id, ver: 1 },
        { ...bare, body: sealed },
      ),
    );
    return key.id;
  }

  const actFor = (person: PersonId) => world.admin.remember({ 'fw.person': person });
  const shred = () => shredDue(world.admin, world.tenant, world.fact('retention.shredded'));
  const change = (text: string, ...values: unknown[]) =>
    world.admin.run({ name: '', text }, [world.tenant, ...values]);

  /** A filing whose payload is what the key sealed. */
  const fileOf = async (key: string, due: string, status: string): Promise<string> => {
    const [batch, id] = [world.ids.next(), world.ids.next()];
    // Nobody approves these, and nothing sends them: they only lie there.
    await world.admin.run({ name: '', text: 'alter table filing disable trigger user' });
    await change(
      `insert into batch (tenant, id, source, prepared_by) values ($1, $2, 'x', $3)`,
      batch,
      people[0],
    );
    await change(
      `insert into envelope select $1, $2, $3, 'US-DE', 'US-DE', 'filing', 'E-1', 'k', 'p', 1, $6, $6,
        sha256('x'), b.ct, now(), $4::timestamptz, now(), now() from ledger_blob b where b.tenant = $1 and b.key = $5`,
      id,
      batch,
      due,
      key,
      id,
    );
    await change(
      `insert into filing (tenant, id, lane, last_safe, status, step, receipt) values ($1, $2, 'US-DE', now(), $3::text,
        case when $3::text = 'accepted' then null else '{"action":"send"}'::jsonb end, 'R')`,
      id,
      status,
    );
    return id;
  };

  it('keeps a key for seven years after its month, longer when asked, and never shorter', async () => {
    const id = await seal('E-1', '2026-03', '{"a":1}');
    const [key] = await collect(retainedKeys(world.admin, world.tenant));
    expect(key).toMatchObject({ id, retainUntil: '2033-03-31', isHeld: false });
    const longer = { subject: 'E-1', until: '2040-01-01' };
    expect(await extendRetention(world.admin, world.tenant, longer)).toBe(1);
    expect(
      await extendRetention(world.admin, world.tenant, { ...longer, until: '2039-01-01' }),
    ).toBe(0);
    const shorten = `update ledger_dek set retain_until = '2035-01-01' where tenant = $1`;
    await expect(change(shorten)).rejects.toMatchObject(RESTRICTED);
    await expect(
      change(`insert into ledger_dek (tenant, id, subject, month, wrapped, retain_until)
        values ($1, 'k-early', 'E-2', '2026-03', '\\x01', '2027-01-01')`),
    ).resolves.toEqual([]);
    const [early] = await collect(retainedKeys(world.admin, world.tenant, { subject: 'E-2' }));
    expect(early?.retainUntil).toBe('2033-03-31');
  });

  it('destroys what is past its date, and nothing else; every proof still holds', async () => {
    const marker = `{"ssn":"${randomBytes(12).toString('hex')}"}`;
    const old = await seal('E-1', LONG_AGO, marker);
    const fresh = await seal('E-1', '2026-03', marker);
    await world.sequencer.checkpoint();
    const done = await shred();
    expect(done).toMatchObject({ keys: [old], blobs: 1, held: 0, needed: 0 });
    expect(await shred()).toMatchObject({ keys: [], blobs: 0 });
    await world.sequencer.checkpoint();

    const states = await dataKeyStates(world.admin, world.tenant, [old, fresh]);
    expect([states.get(old), states.get(fresh)]).toEqual(['shredded', 'live']);
    const heads = await ledgerHeads(world.admin, world.tenant);
    for (const head of heads) {
      // The database holds the column to the names of boundaries.
      const { origin } = world.log(head.boundary as 'filing');
      const entries = ledgerEntries(world.admin, world.tenant, head.boundary, head.size);
      expect(await verifyEntries(entries, { origin, head })).toMatchObject({ ok: true });
    }
    const bodies = [];
    for await (const bytes of ledgerEntries(world.admin, world.tenant, 'filing')) {
      const entry = parseEntry(bytes);
      if (entry.body === null) continue;
      const blobs = await ledgerBlobs(world.admin, world.tenant, 'filing', [entry.body.ct]);
      const stored = blobs.get(entry.body.ct);
      const key = stored?.key;
      const outcome = await verifyBody({
        origin: world.log('filing').origin,
        entry,
        blob: stored?.blob,
        keyFor: () => (key === undefined ? 'shredded' : vault.dataKey(key)),
      });
      bodies.push([entry.body.key, outcome.state]);
    }
    expect(bodies).toEqual([
      [old, 'shredded'],
      [fresh, expect.not.stringMatching('shredded')],
    ]);
    const entry = (await collect(ledgerEntries(world.admin, world.tenant, 'access')))
      .map(parseEntry)
      .find(({ type }) => type === 'retention.shredded');
    expect(entry?.data).toMatchObject({ keys: [old], count: 1, blobs: 1 });
    expect(
      (await collect(checkpointsFrom(world.admin, world.log('access')))).length,
    ).toBeGreaterThan(1);
  });

  it('leaves no marker in a dump or in the files of the database, and no wrapped key in a dump', async () => {
    const marker = randomBytes(16).toString('hex');
    const old = await seal('E-1', LONG_AGO, `{"marker":"${marker}"}`);
    const [row] = await world.admin.run(
      {
        name: '',
        text: `select encode(wrapped, 'hex') as wrapped, current_setting('data_directory') as folder from ledger_dek where tenant = $1 and id = $2`,
      },
      [world.tenant, old],
    );
    const wrapped = String(row?.['wrapped']);
    expect(await dump()).toContain(wrapped);
    expect(await shred()).toMatchObject({ keys: [old] });
    await world.admin.run({ name: '', text: 'checkpoint' });
    const after = await dump();
    expect(after).not.toContain(marker);
    expect(after).not.toContain(Buffer.from(marker).toString('hex'));
    expect(after).not.toContain(wrapped);
    for (const file of files(String(row?.['folder']))) {
      expect(readFileSync(file).includes(marker), file).toBe(false);
    }
  });

  it('refuses to destroy early, or by the back door', async () => {
    const fresh = await seal('E-1', '2026-03', '{"a":1}');
    const doom = `update ledger_dek set state = 'shredded', wrapped = '', shredded_at = now() where tenant = $1 and id = $2`;
    await expect(change(doom, fresh)).rejects.toMatchObject(RESTRICTED);
    await expect(change('delete from ledger_blob where tenant = $1')).rejects.toMatchObject(
      RESTRICTED,
    );
    await expect(change('delete from ledger_dek where tenant = $1')).rejects.toMatchObject(
      RESTRICTED,
    );
    await expect(
      change(`update ledger_blob set bytes = '' where tenant = $1`),
    ).rejects.toMatchObject(RESTRICTED);
    const old = await seal('E-1', LONG_AGO, '{"a":1}');
    expect(await shred()).toMatchObject({ keys: [old] });
    const revive = `update ledger_dek set state = 'live', wrapped = '\\x01', shredded_at = null where tenant = $1 and id = $2`;
    await expect(change(revive, old)).rejects.toMatchObject(RESTRICTED);
  });

  it('keeps what a filing still needs, and extends a key to its filing’s due date and seven years', async () => {
    const held = await seal('E-1', LONG_AGO, '{"payload":1}');
    await world.addLane({ code: 'US-DE' as never, ceiling: 1, longestServiceMs: 1 });
    const open = await fileOf(held, '2013-01-01', 'pending');
    expect(await shred()).toMatchObject({ keys: [], needed: 1 });
    await change(`update filing set status = 'submitted' where tenant = $1 and id = $2`, open);
    await change(
      `update filing set status = 'accepted', step = null where tenant = $1 and id = $2`,
      open,
    );
    await fileOf(held, '2025-06-30', 'accepted');
    expect(await shred()).toMatchObject({ keys: [], extended: 1 });
    const [key] = await collect(retainedKeys(world.admin, world.tenant));
    expect(key?.retainUntil).toBe('2032-06-30');
  });

  it('says of a payload that it was destroyed, not that the filing is unknown', async () => {
    const key = await seal('E-1', LONG_AGO, '{"payload":1}');
    await world.addLane({ code: 'US-DE' as never, ceiling: 1, longestServiceMs: 1 });
    const id = await fileOf(key, '2012-06-30', 'accepted');
    const read = () => findPayload(world.admin, world.tenant, filingId(id));
    expect(await read()).toMatchObject({ key: { id: key } });
    expect(await shred()).toMatchObject({ keys: [key] });
    await expect(read()).rejects.toThrow(/was destroyed .* SHA-256 was [0-9a-f]{64}/);
  });

  it('destroys nothing under a hold, which only a second person can release', async () => {
    const [ann, bob] = people;
    const old = await seal('E-1', LONG_AGO, '{"a":1}');
    const other = await seal('E-2', LONG_AGO, '{"a":1}');
    const id = world.ids.next();
    const hold = { id, subject: 'E-1', reason: 'matter 7 is open', by: ann };
    await actFor(ann);
    await placeHold(world.admin, world.tenant, hold, world.fact('hold.placed', { subject: 'E-1' }));
    expect(await shred()).toMatchObject({ keys: [other], held: 1 });
    const doom = `update ledger_dek set state = 'shredded', wrapped = '', shredded_at = now() where tenant = $1 and id = $2`;
    await expect(change(doom, old)).rejects.toThrow('legal hold');
    const release = async (by: PersonId) => {
      await actFor(by);
      await releaseHold(world.admin, world.tenant, id, by, world.fact('hold.released'));
    };
    await expect(release(ann)).rejects.toMatchObject({ code: 'SELF_APPROVAL' });
    const unasked =
      'update ledger_hold set released_by = $2, released_at = now() where tenant = $1';
    await expect(change(unasked, bob)).rejects.toThrow('is not approved');
    await expect(
      change(`update ledger_hold set reason = 'other' where tenant = $1`),
    ).rejects.toMatchObject(RESTRICTED);
    await expect(change('delete from ledger_hold where tenant = $1')).rejects.toMatchObject(
      RESTRICTED,
    );
    expect(await shred()).toMatchObject({ keys: [], held: 1 });
    await release(bob);
    await expect(release(bob)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await shred()).toMatchObject({ keys: [old], held: 0 });
    await world.sequencer.checkpoint();
    const types = (await collect(ledgerEntries(world.admin, world.tenant, 'access')))
      .map((bytes) => parseEntry(bytes))
      .filter(({ subj }) => subj.kind === 'hold')
      .map(({ type, subj }) => [type, subj.ver]);
    expect(types).toEqual([
      ['hold.placed', 1],
      ['hold.released', 2],
    ]);
    expect(await listHolds(world.admin, world.tenant, { released: false })).toEqual([]);
    expect(await listHolds(world.admin, world.tenant, { released: true })).toMatchObject([
      { id, placedBy: ann, releasedBy: bob },
    ]);
  });

  it('a hold on everything holds everyone', async () => {
    await seal('E-9', LONG_AGO, '{"a":1}');
    const hold = {
      id: world.ids.next(),
      subject: undefined,
      reason: 'an inquiry into all',
      by: people[0],
    };
    await actFor(people[0]);
    await placeHold(world.admin, world.tenant, hold, world.fact('hold.placed'));
    expect(await shred()).toMatchObject({ keys: [], held: 1 });
  });

  it('gives a subject another key for the month when the first has sealed its share', async () => {
    const first = await seal('E-1', '2026-03', '{"a":1}');
    expect(await seal('E-1', '2026-03', '{"a":2}')).toBe(first);
    await change('update ledger_dek set bodies = 1048576 where tenant = $1 and id = $2', first);
    const second = await seal('E-1', '2026-03', '{"a":3}');
    expect(second).not.toBe(first);
    expect(await seal('E-1', '2026-03', '{"a":4}')).toBe(second);
  });

  it('credits keys with about as many bodies as they sealed', async () => {
    const ids = [];
    for (let n = 0; n < 120; n += 1)
      ids.push(await seal(n % 4 === 0 ? 'E-1' : 'E-2', '2026-03', '{"a":1}'));
    for (let round = 0; round < 60; round += 1) await world.sequencer.sequence(2);
    const keys = await collect(retainedKeys(world.admin, world.tenant));
    const counted = keys.reduce((sum, key) => sum + key.bodies, 0);
    expect(counted).toBe(120);
    expect(keys.find(({ subject }) => subject === 'E-2')?.bodies).toBeGreaterThan(60);
  });

  it('opens every body after ten rotations of the root and tenant keys, with all hashes as they were', async () => {
    const { tenant } = world;
    // Two people are asked of in test/keys.
    const unguarded = 'alter table ledger_tenant_key disable trigger ledger_tenant_key_guard';
    await world.admin.run({ name: '', text: unguarded });
    let root = localRootKey(randomBytes(32), random);
    const open = () =>
      openTenantKey(world.admin, { tenant, instance: INSTANCE, rootKey: () => root, random });
    let key = await open();
    const { origin } = world.log('filing');
    vault = new KeyVault({ origin, tenantKey: new TenantKey(key.key), random });
    const sealedKey = await seal('E-1', '2026-03', '{"kept":"through"}');
    while ((await world.here.sequencer.sequence(256)) > 0);
    const picture = async () => [
      await collect(ledgerEntries(world.admin, tenant, 'filing')),
      await world.admin.run(
        { name: '', text: 'select ct, bytes from ledger_blob where tenant = $1 order by ct' },
        [tenant],
      ),
    ];
    const before = await picture();
    for (let round = 0; round < 5; round += 1) {
      const next = localRootKey(randomBytes(32), random);
      await rotateRootKey(world.admin, { from: root, to: next }, (of) => {
        expect(of).toBe(tenant);
        return world.fact('key.rotated');
      });
      await expect(open()).rejects.toMatchObject({ code: 'ROOT_KEY_MISSING' });
      root = next;
      const rotated = await rotateTenantKey(world.admin, tenant, root, {
        random,
        fact: world.fact('key.rotated'),
      });
      expect(rotated.dataKeys).toBe(1);
      // A process that still holds the key from before may add nothing.
      const stale = `insert into ledger_dek (tenant, id, subject, month, wrapped) values ($1, 'k-stale', 'E-7', '2026-03', '\\x01')`;
      await expect(change(stale)).rejects.toThrow('wrapped under another key');
    }
    key = await open();
    expect(key.id).toBe(`t-${tenant}-6`);
    expect(await picture()).toEqual(before);
    const [entry] = (before[0] as Uint8Array[]).map(parseEntry).filter(({ body }) => body !== null);
    const blobs = await ledgerBlobs(world.admin, tenant, 'filing', [entry?.body?.ct ?? '']);
    const stored = blobs.get(entry?.body?.ct ?? '');
    if (stored?.key === undefined || entry === undefined) throw new Error('no body');
    const now = new KeyVault({ origin, tenantKey: new TenantKey(key.key), random });
    const payload = { blob: stored.blob, entry: entryId(entry.id), key: stored.key };
    expect(stored.key.id).toBe(sealedKey);
    expect(Buffer.from(now.open(payload)).toString()).toBe('{"kept":"through"}');
    vault = now;
    await seal('E-8', '2026-03', '{"new":"again"}');
  });

  /** Every row of every table as text: what a dump holds, whatever the version of the dumping tool. */
  async function dump(): Promise<string> {
    const tables = await world.admin.run({
      name: '',
      text: `select table_name as name from information_schema.tables where table_schema = 'filewright'`,
    });
    const texts: string[] = [];
    for (const { name } of tables) {
      const rows = await world.admin.run({
        name: '',
        text: `select t::text as row from ${String(name)} t`,
      });
      texts.push(...rows.map(({ row }) => String(row)));
    }
    return texts.join('\n');
  }

  function* files(folder: string): Generator<string> {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      // The server that runs takes some away meanwhile.
      const found = statSync(path, { throwIfNoEntry: false });
      if (found?.isDirectory() === true) yield* files(path);
      else if (found?.isFile() === true) yield path;
    }
  }
});
