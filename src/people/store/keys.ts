/** Personal keys. Each belongs to one person, who may have several; only its hash is stored. */
import type { Role } from '../../access/index.ts';
import { notFound, type PersonId, personId } from '../../core/index.ts';
import {
  hex,
  optional,
  type Row,
  type Run,
  type Session,
  sql,
  text,
  when,
} from '../../postgres/index.ts';
import { refusedByRule } from './refused-by-rule.ts';

/** A year, so that a key that nobody remembers ends by itself. */
export const KEY_DAYS_DEFAULT = 365;

export interface NewKey {
  readonly id: string;
  /** What its owner calls it: "laptop", "in the safe". */
  readonly name: string;
  readonly sha256: Uint8Array;
  readonly days: number;
}

export interface PersonKey {
  readonly id: string;
  readonly person: PersonId;
  readonly name: string;
  readonly sha256: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly lastUsedAt: number | undefined;
  readonly revokedAt: number | undefined;
}

const ADD = sql('person-key-add')`
insert into person_key (tenant, id, person, name, sha256, issued_by, proposal, expires_at)
values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(days => $8)) returning expires_at`;

// Refused alike, whatever is wrong with it: `is_good` is not told further. The use is written at most once a minute, so that a
// script with a thousand commands does not write a thousand times.
const USE = sql('person-key-use')`
with found as (
  select k.id as key, k.last_used_at, p.id, p.name, p.party,
    k.revoked_at is null and k.expires_at > now() and p.disabled_at is null as is_good,
    array(select r.role from person_role r where r.tenant = p.tenant and r.person = p.id and r.taken_at is null
      order by r.role) as roles
  from person_key k join person p on p.tenant = k.tenant and p.id = k.person
  where k.tenant = $1 and k.sha256 = $2),
used as (
  update person_key k set last_used_at = now() from found f where k.tenant = $1 and k.id = f.key and f.is_good
    and (f.last_used_at is null or f.last_used_at < now() - interval '1 minute'))
select id, name, party, roles from found where is_good`;

const LIST = sql('person-key-list')`
select id, person, name, sha256, created_at, expires_at, last_used_at, revoked_at from person_key
where tenant = $1 and ($2::uuid is null or person = $2) order by created_at, id`;

const REVOKE = sql('person-key-revoke')`
update person_key set revoked_at = now(), revoked_by = $3
where tenant = $1 and id = any ($2::uuid[]) and revoked_at is null returning id, name, sha256`;

/** When it expires. */
export async function addKey(
  run: Run,
  tenant: string,
  key: NewKey & {
    readonly person: PersonId;
    /** Undefined at installation, and for a key that two parties agreed to. */
    readonly by: PersonId | undefined;
    readonly proposal?: string;
  },
): Promise<number> {
  const { id, person, name, sha256, by, proposal, days } = key;
  const values = [tenant, id, person, name, sha256, by ?? null, proposal ?? null, days];
  const [row] = await run(ADD, values).catch(refusedByRule);
  return when(row?.['expires_at']);
}

interface KeyHolder {
  readonly id: PersonId;
  readonly name: string;
  readonly party: PersonId;
  readonly roles: readonly Role[];
}

/** Who acts with a key; undefined where it is unknown, expired, revoked, or of somebody who is disabled. */
export async function useKey(
  session: Session,
  tenant: string,
  sha256: Uint8Array,
): Promise<KeyHolder | undefined> {
  const [row] = await session.run(USE, [tenant, sha256]);
  if (row === undefined) return undefined;
  return {
    id: personId(text(row['id'])),
    name: text(row['name']),
    party: personId(text(row['party'])),
    // A check constraint holds the column to these words.
    roles: row['roles'] as Role[],
  };
}

/** Of one person, or of everybody. */
export async function listKeys(run: Run, tenant: string, person?: PersonId): Promise<PersonKey[]> {
  return (await run(LIST, [tenant, person ?? null])).map(keyOf);
}

/** What was revoked; keys that already were are left out. */
export async function revokeKeys(
  run: Run,
  tenant: string,
  keys: readonly string[],
  by: PersonId,
): Promise<Pick<PersonKey, 'id' | 'name' | 'sha256'>[]> {
  const rows = await run(REVOKE, [tenant, keys, by]).catch(refusedByRule);
  return rows.map((row) => ({
    id: text(row['id']),
    name: text(row['name']),
    sha256: hex(row['sha256']),
  }));
}

export async function keyWithId(run: Run, tenant: string, id: string): Promise<PersonKey> {
  const found = (await listKeys(run, tenant)).find((key) => key.id === id);
  if (found === undefined) throw notFound(`No key has the id ${id}; see user key list`);
  return found;
}

function keyOf(row: Row): PersonKey {
  return {
    id: text(row['id']),
    person: personId(text(row['person'])),
    name: text(row['name']),
    sha256: hex(row['sha256']),
    createdAt: when(row['created_at']),
    expiresAt: when(row['expires_at']),
    lastUsedAt: optional(row['last_used_at'], when),
    revokedAt: optional(row['revoked_at'], when),
  };
}
