/** What is said of a docket's dates: further versions, second docketings, and who has looked. */
import type { DocketId, Instant, JsonValue } from '../../core/index.ts';
import { hex, optional, type Session, sql, text, when } from '../../postgres/index.ts';
import { datingHash } from '../rules/docket/dating.ts';
import type { DateBasis } from '../rules/docket/docket.ts';
import type { Docket } from '../rules/docket/docket.ts';
import { json, jsonText, type Run } from './docket-rows.ts';

const NEXT = sql('docket-version-next')`
select coalesce(max(n), 1) + 1 as n from docket_version where tenant = $1 and docket = $2`;

/** Which number the next version has. Call it while the docket's row is locked. */
export async function nextVersion(run: Run, tenant: string, docket: DocketId): Promise<number> {
  const [row] = await run(NEXT, [tenant, docket]);
  return Number(row?.['n']);
}

const ADD = sql('docket-version-add')`
insert into docket_version (tenant, docket, n, source, payload_sha256, payload_ct, read)
values ($1, $2, $3, $4, decode($5, 'hex'), decode($6, 'hex'), $7)`;

interface NewVersion {
  readonly docket: DocketId;
  readonly n: number;
  readonly source: string;
  readonly payloadSha256: string;
  readonly ct: string;
  readonly read: JsonValue;
}

export async function addVersion(run: Run, tenant: string, version: NewVersion): Promise<void> {
  const { docket, n, source, payloadSha256, ct, read } = version;
  await run(ADD, [tenant, docket, n, source, payloadSha256, ct, jsonText(read)]);
}

// One that is under way hears of it with its outcome; every other at once, since its date may be nearer than anybody knew.
const REDATE = sql('docket-redate')`
update docket set dating = docket_dating($1, $2), ver = ver + 1,
  next_at = case when closed_at is null and phase <> 'sending' then now() else next_at end
where tenant = $1 and id = $2 returning ver, dating`;

/** After a change of what is said of its dates, in the same transaction. */
export async function redateDocket(
  run: Run,
  tenant: string,
  docket: DocketId,
): Promise<{ readonly ver: number; readonly datingSha256: string | undefined }> {
  const [row] = await run(REDATE, [tenant, docket]);
  if (row === undefined) throw new Error(`there is no docket ${docket}`);
  const datingSha256 = optional(row['dating'], (value) => datingHash(json(value)));
  return { ver: Number(row['ver']), datingSha256 };
}

const VERSIONS = sql('docket-versions')`
select v.n, v.source, v.payload_sha256, v.read, v.received_at,
  (select p.terms::jsonb->>'act' from proposal p where p.tenant = v.tenant and p.kind = 'docket' and p.subject = v.docket
    and p.state = 'approved' and (p.terms::jsonb->>'version')::int = v.n order by p.n desc limit 1) as act
from docket_version v where v.tenant = $1 and v.docket = $2 order by v.n`;

interface StoredVersion {
  readonly n: number;
  readonly source: string;
  readonly payloadSha256: string;
  readonly read: Docket;
  readonly receivedAt: Instant;
  readonly state: 'open' | 'accepted' | 'refused';
}

export async function versionsOf(
  session: Pick<Session, 'run'>,
  tenant: string,
  docket: DocketId,
): Promise<readonly StoredVersion[]> {
  return (await session.run(VERSIONS, [tenant, docket])).map((row) => ({
    n: Number(row['n']),
    source: text(row['source']),
    payloadSha256: hex(row['payload_sha256']),
    // Written by the intake, from a docket.
    read: row['read'] as Docket,
    receivedAt: when(row['received_at']),
    state: row['act'] === null ? 'open' : row['act'] === 'accept' ? 'accepted' : 'refused',
  }));
}

const SECOND = sql('docket-second')`
select s.by_person, p.name, s.event, s.given_at, s.decided_for, q.name as decided_by, s.decision_reason, s.decided_at
from docket_second s join person p on p.tenant = s.tenant and p.id = s.by_person
  left join person q on q.tenant = s.tenant and q.id = s.decided_by
where s.tenant = $1 and s.docket = $2`;

interface StoredSecond {
  readonly by: string;
  readonly byName: string;
  readonly event: DateBasis;
  readonly givenAt: Instant;
  readonly decision:
    | {
        readonly for: 'first' | 'second';
        readonly by: string;
        readonly reason: string;
        readonly at: Instant;
      }
    | undefined;
}

export async function secondOf(
  session: Pick<Session, 'run'>,
  tenant: string,
  docket: DocketId,
): Promise<StoredSecond | undefined> {
  const [row] = await session.run(SECOND, [tenant, docket]);
  if (row === undefined) return undefined;
  const decidedFor = optional(row['decided_for'], text);
  return {
    by: text(row['by_person']),
    byName: text(row['name']),
    // Written by `addSecond`, from a basis.
    event: row['event'] as DateBasis,
    givenAt: when(row['given_at']),
    decision:
      decidedFor === undefined
        ? undefined
        : {
            for: decidedFor === 'first' ? 'first' : 'second',
            by: text(row['decided_by']),
            reason: text(row['decision_reason']),
            at: when(row['decided_at']),
          },
  };
}

const GIVE = sql('docket-second-give')`
insert into docket_second (tenant, docket, by_person, event) values ($1, $2, $3, $4)`;

export async function addSecond(
  run: Run,
  tenant: string,
  second: { readonly docket: DocketId; readonly by: string; readonly event: JsonValue },
): Promise<void> {
  await run(GIVE, [tenant, second.docket, second.by, jsonText(second.event)]);
}

const DECIDE = sql('docket-second-decide')`
update docket_second set decided_for = $3, decided_by = $4, decision_reason = $5, decided_at = now()
where tenant = $1 and docket = $2`;

export async function decideSecondRow(
  run: Run,
  tenant: string,
  docket: DocketId,
  decision: {
    readonly for: 'first' | 'second';
    readonly by: string;
    readonly reason: string;
  },
): Promise<void> {
  await run(DECIDE, [tenant, docket, decision.for, decision.by, decision.reason]);
}

const REVEAL = sql('docket-reveal')`
insert into docket_reveal (tenant, docket, person, reason) values ($1, $2, $3, $4) on conflict do nothing returning docket`;

/** False when this person had looked before. */
export async function addReveal(
  run: Run,
  tenant: string,
  reveal: { readonly docket: DocketId; readonly person: string; readonly reason: string },
): Promise<boolean> {
  const { docket, person, reason } = reveal;
  return (await run(REVEAL, [tenant, docket, person, reason])).length > 0;
}

// Nobody is known by another key of theirs: of a party that has given, docketed or looked, all have.
const UNSECONDED = sql('docket-unseconded')`
select d.id from docket d where d.tenant = $1 and d.id = any ($2::text[])
  and not exists (select 1 from docket_second s where s.tenant = $1 and s.docket = d.id)
  and ($3::uuid is null or (
    (d.received_by is null or are_two_parties($1, d.received_by, $3))
    and not exists (select 1 from docket_reveal v where v.tenant = $1 and v.docket = d.id
      and not are_two_parties($1, v.person, $3))))`;

/** Of these, whose first date is nothing this person has read or asked to see, and which have no second docketing yet. */
export async function unseconded(
  session: Pick<Session, 'run'>,
  tenant: string,
  dockets: readonly DocketId[],
  person: string | undefined,
): Promise<ReadonlySet<string>> {
  if (dockets.length === 0) return new Set();
  const rows = await session.run(UNSECONDED, [tenant, dockets, person ?? null]);
  return new Set(rows.map((row) => text(row['id'])));
}
