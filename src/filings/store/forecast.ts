/** What a forecast is made of: everything that is still owed, and how long each lane has taken lately. Reads only. */
import type { BacklogFiling } from '../rules/forecast.ts';
import { instant, toRfc3339 } from '../../core/index.ts';
import { type Row, type Run, sql, text, when } from '../../postgres/index.ts';

/** Rows in one answer: enough to be quick, and all that the watch holds of a backlog at a time. */
const PAGE_MAX = 2_000;
/** Fewer requests say nothing about the next thousand; then the profile's figure stands. */
const MEASURED_MIN = 20;

/** Of a filing f: open, or an exception that nobody has closed. The first part is for the index of open filings. */
export const IS_OWED = `f.status <> 'accepted' and (f.status in ('pending', 'submitted') or exists (
    select 1 from exception x where x.tenant = f.tenant and x.filing = f.id and x.n = f.exceptions and x.closed_at is null))`;

// In the order of claims, which never changes for a filing: pages neither overlap nor leave gaps while workers change rows.
const BACKLOG = sql('forecast-backlog')`
select f.id, f.lane, e.batch, f.last_safe, e.not_before, f.next_at, f.status, f.holder is not null as held,
  b.state = 'approved' as approved
from filing f join envelope e on e.tenant = f.tenant and e.id = f.id
join batch b on b.tenant = e.tenant and b.id = e.batch
where f.tenant = $1 and f.lane = $2 and (f.last_safe, f.id) > ($3, $4) and ${IS_OWED}
order by f.last_safe, f.id limit $5`;

const IN_FLIGHT = sql('forecast-in-flight')`
select lane, count(*)::int as n from filing where tenant = $1 and holder is not null group by lane
union all
select f.lane, count(*)::int from taking t join filing f on f.tenant = t.tenant and f.id = t.filing
where t.tenant = $1 and t.ended_at is null group by f.lane`;

const LANES_OF = sql('forecast-lanes-of')`
select distinct f.lane from envelope e join filing f on f.tenant = e.tenant and f.id = e.id
where e.tenant = $1 and ($2::uuid is null or e.batch = $2) and ($3::timestamptz is null or e.due < $3)
  and f.status <> 'accepted'`;

const DUE_BEFORE = sql('forecast-due-before')`
select f.id from envelope e join filing f on f.tenant = e.tenant and f.id = e.id
where e.tenant = $1 and e.due < $2 and f.status in ('pending', 'submitted') and f.id > $3
order by f.id limit $4`;

// An intent may be committed while its slot is still busy with another filing, so the time from intent to outcome is
// never too short; and the time between outcomes, times the ceiling, is too long whenever a slot was idle. The smaller
// of the two is the nearer one. Gaps longer than any request took are pauses, not work. Row by row (offset 0), because a
// join of whole tables would read all that was ever filed for the requests of a week.
const MEASURED = sql('forecast-measured')`
with done as (
  select f.lane, o.filing, o.at, extract(epoch from o.at - a.intent_at) * 1000 as latency_ms,
    extract(epoch from o.at - lag(o.at) over (partition by f.lane order by o.at)) * 1000 as gap_ms
  from outcome o
  cross join lateral (
    select intent_at from attempt where tenant = o.tenant and filing = o.filing and no = o.no offset 0) a
  cross join lateral (select lane from filing where tenant = o.tenant and id = o.filing offset 0) f
  where o.tenant = $1 and o.counted and o.at > now() - interval '7 days'
    and o.verdict in ('accepted', 'received', 'rejected', 'conflict', 'status_accepted', 'status_processing')
    and ($2::text[] is null or f.lane = any ($2))),
longest as (select lane, max(latency_ms) as ms from done group by lane)
select d.lane, count(*)::int as requests, count(distinct d.filing)::int as filings,
  percentile_cont(0.5) within group (order by d.latency_ms) as latency_ms,
  avg(d.gap_ms) filter (where d.gap_ms <= l.ms) as gap_ms
from done d join longest l on l.lane = d.lane group by d.lane`;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Every filing that is still owed on a lane, in the order of claims. */
export async function* backlogPages(
  run: Run,
  tenant: string,
  lane: string,
): AsyncGenerator<readonly BacklogFiling[]> {
  let after: readonly [string, string] = ['-infinity', FIRST_ID];
  for (;;) {
    const page = (await run(BACKLOG, [tenant, lane, ...after, PAGE_MAX])).map(backlogOf);
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_MAX) return;
    after = [toRfc3339(last.lastSafe), last.id];
  }
}

/** By lane: how many filings are in somebody's hands. */
export async function filingsInFlight(
  run: Run,
  tenant: string,
): Promise<ReadonlyMap<string, number>> {
  const rows = await run(IN_FLIGHT, [tenant]);
  return new Map(rows.map((row) => [text(row['lane']), Number(row['n'])]));
}

/** The lanes on which something of a batch, or due before a moment, is not accepted yet. */
export async function lanesOwing(
  run: Run,
  tenant: string,
  what: { readonly batch?: string; readonly dueBefore?: number },
): Promise<readonly string[]> {
  const dueBefore = what.dueBefore === undefined ? null : toRfc3339(instant(what.dueBefore));
  const rows = await run(LANES_OF, [tenant, what.batch ?? null, dueBefore]);
  return rows.map((row) => text(row['lane']));
}

/** Ids of open filings that are due before a moment. */
export async function filingsDueBefore(
  run: Run,
  tenant: string,
  moment: number,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  let after = FIRST_ID;
  for (;;) {
    const values = [tenant, toRfc3339(instant(moment)), after, PAGE_MAX];
    const rows = await run(DUE_BEFORE, values);
    for (const row of rows) ids.add(text(row['id']));
    if (rows.length < PAGE_MAX) return ids;
    after = text(rows.at(-1)?.['id']);
  }
}

/** How long one filing keeps a slot busy, in milliseconds, on the lanes where enough is known of the last week. */
export async function measuredServiceMs(
  run: Run,
  tenant: string,
  ceilings: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  const rows = await run(MEASURED, [tenant, [...ceilings.keys()]]);
  const measured = new Map<string, number>();
  for (const row of rows) {
    const lane = text(row['lane']);
    const requests = Number(row['requests']);
    if (requests < MEASURED_MIN) continue;
    const latencyMs = Number(row['latency_ms']);
    const gapMs = row['gap_ms'] === null ? Number.POSITIVE_INFINITY : Number(row['gap_ms']);
    const requestMs = Math.min(latencyMs, gapMs * (ceilings.get(lane) ?? 1));
    measured.set(lane, Math.max(1, Math.round((requestMs * requests) / Number(row['filings']))));
  }
  return measured;
}

function backlogOf(row: Row): BacklogFiling {
  const notBefore = Number(row['not_before']);
  const nextAt = row['next_at'] === null ? notBefore : Number(row['next_at']);
  return {
    id: text(row['id']),
    lane: text(row['lane']),
    batch: text(row['batch']),
    lastSafe: when(row['last_safe']),
    readyAt: instant(row['approved'] === true ? nextAt : notBefore),
    state: stateOf(row),
  };
}

function stateOf(row: Row): BacklogFiling['state'] {
  if (row['status'] === 'rejected' || row['status'] === 'fallout') return 'person';
  if (row['held'] === true) return 'in_flight';
  return row['approved'] === true ? 'queued' : 'approval';
}
