/** What the database itself holds of keys: asked without our program in between, as somebody with the login could. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WrappedKey } from '../../src/core/ports.ts';
import { dataKey } from '../../src/ledger/store/data-keys.ts';
import { localRootKey, openTenantKey, rotateTenantKey } from '../../src/ledger/store/key-tree.ts';
import { watchKeys } from '../../src/ledger/store/watch-keys.ts';
import { TenantKey } from '../../src/ledger/tenant-key.ts';
import { KeyVault } from '../../src/ledger/vault.ts';
import { Session } from '../../src/postgres/session.ts';
import { decideProposal, propose } from '../../src/people/store/proposals.ts';
import { freshDatabase, type FreshDatabase } from '../fixtures/database.ts';
import { INSTANCE, type LedgerWorld, ledgerWorld, random } from '../ledger-store/ledger-world.ts';

const MONTH = '2026-03';
const REASON = 'yearly rotation of the key';
let database: FreshDatabase;
let world: LedgerWorld;
let clockMs = 0;
const root = localRootKey(randomBytes(32), random);
const open = (by = root) =>
  openTenantKey(world.admin, {
    tenant: world.tenant,
    instance: INSTANCE,
    rootKey: () => by,
    random,
  });

beforeAll(async () => {
  database = await freshDatabase();
  world = await ledgerWorld(database);
  await open();
}, 60_000);
afterAll(async () => {
  await world.close();
  await database.close();
});

/** A process of its own: a key that it knows from its start, and a session that watches its rows. */
async function process(): Promise<{ vault: KeyVault; session: Session; tenantKey: TenantKey }> {
  const clock = { monotonicMs: () => clockMs };
  const look = () => open();
  const tenantKey = new TenantKey((await open()).key, { look, clock });
  const watch = watchKeys(tenantKey);
  const target = {
    ...database.target,
    watch,
    settings: { ...database.target.settings, 'fw.tenant': world.tenant },
  };
  const session = new Session({ target, schema: database.schema, name: 'test' });
  const origin = `${INSTANCE}/${world.tenant}/filing`;
  return { vault: new KeyVault({ origin, tenantKey, random }), session, tenantKey };
}

async function turn(): Promise<void> {
  const { id } = await open();
  const subject = `tenant/${id}`;
  const [paula, arthur] = world.people;
  const { tenant } = world;
  const act = (person: string) => world.admin.remember({ 'fw.person': person });
  await act(paula);
  const { sha256 } = await world.admin.transaction((run) =>
    propose(run, tenant, { kind: 'key', subject, terms: {}, reason: REASON, by: paula }),
  );
  await act(arthur);
  await rotateTenantKey(world.admin, tenant, root, {
    random,
    fact: world.fact('key.rotated'),
    approve: async (run) => {
      const about = { kinds: ['key'], subject, what: 'The rotation' } as const;
      await decideProposal(run, tenant, about, { approves: true, by: arthur, sha256 });
    },
  });
  await act('');
}

const keyOf = (
  one: { readonly vault: KeyVault; readonly session: Session },
  subject: string,
): Promise<WrappedKey> =>
  dataKey(one.session, { tenant: world.tenant, subject, month: MONTH }, () =>
    one.vault.newKey(MONTH),
  );

