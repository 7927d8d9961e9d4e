/**
 * The facts that were set aside, as they are kept: sealed as the body of an entry is, because their text may speak of
 * people. What a key opens goes with the key, so retention and shredding reach them; the hash and the size stay.
 */
import { hash } from 'node:crypto';
import {
  type EntryId,
  entryId,
  FilewrightError,
  type Instant,
  invariant,
  type LedgerBoundary,
  type Random,
  sha256Of,
  toRfc3339,
  type WrappedKey,
} from '../../core/index.ts';
import type { TenantKey } from '../tenant-key.ts';
import { KeyVault } from '../vault.ts';
import { logOrigin } from '../entry.ts';
import { dataKeys } from './data-keys.ts';
import {
  bytes,
  hex,
  optional,
  type Row,
  type Run,
  type Session,
  sql,
  text,
  when,
} from '../../postgres/index.ts';
import type { Impossibility, SetAside } from './set-aside.ts';
import type { SigningMeans } from './signing-keys.ts';
import type { LogName } from './tree-store.ts';

// The row's own text, from the database: what this process made of it may be less (a number that no double holds). Of
// two rows with one id the first counts, as in the log.
const WAITING = sql('ledger-set-aside-waiting')`
select distinct on (i.id) i.id, i.subj_id, i.body->>'key' as key, (to_jsonb(i) - 'n')::text as fact
from ledger_intake i where i.tenant = $1 and i.boundary = $2 and i.id = any ($3::uuid[]) order by i.id, i.n`;

// Counts what the key seals, and holds its row: a key that is shredded meanwhile would take the fact with it.
const USE_KEYS = sql('ledger-set-aside-keys')`
update ledger_dek k set bodies = k.bodies + u.n
from (select id, count(*) as n from unnest($2::text[]) id group by id) u
where k.tenant = $1 and k.id = u.id and k.state = 'live' returning k.id, k.month, k.wrapped`;

const KEEP = sql('ledger-set-aside')`
insert into ledger_set_aside (tenant, boundary, id, reason, key, sealed, bytes, sha256)
values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`;

const KEPT = sql('ledger-set-aside-kept')`select id, reason, sha256, bytes from ledger_set_aside
    where tenant = $1 and boundary = $2 and id = any ($3::uuid[])`;

/** Keeps them, before they are taken from the intake in the same transaction. */
export async function keepAside(
  run: Run,
  log: LogName & { readonly origin: string },
  facts: readonly Impossibility[],
  by: { readonly sealing: SigningMeans; readonly now: Instant },
): Promise<ReadonlyMap<string, SetAside>> {
  if (facts.length === 0) return new Map();
  const ids = facts.map(({ id }) => id);
  // For this one time: a vault that lived on would hold keys that are shredded meanwhile.
  const vault = new KeyVault({ origin: log.origin, ...by.sealing });
  const waiting = await run(WAITING, [log.tenant, log.boundary, ids]);
  const keys = await keysFor(run, log.tenant, waiting, { vault, now: by.now });
  const whys = new Map(facts.map((one) => [one.id, one]));
  for (const row of waiting) {
    const id = text(row['id']);
    const [why, key] = [whys.get(id), keys.get(id)];
    invariant(why !== undefined && key !== undefined, 'A fact has its reason and a key', { id });
    const fact = text(row['fact']);
    const body = Buffer.from(JSON.stringify({ fact, message: why.message } satisfies SealedFact));
    const { blob } = vault.seal({ key, entry: placeOf(id), body });
    const sha256 = hash('sha256', fact, 'buffer');
    const size = Buffer.byteLength(fact);
    await run(KEEP, [log.tenant, log.boundary, id, why.reason, key.id, blob, size, sha256]);
  }
  const kept = await run(KEPT, [log.tenant, log.boundary, ids]);
  return new Map(kept.map((row) => [text(row['id']), setAsideOf(row)]));
}

/** What is sealed. The error is in it because it may quote the fact: the path to a bad value has names of the fact. */
interface SealedFact {
  readonly fact: string;
  readonly message: string;
}

/** Any id that a fact came with: what is sealed here is tied to it as a body is to its entry. */
function placeOf(id: string): EntryId {
  return entryId(id);
}

/** The key of each fact's own body while it lives: what was sealed together goes together. Else one of its subject. */
async function keysFor(
  run: Run,
  tenant: string,
  facts: readonly Row[],
  by: { readonly vault: KeyVault; readonly now: Instant },
): Promise<ReadonlyMap<string, WrappedKey>> {
  const named = facts.flatMap((row) => optional(row['key'], text) ?? []);
  const live = new Map((await run(USE_KEYS, [tenant, named])).map((row) => [text(row['id']), row]));
  const keys = new Map<string, WrappedKey>();
  const others: Row[] = [];
  for (const fact of facts) {
    const row = live.get(text(fact['key']));
    if (row === undefined) others.push(fact);
    else {
      const [id, month] = [text(row['id']), text(row['month'])];
      keys.set(text(fact['id']), { id, month, wrapped: bytes(row['wrapped']) });
    }
  }
  if (others.length === 0) return keys;
  // The month in which it is sealed: the fact's own moment may be none.
  const month = toRfc3339(by.now).slice(0, 7);
  const make = (): WrappedKey => by.vault.newKey(month);
  const made = await dataKeys({ run }, { tenant, month }, others.map(keySubject), make);
  const used: string[] = [];
  for (const fact of others) {
    const key = made.get(keySubject(fact));
    invariant(key !== undefined, 'Every subject has a data key', { id: text(fact['id']) });
    keys.set(text(fact['id']), key);
    used.push(key.id);
  }
  await run(USE_KEYS, [tenant, used]);
  return keys;
}

