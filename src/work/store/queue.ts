/**
 * The one queue of ordinary work. A claim counts the try, and writes it down where it leaves the house, in the statement
 * that takes the row; whoever claims records what came of it. A process that dies in between leaves a claim that ends by
 * the database's clock, and the work is done again. What has effects in the database alone is claimed and recorded in one
 * transaction, and then nothing of a dead process has to be waited for.
 */
import type { Instant, JsonValue } from '../../core/index.ts';
import {
  lockedOnce,
  optional,
  type Row,
  type Run,
  type Session,
  sql,
  text,
  when,
} from '../../postgres/index.ts';

export type WorkKind =
  | 'event'
  | 'webhook'
  | 'mail'
  | 'consume'
  | 'alert'
  | 'timetable'
  | 'recovery'
  | 'handoff';

interface NewWork {
  readonly id: string;
  readonly kind: WorkKind;
  readonly target: string;
  readonly body?: Readonly<Record<string, JsonValue>>;
  readonly event?: string | undefined;
  readonly docket?: string | undefined;
  /** The same reason never makes it a second time. */
  readonly dedup?: string;
  /** At once unless told. */
  readonly at?: Instant;
}

/** Work that this process may do now. */
export interface ClaimedWork {
  readonly id: string;
  readonly target: string;
  /** Counts this one; it is also the fence for its outcome. */
  readonly attempt: number;
  readonly body: Readonly<Record<string, JsonValue>>;
  readonly event: string | undefined;
  readonly createdAt: Instant;
  /** By the database's clock. */
  readonly claimedAt: Instant;
}

const ADD = sql('work-add')`
insert into work (tenant, id, kind, target, body, event, docket, dedup, next_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, coalesce(to_timestamp($9::float8 / 1000), now())) on conflict do nothing`;

/** Call it in the transaction of what asks for the work. What is there already stays as it is. */
export async function addWork(run: Run, tenant: string, work: NewWork): Promise<void> {
  const { id, kind, target, body = {}, event, docket, dedup, at } = work;
  const values = [tenant, id, kind, target, JSON.stringify(body), event, docket, dedup, at];
  await run(
    ADD,
    values.map((value) => value ?? null),
  );
}

// Steps from target to target through the index: one row is read for each, however much waits there.
const DUE = sql('work-due')`
with recursive first as (
  (select kind, target, next_at from work where tenant = $1 and state = 'pending' order by kind, target, next_at limit 1)
  union all
  select n.kind, n.target, n.next_at from first f cross join lateral (
    select kind, target, next_at from work
    where tenant = $1 and state = 'pending' and (kind, target) > (f.kind, f.target)
    order by kind, target, next_at limit 1) n)
select kind, target from first where next_at <= now() order by next_at`;

/** Whom something is due for, who has waited longest first. */
export async function dueTargets(
  session: Pick<Session, 'run'>,
  tenant: string,
): Promise<{ readonly kind: WorkKind; readonly target: string }[]> {
  return (await session.run(DUE, [tenant])).map((row) => ({
    // A check constraint holds the column to these words.
    kind: text(row['kind']) as WorkKind,
    target: text(row['target']),
  }));
}

// $1 tenant, $2 kind, $3 target, $4 how many, $5 how long the claim holds, $6 one row or null
const CLAIM = sql('work-claim')`
with ${lockedOnce(
  'due',
  `
  select tenant, id from work
  where tenant = $1 and kind = $2 and target = $3 and state = 'pending' and next_at <= now()
    and ($6::uuid is null or id = $6)
  order by next_at, id limit $4`,
)},
claimed as (
  update work w set next_at = now() + $5 * interval '1 millisecond', tries = w.tries + 1
  from due where w.tenant = due.tenant and w.id = due.id
  returning w.*),
begun as (
  insert into work_try (tenant, work, n) select tenant, id, tries from claimed where kind in ('webhook', 'mail'))
select id, target, tries, body, event, created_at, now() as claimed_at from claimed order by created_at, id`;

interface ClaimWish {
  readonly tenant: string;
  readonly kind: WorkKind;
  readonly target: string;
  readonly limit: number;
  /** Longer than the work takes. Left out where claim and outcome are one transaction, which holds the row itself. */
  readonly claimMs?: number;
  /** The one row. */
  readonly only?: string | undefined;
}

export async function claimWork(run: Run, wish: ClaimWish): Promise<ClaimedWork[]> {
  const { tenant, kind, target, limit, claimMs = 0, only } = wish;
  return (await run(CLAIM, [tenant, kind, target, limit, claimMs, only ?? null])).map(claimedOf);
}

type WorkOutcome =
  | { readonly state: 'done' | 'failed' | 'dropped'; readonly code?: string }
  /** After a wait, or at a moment of the timetable. */
  | {
      readonly state: 'pending';
      readonly code?: string;
      readonly again: number | { readonly at: Instant };
    };

// What comes of a former claim decides nothing, except that what once left the house has left it.
const RECORD = sql('work-record')`
with ended as (
  update work_try t set ended_at = clock_timestamp(), verdict = $8, code = $5
  from unnest($2::uuid[], $3::int[]) given(id, n) where t.tenant = $1 and t.work = given.id and t.n = given.n)
update work w set state = $4, code = $5,
  next_at = case when $4 = 'pending' then coalesce(to_timestamp($7::float8 / 1000), now() + $6::float8 * interval '1 millisecond') end,
  ended_at = case when $4 <> 'pending' then now() end
from unnest($2::uuid[], $3::int[]) given(id, n)
where w.tenant = $1 and w.id = given.id and w.state = 'pending' and (w.tries = given.n or $8 = 'sent')
returning w.id`;

/** How many it counted for; the claims on the others were lost. `verdict` is for the log of tries. */
export async function recordWork(
  run: Run,
  tenant: string,
  works: readonly Pick<ClaimedWork, 'id' | 'attempt'>[],
  outcome: WorkOutcome & { readonly verdict?: string },
): Promise<number> {
  const again = outcome.state === 'pending' ? outcome.again : undefined;
  const rows = await run(RECORD, [
    tenant,
    works.map(({ id }) => id),
    works.map(({ attempt }) => attempt),
    outcome.state,
    outcome.code ?? null,
    typeof again === 'number' ? again : null,
    typeof again === 'object' ? again.at : null,
    outcome.verdict ?? null,
  ]);
  return rows.length;
}

const DROP = sql('work-drop')`
update work set state = 'dropped', next_at = null, code = $4, ended_at = now()
  where tenant = $1 and kind = $2 and target = $3 and state = 'pending'`;

/** Nothing that waits for the target is done any more. */
export async function dropWork(
  run: Run,
  tenant: string,
  of: { readonly kind: WorkKind; readonly target: string; readonly code: string },
): Promise<void> {
  await run(DROP, [tenant, of.kind, of.target, of.code]);
}

function claimedOf(row: Row): ClaimedWork {
  return {
    id: text(row['id']),
    target: text(row['target']),
    attempt: Number(row['tries']),
    // Written by `addWork` and the stores that publish, from objects.
    body: row['body'] as ClaimedWork['body'],
    event: optional(row['event'], text),
    createdAt: when(row['created_at']),
    claimedAt: when(row['claimed_at']),
  };
}
