/**
 * Events out of the outbox, and the consumers inside the house. Taking an event, and making its notices and
 * consumptions, is one statement: a crash leaves the event in the outbox or everything that follows from it.
 */
import type { Instant, JsonValue } from '../../core/index.ts';
import {
  lockedOnce,
  optional,
  type Row,
  type Session,
  type Statement,
  text,
  when,
} from '../../postgres/index.ts';

/** Something that happened, as it is told to others: ids, status and dates, never payload data. */
export interface DomainEvent {
  readonly id: string;
  readonly type: string;
  readonly at: Instant;
  readonly filing: string | undefined;
  readonly data: Readonly<Record<string, JsonValue>>;
}

/** What an event is when somebody publishes it; the tick writes its own. */
interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly filing?: string;
  readonly data?: Readonly<Record<string, JsonValue>>;
}

type Run = Session['run'];

const PUBLISH: Statement = {
  name: 'event-publish',
  text: `insert into outbox_event (tenant, id, type, filing, at, data) values ($1, $2, $3, $4, now(), $5)
    on conflict do nothing`,
};

/** Puts an event into the outbox; call it in the transaction of the change that it speaks of. */
export async function publishEvent(run: Run, tenant: string, event: NewEvent): Promise<void> {
  await run(PUBLISH, [
    tenant,
    event.id,
    event.type,
    event.filing ?? null,
    JSON.stringify(event.data ?? {}),
  ]);
}

// $1 tenant, $2 how many. The outbox holds only what nobody has taken, so its primary key is index enough.
const TAKE: Statement = {
  name: 'outbox-take',
  text: `
with ${lockedOnce('due', `select tenant, id from outbox_event where tenant = $1 order by id limit $2`)},
taken as (
  delete from outbox_event o using due
  where o.tenant = due.tenant and o.id = due.id
  returning o.tenant, o.id, o.type, o.at, o.filing, o.data),
kept as (
  insert into event (tenant, id, type, at, filing, data)
  select o.tenant, o.id, o.type, o.at, o.filing, coalesce(o.data, '{}') ||
    case when e.id is null then '{}' else jsonb_build_object('filing', e.id, 'batch', e.batch, 'lane', e.lane,
      'jurisdiction', e.jurisdiction, 'entity_id', e.entity_id, 'filing_kind', e.filing_kind, 'period', e.period,
      'revision', e.revision, 'status', f.status, 'receipt', f.receipt,
      'due', to_char(e.due at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end
  from taken o
  left join envelope e on e.tenant = o.tenant and e.id = o.filing
  left join filing f on f.tenant = o.tenant and f.id = o.filing
  on conflict do nothing
  returning tenant, id, type),
notices as (
  insert into notice (tenant, id, channel, target, origin, event, subscription, dedup, next_at)
  select k.tenant, gen_random_uuid(), 'webhook', s.id::text, 'event', k.id, s.id, 'webhook/' || s.id || '/' || k.id, now()
  from kept k join subscription s on s.tenant = k.tenant and s.disabled_at is null and s.removed_at is null
    and (cardinality(s.types) = 0 or k.type = any (s.types))
  on conflict do nothing),
consumptions as (
  insert into event_consumption (tenant, consumer, event)
  select k.tenant, c.name, k.id
  from kept k join event_consumer c on c.tenant = k.tenant and (cardinality(c.types) = 0 or k.type = any (c.types))
  on conflict do nothing)
select count(*)::int as taken from taken`,
};

/** Moves events out of the outbox and fans them out; several processes may do it at once. Returns how many. */
export async function takeEvents(session: Session, tenant: string, limit: number): Promise<number> {
  const [row] = await session.run(TAKE, [tenant, limit]);
  return Number(row?.['taken']);
}

const LIST: Statement = {
  name: 'event-list',
  text: `
select e.id, e.type, e.at, e.filing, e.data,
  (select count(*) from notice n where n.tenant = e.tenant and n.event = e.id)::int as notices,
  (select count(*) from notice n where n.tenant = e.tenant and n.event = e.id and n.state = 'sent')::int as sent
from event e where e.tenant = $1 and ($2::text is null or e.type = $2) order by e.at desc, e.id desc limit $3`,
};

interface EventView extends DomainEvent {
  readonly notices: number;
  readonly sent: number;
}

export async function listEvents(
  session: Session,
  tenant: string,
  filter: { readonly type?: string; readonly limit: number },
): Promise<EventView[]> {
  const rows = await session.run(LIST, [tenant, filter.type ?? null, filter.limit]);
  return rows.map((row) => ({
    ...eventOf(row),
    notices: Number(row['notices']),
    sent: Number(row['sent']),
  }));
}

const KEEP: Statement = {
  name: 'event-keep',
  text: `insert into event (tenant, id, type, at, filing, data) values ($1, $2, $3, now(), null, $4)`,
};

/** An event for one receiver alone, which nobody else hears of. */
export async function keepEvent(run: Run, tenant: string, event: NewEvent): Promise<void> {
  await run(KEEP, [tenant, event.id, event.type, JSON.stringify(event.data ?? {})]);
}

// ---------------------------------------------------------------------------------------------------------------------
// Consumers

const REGISTER: Statement = {
  name: 'consumer-register',
  text: `insert into event_consumer (tenant, name, types) values ($1, $2, $3)
    on conflict (tenant, name) do update set types = excluded.types`,
};

