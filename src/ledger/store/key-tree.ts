/**
 * The upper half of the key tree: root key > tenant key > data keys and signing keys. A rotation wraps anew what lies
 * below; no body, hash or checkpoint changes.
 */
import {
  FilewrightError,
  instant,
  invariant,
  type LedgerBoundary,
  type LedgerFact,
  notFound,
  type Random,
  toRfc3339,
} from '../../core/index.ts';
import { logOrigin } from '../entry.ts';
import { unwrapKey, wrapKey } from '../seal.ts';
import { FORMER_MS, type FormerKey, type KnownKeys, TenantKey } from '../tenant-key.ts';
import { recordFact } from './facts.ts';
import { keyCode, openSigner, seedOf, wrapSeed } from './signing-key-seal.ts';
import { LOCK_KEYS } from './watch-keys.ts';
import { sealedRow } from './signing-keys.ts';
import {
  bytes,
  optional,
  type Row,
  type Run,
  type Session,
  sql,
  text,
  when,
} from '../../postgres/index.ts';

const KEY_BYTES = 32;
/** Said where an installation has several machines, and the key was turned on another. */
const OTHER_ROOT_KEY =
  'The root key here does not open the keys of this database. If the root key was replaced on another machine, copy root.key from there into the data directory of this one (or set FILEWRIGHT_ROOT_KEY to the new key) and start again; if the database is an older backup, put back the root.key.former file of that time. See docs/guide/keys.md';
/** Data keys wrapped anew in one statement: some hundred kilobytes. */
const PAGE = 1_000;

/** Wraps and unwraps tenant keys; whether the key itself is in this process is its own affair. */
interface RootKey {
  wrap(key: Uint8Array, context: string): Promise<Uint8Array>;
  unwrap(wrapped: Uint8Array, context: string): Promise<Uint8Array>;
}

/** A root key that this process holds; `next` opens what an interrupted rotation has wrapped already. */
export function localRootKey(key: Uint8Array, random: Random, next?: Uint8Array): RootKey {
  return {
    wrap: async (inner, context) =>
      wrapKey({ wrapping: key, key: inner, context, random: (count) => random.bytes(count) }),
    unwrap: async (wrapped, context) => {
      try {
        return unwrapKey({ wrapping: key, blob: wrapped, context });
      } catch (error) {
        if (next === undefined) throw error;
        return unwrapKey({ wrapping: next, blob: wrapped, context });
      }
    },
  };
}

interface OpenedKey extends KnownKeys {
  readonly id: string;
  /** First part of the tenant's origins. */
  readonly instance: string;
}

const ENSURE = sql('key-tree-tenant')`
insert into tenant (id, instance) values ($1, $2) on conflict do nothing`;

const FIND = sql('key-tree-find')`
select t.instance, k.id as key_id, k.wrapped as by_root, k.former, k.rotated_at, now() as now
  from tenant t left join ledger_tenant_key k on k.tenant = t.id where t.id = $1`;

const TENANTS = sql('key-tree-tenants')`
select id from tenant order by id limit 20`;

const ADD = sql('key-tree-add')`insert into ledger_tenant_key (tenant, id, wrapped, label)
    select $1, $2, $3, $4 where not exists (select 1 from ledger_tenant_key where tenant = $1)`;

const ALL = sql(
  'key-tree-all',
)`select tenant, id, wrapped as by_root, rotations from ledger_tenant_key
    where $1::text is null or tenant = $1 order by tenant for update`;

const REWRAP = sql('key-tree-rewrap')`
update ledger_tenant_key set wrapped = $3, ver = ver + 1 where tenant = $1 and id = $2 returning ver`;

const ROTATE = sql('key-tree-rotate')`
update ledger_tenant_key
  set id = $3, wrapped = $4, label = $5, former = $6, rotations = rotations + 1, ver = 1, rotated_at = $7
  where tenant = $1 and id = $2`;