describe('a process that knows the key from before a turn', () => {
  it('opens what was wrapped anew, and adds keys under the new one alone', async () => {
    const [before, other] = [await process(), await process()];
    const kept = await keyOf(before, 'E-kept');
    const plain = before.vault.dataKey(kept);
    await turn();
    // Reads what another key wraps now, without being told of it.
    const again = await keyOf(other, 'E-kept');
    expect(Buffer.from(again.wrapped).equals(kept.wrapped)).toBe(false);
    expect(Buffer.from(other.vault.dataKey(again)).equals(plain)).toBe(true);
    // Adds one: made under the former key first, and never stored like that.
    const added = await keyOf(before, 'E-added');
    const fresh = await process();
    expect(Buffer.from(fresh.vault.dataKey(await keyOf(fresh, 'E-added')))).toEqual(
      Buffer.from(before.vault.dataKey(added)),
    );
    for (const { session } of [before, other, fresh]) await session.close();
  });

  it('opens for a minute what it read before, and no longer', async () => {
    const one = await process();
    const wrapped = one.tenantKey.wrap({ key: random.bytes(32), context: 'k', random });
    const opened = () => one.tenantKey.unwrap({ blob: wrapped, context: 'k' });
    await turn();
    await one.tenantKey.refresh();
    expect(opened()).toHaveLength(32);
    clockMs += 60_001;
    expect(opened).toThrow('does not open');
    await one.session.close();
  });

  it('opens what it read between two turns, though it never had the key in the middle', async () => {
    const one = await process();
    const kept = await keyOf(one, 'E-between');
    const plain = one.vault.dataKey(kept);
    await turn();
    // The next turn is over after the row was read and before the process has looked.
    let isTurned = false;
    const tenantKey = new TenantKey(one.tenantKey.current, {
      look: async () => {
        if (!isTurned) await turn();
        isTurned = true;
        return open();
      },
      clock: { monotonicMs: () => clockMs },
    });
    one.session.watchRows(watchKeys(tenantKey));
    const origin = `${INSTANCE}/${world.tenant}/filing`;
    const vault = new KeyVault({ origin, tenantKey, random });
    const between = await keyOf({ vault, session: one.session }, 'E-between');
    expect(isTurned).toBe(true);
    expect(Buffer.from(vault.dataKey(between)).equals(plain)).toBe(true);
    // A thread that asks this process learns the same.
    const thread = new TenantKey(one.tenantKey.current, {
      look: async () => tenantKey.known(),
      clock: { monotonicMs: () => clockMs },
    });
    await thread.prepare([between.wrapped]);
    expect(thread.keyOf(between.wrapped)).toBeDefined();
    // No longer than a minute, and not for longer because it is heard of again.
    clockMs += 59_000;
    await tenantKey.refresh();
    clockMs += 2_000;
    expect(tenantKey.keyOf(between.wrapped)).toBeUndefined();
    await one.session.close();
  });

  it('believes no former key whose moment somebody moved', async () => {
    const guard = 'alter table ledger_tenant_key disable trigger ledger_tenant_key_guard';
    await turn();
    expect((await open()).formers).toHaveLength(1);
    await world.admin.run({ name: '', text: guard });
    const later = `update ledger_tenant_key set rotated_at = now() + interval '1 day' where tenant = $1`;
    await world.admin.run({ name: '', text: later }, [world.tenant]);
    expect((await open()).formers).toEqual([]);
    const back = `update ledger_tenant_key set rotated_at = now() - interval '1 day' where tenant = $1`;
    await world.admin.run({ name: '', text: back }, [world.tenant]);
    expect((await open()).formers).toEqual([]);
    await world.admin.run({ name: '', text: guard.replace('disable', 'enable always') });
  });

  it('ends with the remedy where the root key here is another one', async () => {
    const one = await process();
    const kept = await keyOf(one, 'E-other');
    const elsewhere = localRootKey(randomBytes(32), random);
    const tenantKey = new TenantKey(one.tenantKey.current, {
      look: () => open(elsewhere),
      clock: { monotonicMs: () => clockMs },
    });
    one.session.watchRows(watchKeys(tenantKey));
    expect((await keyOf(one, 'E-other')).id).toBe(kept.id);
    await turn();
    // Not an outage, which a worker would wait for.
    await expect(keyOf(one, 'E-other')).rejects.toMatchObject({
      code: 'ROOT_KEY_MISSING',
      message: expect.stringContaining('copy root.key from there') as string,
    });
    await one.session.close();
  });

  it('looks once for a label that somebody made up', async () => {
    let looks = 0;
    const known = { key: (await open()).key, formers: [] };
    const tenantKey = new TenantKey(known.key, {
      look: async () => {
        looks += 1;
        return known;
      },
      clock: { monotonicMs: () => 0 },
    });
    const made = randomBytes(60);
    for (let n = 0; n < 5; n += 1) await tenantKey.prepare([made]);
    expect(looks).toBe(2);
  });
});

describe('the database refuses', () => {
  const refused = async (text: string): Promise<void> => {
    await expect(world.admin.run({ name: '', text }, [world.tenant])).rejects.toThrow(
      'only as two people agreed',
    );
  };

  it('another tenant key, another wrapping, or a second one, without two people', async () => {
    await refused(`update ledger_tenant_key set wrapped = '\\x00' where tenant = $1`);
    await refused(
      `update ledger_tenant_key set id = 't-2', label = '\\x0011223344556677', rotations = rotations + 1 where tenant = $1`,
    );
    await expect(
      world.admin.run(
        {
          name: '',
          text: `insert into ledger_tenant_key (tenant, id, wrapped, label) values ($1, 't-2', '\\x00', '\\x0011223344556677')`,
        },
        [world.tenant],
      ),
    ).rejects.toThrow('ledger_tenant_key_one');
  });

  it('an approval of before: a turn is made in the transaction that approves it', async () => {
    // The last turn of this file was approved, and is over.
    await refused(
      `update ledger_tenant_key set label = '\\x0011223344556677', rotations = rotations + 1, id = 'again' where tenant = $1`,
    );
  });

  it('keys under the former tenant key', async () => {
    const stale = new TenantKey(randomBytes(32)).wrap({
      key: randomBytes(32),
      context: 'k',
      random,
    });
    await expect(
      world.admin.run(
        {
          name: '',
          text: `insert into ledger_dek (tenant, id, subject, month, wrapped) values ($1, 'k', 'E-9', '2026-03', $2)`,
        },
        [world.tenant, stale],
      ),
    ).rejects.toThrow('wrapped under another key');
  });
});
