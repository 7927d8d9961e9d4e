/**
 * One step of many dockets as one transaction: rows locked, decided by the rules, written with their handoffs. Who
 * commits has the step; whoever comes later finds the next state.
 */
import {
  type DocketId,
  instant,
  type Instant,
  type JsonValue,
  type PartyId,
  type TargetId,
} from '../../core/index.ts';
import { lockedOnce, type Session, sql, text, when } from '../../postgres/index.ts';
import {
  DATABASE_NOW,
  DOCKET_COLUMNS,
  docketRow,
  type Run,
  type StoredDocket,
} from './docket-rows.ts';

const CLOCK = sql('docket-clock')`select ${DATABASE_NOW} as now`;

/** The clock by which everything in routing is judged. */
export async function databaseNow(session: Pick<Session, 'run'>): Promise<Instant> {
  const [row] = await session.run(CLOCK);
  return when(row?.['now']);
}

export interface LockedDockets {
  readonly now: Instant;
  readonly dockets: readonly StoredDocket[];
}

// The first part sorts and locks ids alone: a backlog of fifty thousand rows with their states would not fit in memory. The
// second locks again, to read each row as it is and not as it was before the lock.
const DUE = sql('docket-due')`
with ${lockedOnce(
  'due',
  `select id from docket where tenant = $1 and next_at <= now() order by due_on nulls first, next_at limit $2`,
)}
select ${DOCKET_COLUMNS}, ${DATABASE_NOW} as now from docket d join due on due.id = d.id
where d.tenant = $1 order by d.due_on nulls first, d.next_at for update of d`;

/**
 * Locks dockets whose moment has come, the earliest due day first: after an outage all of a backlog is due at one moment, and
 * who has least time left must not wait for the rest. A docket without a date may be due at any time. Those that another
 * process has in hand are left to it.
 */
export async function lockDueDockets(
  run: Run,
  tenant: string,
  limit: number,
): Promise<LockedDockets> {
  return locked(await run(DUE, [tenant, limit]));
}

const LOCK = sql('docket-lock')`select ${DOCKET_COLUMNS}, ${DATABASE_NOW} as now from docket d
    where d.tenant = $1 and d.id = any ($2::text[]) order by d.id for update of d`;

/** Waits for whoever has them, always in the same order. */
export async function lockDockets(
  run: Run,
  tenant: string,
  ids: readonly string[],
): Promise<LockedDockets> {
  return locked(await run(LOCK, [tenant, ids]));
}

function locked(rows: Awaited<ReturnType<Run>>): LockedDockets {
  // The latest look at the clock: the rows are all locked by then.
  const now = rows.reduce((latest, row) => Math.max(latest, Number(row['now'])), 0);
  return { now: instant(now), dockets: rows.map(docketRow) };
}

export interface WrittenStep {
  readonly docket: DocketId;
  readonly state: object;
  readonly phase: string;
  readonly tier: string;
  readonly target: TargetId | undefined;
  readonly nextAt: Instant | undefined;
  /** As they are after the facts that go with it. */
  readonly ver: number;
  readonly accessVer: number;
  readonly handoffs: number;
}

export interface StartedHandoff {
  readonly docket: DocketId;
  readonly n: number;
  readonly handoff: string;
  readonly tier: string;
  readonly target: TargetId;
  readonly party: PartyId;
  readonly attempt: number;
  /** Why the tier above was left, and the targets that were passed over on the way here. */
  readonly reason: string | undefined;
  readonly passed: readonly string[];
  readonly hop: object;
  readonly dates: object;
  /** Set for notices of the manual tier: until then this process has it in hand. */
  readonly retryAt: Instant | undefined;
}

export interface EndedHandoff {
  readonly docket: DocketId;
  readonly n: number;
  readonly outcome:
    | 'confirmed'
    | 'sent'
    | 'failed'
    | 'unknown'
    | 'denied'
    | 'refused'
    | 'unsendable'
    | 'not_made';
  readonly receipt: string | undefined;
  readonly evidence: object;
}