const TURNED_AT = sql('key-tree-turned-at')`select date_trunc('milliseconds', now()) as at`;

const WRAPPED = sql('key-tree-wrapped')`select id, wrapped as by_root from ledger_tenant_key`;

const AS_TENANT = sql('key-tree-as-tenant')`select set_config('fw.tenant', $1, true)`;

const DATA_KEYS = sql('key-tree-data-keys')`
select id, wrapped from ledger_dek where tenant = $1 and state = 'live' and id > $2 order by id limit ${PAGE}`;

const REWRAP_DATA_KEYS = sql('key-tree-rewrap-data-keys')`
update ledger_dek k set wrapped = decode(d.wrapped, 'hex')
  from unnest($2::text[], $3::text[]) d(id, wrapped) where k.tenant = $1 and k.id = d.id`;

const SIGNING_KEYS = sql('key-tree-signing-keys')`
select k.boundary, k.id, k.vkey, k.wrapped, k.mac, k.first_size, k.last_size, t.instance from ledger_signing_key k join tenant t on t.id = k.tenant
  where k.tenant = $1 order by k.boundary, k.id`;

const REWRAP_SIGNING_KEY = sql('key-tree-rewrap-signing-key')`
update ledger_signing_key set wrapped = $4, mac = $5 where tenant = $1 and boundary = $2 and id = $3`;

function contextOf(keyId: string): string {
  return `tenant/${keyId}`;
}

/** Names the moment of the turn, so that nobody makes a former key open for longer by changing the row. */
function formerContext(keyId: string, turnedAt: number): string {
  return `tenant/${keyId}/former/${turnedAt}`;
}

/** The key before the last turn, while what was read before that turn may still be in somebody's hands. */
function formersOf(key: Uint8Array, row: Row | undefined): readonly FormerKey[] {
  const turnedAt = optional(row?.['rotated_at'], when);
  if (turnedAt === undefined) return [];
  const forMs = turnedAt + FORMER_MS - when(row?.['now']);
  if (forMs <= 0) return [];
  const context = formerContext(text(row?.['key_id']), turnedAt);
  try {
    return [{ key: new TenantKey(key).unwrap({ blob: bytes(row?.['former']), context }), forMs }];
  } catch (error) {
    // Put there, or dated anew, by somebody who has no key: nothing is believed of it, and nothing needs it for long.
    if (error instanceof FilewrightError && error.code === 'SEAL_BROKEN') return [];
    throw error;
  }
}

/** Finds the tenant's key, or makes the first one. `rootKey` is asked for only after the tenant is known. */
export async function openTenantKey(
  session: Session,
  input: {
    readonly tenant: string;
    /** Refuses a tenant that is not there. */
    readonly mustExist?: boolean;
    readonly instance: string;
    readonly rootKey: () => RootKey;
    readonly random: Random;
  },
): Promise<OpenedKey> {
  const { tenant, random } = input;
  if (input.mustExist === true) await requireTenant(session, tenant);
  else await session.run(ENSURE, [tenant, input.instance]);
  const [found] = await session.run(FIND, [tenant]);
  const rootKey = input.rootKey();
  if (found?.['by_root'] === null) {
    const id = `t-${tenant}-1`;
    const first = new TenantKey(random.bytes(KEY_BYTES));
    const wrapped = await rootKey.wrap(first.current, contextOf(id));
    // Several processes may do this at once; the first row wins, and everybody reads it back.
    await session.transaction(async (run) => {
      await run({ name: '', text: 'lock table ledger_tenant_key in exclusive mode' });
      await run(ADD, [tenant, id, wrapped, first.label]);
    });
  }
  const opened = async (root: RootKey): Promise<OpenedKey> => {
    const [row] = await session.run(FIND, [tenant]);
    const id = text(row?.['key_id']);
    const key = await root.unwrap(bytes(row?.['by_root']), contextOf(id));
    return { id, key, formers: formersOf(key, row), instance: text(row?.['instance']) };
  };
  return opened(rootKey)
    .catch((error: unknown) => {
      // The root key may have been turned between the reading of its file and of the row: both once more.
      if (error instanceof FilewrightError && error.code !== 'SEAL_BROKEN') throw error;
      return opened(input.rootKey());
    })
    .catch((error: unknown) => {
      if (error instanceof FilewrightError && error.code !== 'SEAL_BROKEN') throw error;
      throw new FilewrightError('ROOT_KEY_MISSING', OTHER_ROOT_KEY, { cause: error });
    });
}

