/** Links that sign somebody in once, and sessions. Of both only the hash of the secret is stored. */
import type { Entrance, Role } from '../../access/index.ts';
import { instant, type PersonId, personId } from '../../core/index.ts';
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

/** As in the constraint of the table. */
const LINK_MINUTES = 10;
export const SESSION_HOURS = 12;
/** A screen that nobody looks at. */
const IDLE_MINUTES = 30;

export interface SignInSession {
  readonly id: string;
  readonly person: PersonId;
  readonly personName: string;
  readonly sha256: string;
  readonly way: 'key' | 'link';
  readonly startedAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
  readonly endedAt: number | undefined;
  /** Whether it still lets its person in. */
  readonly isOpen: boolean;
}

export interface SignedIn {
  readonly person: {
    readonly id: PersonId;
    readonly name: string;
    readonly party: PersonId;
    readonly roles: readonly Role[];
  };
  readonly entrance: Entrance;
}

const ADD_LINK = sql('sign-in-link-add')`
insert into sign_in_link (tenant, id, person, sha256, made_by, expires_at)
values ($1, $2, $3, $4, $5, now() + interval '${LINK_MINUTES} minutes') returning expires_at`;

const FIND_LINK = sql('sign-in-link-find')`
select l.id, l.person from sign_in_link l join person p on p.tenant = l.tenant and p.id = l.person
where l.tenant = $1 and l.sha256 = $2 and l.used_at is null and l.expires_at > now() and p.disabled_at is null
for update of l`;

const USE_LINK = sql('sign-in-link-use')`
update sign_in_link set used_at = now() where tenant = $1 and id = $2 and used_at is null returning id`;

const FIND_KEY = sql('sign-in-key-find')`
select k.id, k.person from person_key k join person p on p.tenant = k.tenant and p.id = k.person
where k.tenant = $1 and k.sha256 = $2 and k.revoked_at is null and k.expires_at > now() and p.disabled_at is null`;

const MARK_KEY = sql('sign-in-key-used')`
update person_key set last_used_at = now() where tenant = $1 and id = $2`;

const ADD = sql('person-session-add')`
insert into person_session (tenant, id, person, sha256, way, credential, expires_at)
values ($1, $2, $3, $4, $5, $6, now() + interval '${SESSION_HOURS} hours') returning started_at, expires_at`;

const ROLES_OF = `array(select r.role from person_role r where r.tenant = p.tenant and r.person = p.id
  and r.taken_at is null order by r.role) as roles`;

/** A session of a key ends with the key; every session is nothing while its person is disabled. */
const IS_OPEN = `(s.ended_at is null and s.expires_at > now() and s.last_used_at > now() - interval '${IDLE_MINUTES} minutes'
  and p.disabled_at is null and (s.way <> 'key' or exists (select 1 from person_key k where k.tenant = s.tenant
    and k.id = s.credential and k.revoked_at is null and k.expires_at > now())))`;

// Its use is written at most once a minute, as that of a key.
const USE = sql('person-session-use')`
with found as (
  select s.id as session, s.started_at, s.last_used_at, p.id, p.name, p.party, ${ROLES_OF}
  from person_session s join person p on p.tenant = s.tenant and p.id = s.person
  where s.tenant = $1 and s.sha256 = $2 and ${IS_OPEN}),
used as (
  update person_session s set last_used_at = now() from found f
  where s.tenant = $1 and s.id = f.session and f.last_used_at < now() - interval '1 minute')
select session, started_at, id, name, party, roles from found`;

const LIST = sql('person-session-list')`
select s.id, s.person, p.name, s.sha256, s.way, s.started_at, s.last_used_at, s.expires_at, s.ended_at, ${IS_OPEN} as is_open
from person_session s join person p on p.tenant = s.tenant and p.id = s.person
where s.tenant = $1 and ($2::uuid is null or s.person = $2) and (not $3 or ${IS_OPEN})
order by s.started_at desc, s.id limit 500`;

const END = sql('person-session-end')`
update person_session set ended_at = now(), ended_by = $3
where tenant = $1 and id = $2 and ended_at is null returning person, sha256`;

const ID_OF = sql(
  'person-session-of',
)`select person from person_session where tenant = $1 and id = $2`;

