/** Tokens with which other programs act for their owner. Only the hash is stored. */
import { type PersonId, personId } from '../../core/index.ts';
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
import { holderOf, type SignedIn } from './sign-ins.ts';

export interface ProgramToken {
  readonly id: string;
  readonly owner: PersonId;
  readonly ownerName: string;
  readonly name: string;
  readonly acts: readonly string[];
  readonly sha256: string;
  readonly madeAt: number;
  readonly expiresAt: number;
  readonly lastUsedAt: number | undefined;
  readonly revokedAt: number | undefined;
}

const ADD = sql('program-token-add')`
insert into program_token (tenant, id, owner, name, acts, sha256, expires_at)
values ($1, $2, $3, $4, $5, $6, now() + make_interval(days => $7)) returning expires_at`;

const USE = sql('program-token-use')`
with found as (
  select t.id as token, t.acts, t.last_used_at, p.id, p.name, p.party, array(select r.role from person_role r
    where r.tenant = p.tenant and r.person = p.id and r.taken_at is null order by r.role) as roles
  from program_token t join person p on p.tenant = t.tenant and p.id = t.owner
  where t.tenant = $1 and t.sha256 = $2 and t.revoked_at is null and t.expires_at > now() and p.disabled_at is null),
used as (
  update program_token t set last_used_at = now() from found f where t.tenant = $1 and t.id = f.token
    and (f.last_used_at is null or f.last_used_at < now() - interval '1 minute'))
select token, acts, id, name, party, roles from found`;

const LIST = sql('program-token-list')`
select t.id, t.owner, p.name as owner_name, t.name, t.acts, t.sha256, t.made_at, t.expires_at, t.last_used_at, t.revoked_at
from program_token t join person p on p.tenant = t.tenant and p.id = t.owner
where t.tenant = $1 and ($2::uuid is null or t.owner = $2) order by t.made_at, t.id`;

const REVOKE = sql('program-token-revoke')`
update program_token set revoked_at = now(), revoked_by = $3
where tenant = $1 and id = $2 and revoked_at is null returning id`;

interface NewToken {
  readonly id: string;
  readonly owner: PersonId;
  readonly name: string;
  readonly acts: readonly string[];
  readonly sha256: Uint8Array;
  readonly days: number;
}

/** When it expires. */
export async function addToken(run: Run, tenant: string, token: NewToken): Promise<number> {
  const { id, owner, name, acts, sha256, days } = token;
  const values = [tenant, id, owner, name, acts, sha256, days];
  const [row] = await run(ADD, values).catch(refusedByRule);
  return when(row?.['expires_at']);
}

/** For whom it acts; undefined where it is unknown, expired, revoked, or of somebody who is disabled. */
export async function useToken(
  session: Session,
  tenant: string,
  sha256: Uint8Array,
): Promise<SignedIn | undefined> {
  const [row] = await session.run(USE, [tenant, sha256]);
  if (row === undefined) return undefined;
  // A list of texts by the type of its column.
  const acts = row['acts'] as readonly string[];
  return { person: holderOf(row), entrance: { kind: 'token', id: text(row['token']), acts } };
}

export async function listTokens(
  run: Run,
  tenant: string,
  owner: PersonId | undefined,
): Promise<ProgramToken[]> {
  return (await run(LIST, [tenant, owner ?? null])).map(tokenOf);
}

/** Whether it was still good until now. */
export async function revokeToken(
  run: Run,
  tenant: string,
  { id, by }: { readonly id: string; readonly by: PersonId },
): Promise<boolean> {
  return (await run(REVOKE, [tenant, id, by]).catch(refusedByRule)).length > 0;
}

function tokenOf(row: Row): ProgramToken {
  return {
    id: text(row['id']),
    owner: personId(text(row['owner'])),
    ownerName: text(row['owner_name']),
    name: text(row['name']),
    acts: row['acts'] as readonly string[],
    sha256: hex(row['sha256']),
    madeAt: when(row['made_at']),
    expiresAt: when(row['expires_at']),
    lastUsedAt: optional(row['last_used_at'], when),
    revokedAt: optional(row['revoked_at'], when),
  };
}