async function requireTenant(session: Session, tenant: string): Promise<void> {
  const [row] = await session.run(FIND, [tenant]);
  if (row !== undefined && row['by_root'] !== null) return;
  const known = await session.run(TENANTS);
  const names = known.map((each) => text(each['id'])).join(', ');
  throw new FilewrightError(
    'UNKNOWN_TENANT',
    `The tenant ${tenant} is not in this database${names === '' ? '' : ` (it has ${names})`}`,
  );
}

/**
 * Wraps every tenant's key under another root key, in one transaction, with an entry `key.rotated` in each tenant's
 * access log. Put the new root key where processes will find it before this commits, and keep the old one until it has.
 */
export async function rotateRootKey(
  session: Session,
  keys: { readonly from: RootKey; readonly to: RootKey; readonly tenant?: string },
  fact: (tenant: string) => LedgerFact,
  approve?: (run: Run) => Promise<void>,
): Promise<number> {
  return session.transaction(async (run) => {
    await approve?.(run);
    const rows = await run(ALL, [null]);
    for (const row of rows) {
      const [tenant, id] = [text(row['tenant']), text(row['id'])];
      const key = await keys.from.unwrap(bytes(row['by_root']), contextOf(id));
      const wrapped = await keys.to.wrap(key, contextOf(id));
      // Never replace a key that opens by one that does not.
      const again = await keys.to.unwrap(wrapped, contextOf(id));
      invariant(Buffer.compare(key, again) === 0, 'A key wrapped anew opens to the same key', {
        id,
      });
      // The approval is one of this tenant, and the database looks for it among the rows that the session may see.
      if (keys.tenant !== undefined) await run(AS_TENANT, [keys.tenant]);
      const [done] = await run(REWRAP, [tenant, id, wrapped]);
      const subject = { kind: 'tenant_key', id, ver: Number(done?.['ver']) };
      const made = fact(tenant);
      // Row security shows and takes the facts of one tenant at a time.
      if (keys.tenant !== undefined) await run(AS_TENANT, [tenant]);
      const data = { ...made.data, level: 'root' };
      await recordFact(run, { tenant, boundary: 'access' }, subject, { ...made, data });
    }
    if (keys.tenant !== undefined) await run(AS_TENANT, [keys.tenant]);
    return rows.length;
  });
}

/** Whether a root key opens every tenant's key. */
export async function rootKeyOpens(session: Session, rootKey: RootKey): Promise<boolean> {
  for (const row of await session.run(WRAPPED)) {
    const isOpen = await rootKey.unwrap(bytes(row['by_root']), contextOf(text(row['id']))).then(
      () => true,
      () => false,
    );
    if (!isOpen) return false;
  }
  return true;
}

/**
 * Gives a tenant another key and wraps its data keys and signing keys anew, in one transaction, while everything runs: who
 * writes keys waits for its end, and who reads finds the new key by the label (watch-keys.ts). Nothing can be added under the
 * former key afterwards, because the database compares the labels.
 */