/** When it expires. */
export async function addLink(
  run: Run,
  tenant: string,
  link: {
    readonly id: string;
    readonly person: PersonId;
    readonly sha256: Uint8Array;
    readonly by: PersonId;
  },
): Promise<number> {
  const { id, person, sha256, by } = link;
  const [row] = await run(ADD_LINK, [tenant, id, person, sha256, by]).catch(refusedByRule);
  return when(row?.['expires_at']);
}

interface Shown {
  /** Of the key or the link. */
  readonly id: string;
  readonly person: PersonId;
}

/** A good link, locked until the end of the transaction; undefined whatever is wrong with it. */
export function findLink(run: Run, tenant: string, sha256: Uint8Array): Promise<Shown | undefined> {
  return shownBy(run, FIND_LINK, [tenant, sha256]);
}

export function findKey(run: Run, tenant: string, sha256: Uint8Array): Promise<Shown | undefined> {
  return shownBy(run, FIND_KEY, [tenant, sha256]);
}

async function shownBy(
  run: Run,
  statement: typeof FIND_KEY,
  values: readonly unknown[],
): Promise<Shown | undefined> {
  const [row] = await run(statement, values);
  return row && { id: text(row['id']), person: personId(text(row['person'])) };
}

export async function markUsed(
  run: Run,
  tenant: string,
  { way, id }: { readonly way: 'key' | 'link'; readonly id: string },
): Promise<void> {
  await run(way === 'key' ? MARK_KEY : USE_LINK, [tenant, id]).catch(refusedByRule);
}

export async function addSession(
  run: Run,
  tenant: string,
  session: {
    readonly id: string;
    readonly person: PersonId;
    readonly sha256: Uint8Array;
    readonly way: 'key' | 'link';
    readonly credential: string;
  },
): Promise<{ readonly startedAt: number; readonly expiresAt: number }> {
  const { id, person, sha256, way, credential } = session;
  const values = [tenant, id, person, sha256, way, credential];
  const [row] = await run(ADD, values).catch(refusedByRule);
  return { startedAt: when(row?.['started_at']), expiresAt: when(row?.['expires_at']) };
}

/** Who is signed in; undefined where the session is unknown, over, or of somebody who is disabled. */
export async function useSession(
  session: Session,
  tenant: string,
  sha256: Uint8Array,
): Promise<SignedIn | undefined> {
  const [row] = await session.run(USE, [tenant, sha256]);
  if (row === undefined) return undefined;
  const signedInAt = instant(when(row['started_at']));
  return {
    person: holderOf(row),
    entrance: { kind: 'session', id: text(row['session']), signedInAt },
  };
}

/** Who holds a key, a session or a token, from a row that has their columns. */
export function holderOf(row: Row): SignedIn['person'] {
  return {
    id: personId(text(row['id'])),
    name: text(row['name']),
    party: personId(text(row['party'])),
    // A check constraint holds the column to these words.
    roles: row['roles'] as Role[],
  };
}

/** Of one person, or of everybody, the latest first; without those that are over unless asked. */
export async function listSessions(
  run: Run,
  tenant: string,
  { person, all }: { readonly person: PersonId | undefined; readonly all: boolean },
): Promise<SignInSession[]> {
  return (await run(LIST, [tenant, person ?? null, !all])).map((row) => ({
    id: text(row['id']),
    person: personId(text(row['person'])),
    personName: text(row['name']),
    sha256: hex(row['sha256']),
    way: row['way'] === 'link' ? 'link' : 'key',
    startedAt: when(row['started_at']),
    lastUsedAt: when(row['last_used_at']),
    expiresAt: when(row['expires_at']),
    endedAt: optional(row['ended_at'], when),
    isOpen: row['is_open'] === true,
  }));
}

export async function ownerOfSession(
  run: Run,
  tenant: string,
  id: string,
): Promise<PersonId | undefined> {
  const [row] = await run(ID_OF, [tenant, id]);
  return row && personId(text(row['person']));
}

/** Undefined where it was ended before. */
export async function endSession(
  run: Run,
  tenant: string,
  { id, by }: { readonly id: string; readonly by: PersonId },
): Promise<{ readonly person: PersonId; readonly sha256: string } | undefined> {
  const [row] = await run(END, [tenant, id, by]).catch(refusedByRule);
  return row && { person: personId(text(row['person'])), sha256: hex(row['sha256']) };
}