/** Stored, so that every process makes consumptions for all consumers, also for those that it does not run itself. */
export async function registerConsumer(
  session: Session,
  tenant: string,
  consumer: { readonly name: string; readonly types: readonly string[] },
): Promise<void> {
  await session.run(REGISTER, [tenant, consumer.name, consumer.types]);
}

const DUE: Statement = {
  name: 'consumption-due',
  text: `
select e.id, e.type, e.at, e.filing, e.data, c.attempts
from event_consumption c join event e on e.tenant = c.tenant and e.id = c.event
where c.tenant = $1 and c.consumer = $2 and c.state = 'pending' and c.next_at <= now()
order by c.next_at, c.event limit $3 for update of c skip locked`,
};

const DONE: Statement = {
  name: 'consumption-done',
  text: `update event_consumption set state = 'done', next_at = null, ended_at = now(), code = null, attempts = attempts + 1
    where tenant = $1 and consumer = $2 and event = any ($3::uuid[]) and state = 'pending'`,
};

const FAILED: Statement = {
  name: 'consumption-failed',
  text: `update event_consumption set attempts = attempts + 1, code = $4,
      state = case when $5::float8 is null then 'failed' else 'pending' end,
      next_at = now() + $5::float8 * interval '1 millisecond', ended_at = case when $5::float8 is null then now() end
    where tenant = $1 and consumer = $2 and event = $3 and state = 'pending'`,
};

interface DueEvent {
  readonly event: DomainEvent;
  /** Earlier tries that failed. */
  readonly attempts: number;
}

/**
 * Hands due events to `work` in one transaction with their mark as consumed: an event counts as consumed exactly when
 * what the consumer wrote through `run` is committed. Returns how many; when `work` throws, nothing has happened.
 */
export async function consumeDue(
  session: Session,
  where: { readonly tenant: string; readonly consumer: string; readonly limit: number },
  work: (due: readonly DueEvent[], run: Run) => Promise<void>,
): Promise<number> {
  return session.transaction(async (run) => {
    const rows = await run(DUE, [where.tenant, where.consumer, where.limit]);
    if (rows.length === 0) return 0;
    const due = rows.map((row) => ({ event: eventOf(row), attempts: Number(row['attempts']) }));
    await work(due, run);
    await run(DONE, [where.tenant, where.consumer, due.map(({ event }) => event.id)]);
    return due.length;
  });
}

/** `delayMs` undefined: it is given up. */
export async function recordConsumptionFailure(
  session: Session,
  where: { readonly tenant: string; readonly consumer: string; readonly event: string },
  failure: { readonly code: string; readonly delayMs: number | undefined },
): Promise<void> {
  await session.run(FAILED, [
    where.tenant,
    where.consumer,
    where.event,
    failure.code,
    failure.delayMs ?? null,
  ]);
}

// ---------------------------------------------------------------------------------------------------------------------
// Waking the job runner

const JOBS_SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * Adds a job for every target that has something due. A job that waits or runs is left alone; one that has failed, or
 * whose lock is older than any of ours can get, died with its process and is replaced.
 */
export async function wakeTargets(
  session: Session,
  input: {
    readonly tenant: string;
    readonly jobsSchema: string;
    readonly sendTask: string;
    readonly consumeTask: string;
    /** Those that this process runs. */
    readonly consumers: readonly string[];
    readonly staleMs: number;
  },
): Promise<number> {
  const schema = input.jobsSchema;
  // The one splice; jobs/ makes the name from the schema that Session has checked.
  if (!JOBS_SCHEMA.test(schema)) throw new TypeError(`not a schema name: ${schema}`);
  const rows = await session.run(
    {
      name: `wake-${schema}`.slice(0, 63),
      text: `
with target as (
  select $2::text as task, 'send' as kind, t.target as name
  from (select id::text as target from subscription where tenant = $1 union all select 'mail') t
  where exists (select 1 from notice n where n.tenant = $1 and n.target = t.target and n.state = 'pending'
    and n.next_at <= now() and (n.claimed_until is null or n.claimed_until < now()))
  union all
  select $3::text, 'consume', c.name from event_consumer c
  where c.tenant = $1 and c.name = any ($5::text[]) and exists (
    select 1 from event_consumption e where e.tenant = $1 and e.consumer = c.name and e.state = 'pending' and e.next_at <= now())),
wanted as (
  select task, name, $1 || '/' || kind || '/' || name as key from target)
select ${schema}.add_job(w.task, json_build_object('target', w.name), job_key => w.key, max_attempts => 1)
from wanted w
where not exists (select 1 from ${schema}.jobs j where j.key = w.key and j.task_identifier = w.task
  and (j.locked_at > now() - $4 * interval '1 millisecond' or (j.locked_at is null and j.attempts < j.max_attempts)))`,
    },
    [input.tenant, input.sendTask, input.consumeTask, input.staleMs, input.consumers],
  );
  return rows.length;
}

export function eventOf(row: Row): DomainEvent {
  return {
    id: text(row['id']),
    type: text(row['type']),
    at: when(row['at']),
    filing: optional(row['filing'], text),
    // Written only by this room, from an object.
    data: row['data'] as DomainEvent['data'],
  };
}