/** The database's index of the keys holds names of up to 2,700 bytes. */
const SUBJECT_BYTES_MAX = 1_000;

function keySubject(fact: Row): string {
  const subject = text(fact['subj_id']);
  const isName = Buffer.byteLength(subject) <= SUBJECT_BYTES_MAX;
  return isName ? subject : `set_aside/${text(fact['id'])}`;
}

function setAsideOf(row: Row): SetAside {
  return {
    reason: text(row['reason']),
    sha256: hex(row['sha256']),
    bytes: Number(row['bytes']),
  };
}

interface KeptFact extends SetAside {
  readonly boundary: string;
  readonly id: string;
  readonly at: Instant;
}

const LIST = sql('ledger-set-aside-list')`
select boundary, id, at, reason, sha256, bytes from ledger_set_aside
  where tenant = $1 order by at desc, id limit $2`;

/** More than anybody reads; the count says how many there are. */
const LIST_MAX = 100;

/** The newest of them. */
export async function setAsideFacts(
  session: Pick<Session, 'run'>,
  tenant: string,
): Promise<readonly KeptFact[]> {
  const rows = await session.run(LIST, [tenant, LIST_MAX]);
  return rows.map((row) => ({
    boundary: text(row['boundary']),
    id: text(row['id']),
    at: when(row['at']),
    ...setAsideOf(row),
  }));
}

type OpenedFact =
  /** The fact's text to the byte, and the whole of the error. */
  | { readonly state: 'kept'; readonly fact: string; readonly message: string }
  /** Its key was destroyed: nobody can read it any more. */
  | { readonly state: 'shredded'; readonly key: string; readonly at: Instant };

const FIND = sql('ledger-set-aside-find')`
select a.boundary, a.id, a.key, a.sealed, a.sha256, k.month, k.wrapped, k.shredded_at
from ledger_set_aside a left join ledger_dek k on k.tenant = a.tenant and k.id = a.key
where a.tenant = $1 and a.id = $2 order by a.at desc limit 1`;

/** Opens one of them; undefined when there is none of this id. */
export async function openSetAside(
  session: Pick<Session, 'run'>,
  by: {
    readonly tenant: string;
    readonly instance: string;
    readonly tenantKey: TenantKey;
    readonly random: Random;
  },
  id: string,
): Promise<OpenedFact | undefined> {
  const [row] = await session.run(FIND, [by.tenant, id]);
  if (row === undefined) return undefined;
  const key = text(row['key']);
  const at = optional(row['shredded_at'], when);
  if (at !== undefined) return { state: 'shredded', key, at };
  const wrapped = optional(row['wrapped'], bytes);
  if (wrapped === undefined) {
    throw broken(id, `its key ${key} is missing without having been destroyed by retention`);
  }
  // The database holds the column to the names of boundaries, and logOrigin refuses any other.
  const origin = logOrigin(by.instance, by.tenant, text(row['boundary']) as LedgerBoundary);
  const { tenantKey, random } = by;
  const body = new KeyVault({ origin, tenantKey, random }).open({
    blob: bytes(row['sealed']),
    entry: placeOf(text(row['id'])),
    key: { id: key, month: text(row['month']), wrapped },
  });
  // Nobody without the key could have sealed anything else than keepAside wrote.
  const { fact, message } = JSON.parse(Buffer.from(body).toString()) as SealedFact;
  if (sha256Of(fact) !== hex(row['sha256'])) {
    throw broken(id, 'its text does not match the hash kept with it');
  }
  return { state: 'kept', fact, message };
}

function broken(id: string, found: string): FilewrightError {
  return new FilewrightError(
    'SEAL_BROKEN',
    `The fact ${id} that was set aside cannot be opened: ${found}. Compare with a backup.`,
    { details: { id } },
  );
}

const COUNT = sql('ledger-set-aside-count')`
select count(*)::int as n, max(at) as last from ledger_set_aside where tenant = $1`;

export async function countSetAside(
  session: Pick<Session, 'run'>,
  tenant: string,
): Promise<{ readonly count: number; readonly last: Instant | undefined }> {
  const [row] = await session.run(COUNT, [tenant]);
  const last = row?.['last'];
  return { count: Number(row?.['n']), last: last === null ? undefined : when(last) };
}