const WRITE = sql('docket-steps')`
with s as materialized (
  select * from json_to_recordset($2::json) as s(
    docket text, state jsonb, phase text, tier text, target text, next_at double precision, ver int, access_ver int,
    handoffs int)
),
started as materialized (
  select * from json_to_recordset($3::json) as h(
    docket text, n int, handoff text, tier text, target text, party text, attempt int, reason text, passed jsonb, hop jsonb,
    dates jsonb, retry_at double precision)
),
ended as materialized (
  select * from json_to_recordset($4::json) as e(docket text, n int, outcome text, receipt text, evidence jsonb)
),
moved as (
  update docket d set state = s.state, phase = s.phase, tier = s.tier, target = s.target, activation = null,
    next_at = to_timestamp(s.next_at / 1000), due_on = s.state->'known'->>'due', ver = s.ver, access_ver = s.access_ver, handoffs = s.handoffs
  from s where d.tenant = $1 and d.id = s.docket returning d.id
),
-- A reminder takes the place of an earlier notice to the same reader that never got through: one letter, not both.
superseded as (
  update docket_handoff h set ended_at = clock_timestamp(), outcome = 'unknown'
  from started t where h.tenant = $1 and h.docket = t.docket and h.n < t.n and t.tier = 'MANUAL' and h.tier = 'MANUAL'
    and h.target = t.target and h.party = t.party and h.ended_at is null
  returning h.docket, h.n
),
starts as (
  insert into docket_handoff (tenant, docket, n, handoff, tier, target, party, attempt, reason, passed, hop, dates)
  select $1, docket, n, handoff, tier, target, party, attempt, reason,
    array(select jsonb_array_elements_text(passed)), hop, dates
  from started
),
-- Notices of the manual tier have no tier below them to fall to: they are work until they are through.
queued as (
  insert into work (tenant, id, kind, target, docket, body, next_at)
  select $1, gen_random_uuid(), 'handoff', 'all', docket, jsonb_build_object('n', n), to_timestamp(retry_at / 1000)
  from started where retry_at is not null
),
ends as (
  update docket_handoff h set ended_at = clock_timestamp(), outcome = e.outcome, receipt = e.receipt,
    evidence = e.evidence
  from ended e where h.tenant = $1 and h.docket = e.docket and h.n = e.n and h.ended_at is null
  returning h.docket, h.n, h.tier
),
over as (
  update work w set state = 'done', next_at = null, ended_at = now()
  from (select docket, n from superseded union all select docket, n from ends where tier = 'MANUAL') h
  where w.tenant = $1 and w.kind = 'handoff' and w.state = 'pending' and w.docket = h.docket and (w.body->>'n')::int = h.n
)
select count(*) as moved from moved`;

/** Call it in the transaction that holds the locks. */
export async function writeSteps(
  run: Run,
  tenant: string,
  steps: readonly WrittenStep[],
  handoffs: {
    readonly started: readonly StartedHandoff[];
    readonly ended: readonly EndedHandoff[];
  },
): Promise<void> {
  if (steps.length === 0 && handoffs.ended.length === 0) return;
  const [row] = await run(WRITE, [
    tenant,
    JSON.stringify(
      steps.map(({ nextAt, accessVer, ...step }) => ({
        ...step,
        next_at: nextAt,
        access_ver: accessVer,
      })),
    ),
    JSON.stringify(
      handoffs.started.map(({ retryAt, ...started }) => ({ ...started, retry_at: retryAt })),
    ),
    JSON.stringify(handoffs.ended),
  ]);
  if (Number(row?.['moved']) !== steps.length) {
    throw new Error(`${text(row?.['moved'])} of ${steps.length} dockets were written`);
  }
}

const ACTIVATE = sql('docket-activate')`
update docket d set activation = a.activation, next_at = least(d.next_at, now())
from json_to_recordset($2::json) as a(docket text, tier text, activation jsonb)
where d.tenant = $1 and d.id = a.docket and d.tier = a.tier and d.phase in ('queued', 'sending', 'awaiting')
  and d.closed_at is null and d.activation is null
returning d.id`;

/**
 * Notes triggers on dockets that are still on the tier they name; the next step applies them. One that has left the tier,
 * or has a trigger already, is not touched: the same trigger twice is one escalation.
 */
export async function noteActivations(
  run: Run,
  tenant: string,
  activations: readonly {
    readonly docket: DocketId;
    readonly tier: string;
    readonly activation: JsonValue;
  }[],
): Promise<readonly string[]> {
  if (activations.length === 0) return [];
  const rows = await run(ACTIVATE, [tenant, JSON.stringify(activations)]);
  return rows.map((row) => text(row['id']));
}

const POSTPONE = sql('docket-postpone')`
update docket set next_at = to_timestamp($3::float8 / 1000) where tenant = $1 and id = any ($2::text[])`;

/** Dockets that are locked, and are looked at again then. */
export async function postponeDockets(
  run: Run,
  tenant: string,
  dockets: readonly DocketId[],
  until: Instant,
): Promise<void> {
  if (dockets.length > 0) await run(POSTPONE, [tenant, dockets, until]);
}

const WAKE_ALL = sql('docket-wake-all')`
update docket set next_at = now() where tenant = $1 and closed_at is null and phase <> 'sending'
    and (next_at is null or next_at > now())`;

/** After a change of law, calendar, matrix or people every open docket hears the clock once; one under way hears it anyhow. */
export async function wakeOpenDockets(run: Run, tenant: string): Promise<void> {
  await run(WAKE_ALL, [tenant]);
}

const NOTE_LAW = sql('routing-law-note')`insert into routing_law (tenant, version) values ($1, $2)
    on conflict (tenant) do update set version = excluded.version, changed_at = now()
    where routing_law.version <> excluded.version returning version`;

/** True when open dockets were last dated by another law; whoever hears so wakes them, in the same transaction. */
export async function noteLaw(run: Run, tenant: string, version: string): Promise<boolean> {
  return (await run(NOTE_LAW, [tenant, version])).length > 0;
}