export async function rotateTenantKey(
  session: Session,
  tenant: string,
  rootKey: RootKey,
  by: {
    readonly random: Random;
    readonly fact: LedgerFact;
    readonly approve?: (run: Run) => Promise<void>;
  },
): Promise<{ readonly id: string; readonly dataKeys: number; readonly signingKeys: number }> {
  const { random } = by;
  return session.transaction(async (run) => {
    await by.approve?.(run);
    await run(LOCK_KEYS.turn);
    const [row] = await run(ALL, [tenant]);
    if (row === undefined) throw notFound(`The tenant ${tenant} has no key`);
    const oldId = text(row['id']);
    const old = new TenantKey(await rootKey.unwrap(bytes(row['by_root']), contextOf(oldId)));
    const fresh = new TenantKey(random.bytes(KEY_BYTES));
    const id = `t-${tenant}-${Number(row['rotations']) + 2}`;
    const byRoot = await rootKey.wrap(fresh.current, contextOf(id));
    // Never replace a key by one that does not open.
    const again = await rootKey.unwrap(byRoot, contextOf(id));
    invariant(Buffer.compare(fresh.current, again) === 0, 'A new key opens to itself', { id });
    // First, because what is wrapped anew must be under the key that the tenant has.
    const turnedAt = when((await run(TURNED_AT))[0]?.['at']);
    const context = formerContext(id, turnedAt);
    const former = fresh.wrap({ key: old.current, context, random });
    await run(ROTATE, [
      tenant,
      oldId,
      id,
      byRoot,
      fresh.label,
      former,
      toRfc3339(instant(turnedAt)),
    ]);
    const rewrap = (blob: Uint8Array, context: string): Uint8Array =>
      fresh.wrap({ key: old.unwrap({ blob, context }), context, random });
    const dataKeys = await rewrapDataKeys(run, tenant, rewrap);
    const signingKeys = await rewrapSigningKeys(run, tenant, { old, fresh, random });
    const { fact } = by;
    const data = { ...fact.data, level: 'tenant', old: oldId, new: id, data_keys: dataKeys };
    const subject = { kind: 'tenant_key', id, ver: 1 };
    await recordFact(run, { tenant, boundary: 'access' }, subject, { ...fact, data });
    return { id, dataKeys, signingKeys };
  });
}

type Rewrap = (blob: Uint8Array, context: string) => Uint8Array;

async function rewrapDataKeys(run: Run, tenant: string, rewrap: Rewrap): Promise<number> {
  let count = 0;
  for (let after = ''; ; ) {
    const rows: readonly Row[] = await run(DATA_KEYS, [tenant, after]);
    if (rows.length === 0) return count;
    const ids = rows.map((row) => text(row['id']));
    const wrapped = rows.map((row) => rewrap(bytes(row['wrapped']), text(row['id'])));
    const hex = wrapped.map((blob) => Buffer.from(blob).toString('hex'));
    await run(REWRAP_DATA_KEYS, [tenant, ids, hex]);
    count += rows.length;
    after = ids.at(-1) ?? '';
  }
}

/** A row that is not a key is not made one by this: its code is asked for before a new one is given. */
async function rewrapSigningKeys(
  run: Run,
  tenant: string,
  by: { readonly old: TenantKey; readonly fresh: TenantKey; readonly random: Random },
): Promise<number> {
  const rows = await run(SIGNING_KEYS, [tenant]);
  for (const row of rows) {
    const boundary = text(row['boundary']);
    // The database holds the column to the names of boundaries, and logOrigin refuses any other.
    const origin = logOrigin(text(row['instance']), tenant, boundary as LedgerBoundary);
    const sealed = sealedRow(origin, row);
    openSigner(by.old, sealed);
    const wrapped = wrapSeed(by.fresh, sealed, seedOf(by.old, sealed), by.random);
    const mac = keyCode(by.fresh.current, sealed);
    await run(REWRAP_SIGNING_KEY, [tenant, boundary, sealed.id, wrapped, mac]);
  }
  return rows.length;
}

/** Whether sealed data exists that a new root key could never open. */
export async function hasTenantKey(session: Session): Promise<boolean> {
  const rows = await session.run({ name: '', text: 'select 1 from ledger_tenant_key limit 1' });
  return rows.length > 0;
}
