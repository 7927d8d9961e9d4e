/**
 * Events on their way to whoever wants to hear of them: webhooks, and consumers inside the house. Taking an event, and
 * making the work that follows from it, is one statement: a crash leaves the event in the queue or all of that.
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
import { addWork } from '../../work/index.ts';
import { LANE_OF_WEBHOOK } from '../../lanes/index.ts';

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

/** Every event is for all who want to hear of it. */
const EVERYBODY = 'all';

/** Puts an event into the queue; call it in the transaction of the change that it speaks of. The tick does the same in SQL. */
export async function publishEvent(run: Run, tenant: string, event: NewEvent): Promise<void> {
  const { id, type, filing, data = {} } = event;
  const body = { type, data, ...(filing === undefined ? {} : { filing }) };
  await addWork(run, tenant, { id, kind: 'event', target: EVERYBODY, body });
}

// $1 tenant, $2 how many. An event that was taken is history and no work any more, so its row leaves the queue.
const TAKE = sql('event-take')`
with ${lockedOnce(
  'due',
  `select tenant, id from work
    where tenant = $1 and kind = 'event' and target = '${EVERYBODY}' and state = 'pending' order by next_at, id limit $2`,
)},
taken as (
  delete from work w using due where w.tenant = due.tenant and w.id = due.id
  returning w.tenant, w.id, w.body->>'type' as type, w.created_at as at, (w.body->>'filing')::uuid as filing, w.body->'data' as data),
numbered as (
  insert into event_head as h (tenant, last) select $1, count(*) from taken having count(*) > 0
  on conflict (tenant) do update set last = h.last + excluded.last
  returning h.last - (select count(*) from taken) as before),
kept as (
  insert into event (tenant, id, type, at, filing, n, data)
  select o.tenant, o.id, o.type, o.at, o.filing, (select before from numbered) + row_number() over (order by o.at, o.id),
    coalesce(o.data, '{}') ||
    case when e.id is null then '{}' else jsonb_build_object('filing', e.id, 'batch', e.batch, 'lane', e.lane,
      'jurisdiction', e.jurisdiction, 'entity_id', e.entity_id, 'filing_kind', e.filing_kind, 'period', e.period,
      'revision', e.revision, 'status', f.status, 'receipt', f.receipt,
      'due', to_char(e.due at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end
  from taken o
  left join envelope e on e.tenant = o.tenant and e.id = o.filing
  left join filing f on f.tenant = o.tenant and f.id = o.filing
  on conflict do nothing
  returning tenant, id, type),
heard as (
  select 'webhook' as kind, s.id::text as target, '{"origin":"event"}'::jsonb as body, k.tenant, k.id
  from kept k join subscription s on s.tenant = k.tenant and s.removed_at is null
    and (cardinality(s.types) = 0 or k.type = any (s.types))
    join ${LANE_OF_WEBHOOK} and l.open_from <= now()
  union all
  select 'consume', c.name, '{}', k.tenant, k.id
  from kept k join event_consumer c on c.tenant = k.tenant and (cardinality(c.types) = 0 or k.type = any (c.types))),
told as (
  insert into work (tenant, id, kind, target, body, event, dedup)
  select tenant, gen_random_uuid(), kind, target, body, id, kind || '/' || target || '/' || id from heard
  on conflict do nothing)
select count(*)::int as taken from taken`;

/** Takes events out of the queue and hands them on; several processes may do it at once. Returns how many. */
export async function takeEvents(session: Session, tenant: string, limit: number): Promise<number> {
  const [row] = await session.run(TAKE, [tenant, limit]);
  return Number(row?.['taken']);
}

const LIST = sql('event-list')`
select e.id, e.type, e.at, e.filing, e.data,
  (select count(*) from work w where w.tenant = e.tenant and w.event = e.id and w.kind = 'webhook')::int as notices,
  (select count(*) from work w where w.tenant = e.tenant and w.event = e.id and w.kind = 'webhook' and w.state = 'done')::int
    as sent
from event e where e.tenant = $1 and ($2::text is null or e.type = $2)
  and ($4::uuid is null or (e.at, e.id) < (select a.at, a.id from event a where a.tenant = $1 and a.id = $4))
order by e.at desc, e.id desc limit $3`;

const COUNT = sql('event-count')`
select count(*)::int as total from event where tenant = $1 and ($2::text is null or type = $2)`;

interface EventView extends DomainEvent {
  readonly notices: number;
  readonly sent: number;
}

export async function listEvents(
  session: Session,
  tenant: string,
  filter: { readonly type?: string; readonly limit: number; readonly after?: string },
): Promise<EventView[]> {
  const { type, limit, after } = filter;
  const rows = await session.run(LIST, [tenant, type ?? null, limit, after ?? null]);
  return rows.map((row) => ({
    ...eventOf(row),
    notices: Number(row['notices']),
    sent: Number(row['sent']),
  }));
}

const AFTER = sql('event-after')`
select n, id, type, at, filing, data from event where tenant = $1 and n > $2 order by n limit $3`;

const HEAD = sql('event-head')`select last from event_head where tenant = $1`;

/** In the order in which they were committed: nothing comes later before what was read. */
export async function eventsAfter(
  session: Session,
  tenant: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<(DomainEvent & { readonly n: number })[]> {
  const rows = await session.run(AFTER, [tenant, after, limit]);
  return rows.map((row) => ({ ...eventOf(row), n: Number(row['n']) }));
}

/** The number of the latest; 0 before the first. */
export async function lastEvent(session: Session, tenant: string): Promise<number> {
  const [row] = await session.run(HEAD, [tenant]);
  return Number(row?.['last'] ?? 0);
}

export async function countEvents(
  session: Session,
  tenant: string,
  type: string | undefined,
): Promise<number> {
  const [row] = await session.run(COUNT, [tenant, type ?? null]);
  return Number(row?.['total']);
}

const KEEP = sql('event-keep')`
insert into event (tenant, id, type, at, filing, data) values ($1, $2, $3, now(), null, $4)`;

/** An event for one receiver alone, which nobody else hears of. */
export async function keepEvent(run: Run, tenant: string, event: NewEvent): Promise<void> {
  await run(KEEP, [tenant, event.id, event.type, JSON.stringify(event.data ?? {})]);
}

const REGISTER = sql('consumer-register')`
insert into event_consumer (tenant, name, types) values ($1, $2, $3)
  on conflict (tenant, name) do update set types = excluded.types`;

/** Stored, so that every process hands events on to all consumers, also to those that it does not run itself. */
export async function registerConsumer(
  session: Session,
  tenant: string,
  consumer: { readonly name: string; readonly types: readonly string[] },
): Promise<void> {
  await session.run(REGISTER, [tenant, consumer.name, consumer.types]);
}

const FIND = sql('event-find')`
select id, type, at, filing, data from event where tenant = $1 and id = any ($2::uuid[])`;

export async function eventsOf(
  run: Run,
  tenant: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, DomainEvent>> {
  if (ids.length === 0) return new Map();
  const events = (await run(FIND, [tenant, ids])).map(eventOf);
  return new Map(events.map((event) => [event.id, event]));
}

function eventOf(row: Row): DomainEvent {
  return {
    id: text(row['id']),
    type: text(row['type']),
    at: when(row['at']),
    filing: optional(row['filing'], text),
    // Written only by this room, from an object.
    data: row['data'] as DomainEvent['data'],
  };
}
