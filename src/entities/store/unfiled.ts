/** What is owed and has no filing: no queue shows it, so somebody has to be told. */
import { type Row, type Run, sql, text, when } from '../../postgres/index.ts';

export interface UnfiledGroup {
  readonly jurisdiction: string;
  readonly due: string;
  readonly obligations: number;
  /** When the first of them is late: at the portal's last open minute, or with the end of the day in UTC. */
  readonly lateAt: number;
}

/** One look; with more groups than this the most urgent are enough to act on. */
const GROUPS_MAX = 1_000;

const UNFILED = sql('obligation-unfiled')`
select o.jurisdiction, o.due::text as due, count(*) as obligations,
  min(least(o.cutoff, (o.due + 1)::timestamp at time zone 'UTC')) as late_at
from obligation o
where o.tenant = $1 and o.state = 'open'
  and least(o.cutoff, (o.due + 1)::timestamp at time zone 'UTC') < $2
  and not exists (select 1 from envelope e where e.tenant = o.tenant and e.obligation = o.id and not e.withdrawn)
group by o.jurisdiction, o.due
order by late_at, o.jurisdiction limit ${GROUPS_MAX}`;

// Each with its lowest threshold, against the one under which somebody was told of it. A due day that was moved is told
// of anew, so the day is part of what is remembered.
const OPEN = `
with open as (
  select o.jurisdiction, o.due, o.id || '/' || o.due::text as subject,
    least(o.cutoff, (o.due + 1)::timestamp at time zone 'UTC') as late_at
  from obligation o
  where o.tenant = $1 and o.state = 'open' and o.due is not null
    and not exists (select 1 from envelope e where e.tenant = o.tenant and e.obligation = o.id and not e.withdrawn)),
bounded as (
  select open.*, (select min(bound) from unnest($3::bigint[]) bound
    where extract(epoch from late_at - $2::timestamptz) * 1000 <= bound) as bound
  from open)`;

const NEWS = sql('obligation-unfiled-news')`${OPEN}
select b.jurisdiction, b.due::text as due, count(*) as obligations, min(b.late_at) as late_at,
  min(b.bound) filter (where w.subject is null or w.threshold_ms > b.bound) as threshold_ms
from bounded b
left join warned w on w.tenant = $1 and w.kind = 'unfiled' and w.subject = b.subject
where b.bound is not null
group by b.jurisdiction, b.due
having bool_or(w.subject is null or w.threshold_ms > b.bound)
order by late_at, b.jurisdiction limit ${GROUPS_MAX}`;

const REMEMBER = sql('obligation-unfiled-remember')`${OPEN}
insert into warned (tenant, kind, subject, threshold_ms)
select $1, 'unfiled', subject, bound from bounded
where bound is not null and jurisdiction = $4 and due = $5::date
on conflict (tenant, kind, subject) do update set threshold_ms = least(warned.threshold_ms, excluded.threshold_ms)`;

export interface UnfiledNews extends UnfiledGroup {
  /** The lowest threshold under which one of them has fallen, of which nobody was told under it. */
  readonly thresholdMs: number;
}

interface UnfiledLook {
  readonly now: number;
  readonly thresholdsMs: readonly number[];
}

/** Groups in which there is something of which nobody was told, the most urgent first. */
export async function unfiledNews(
  run: Run,
  tenant: string,
  look: UnfiledLook,
): Promise<readonly UnfiledNews[]> {
  const rows = await run(NEWS, [tenant, new Date(look.now).toISOString(), look.thresholdsMs]);
  return rows.map((row) => ({ ...groupOf(row), thresholdMs: Number(row['threshold_ms']) }));
}

/** Somebody was told of a group, as it stood at that look. */
export async function rememberUnfiled(
  run: Run,
  tenant: string,
  look: UnfiledLook,
  { jurisdiction, due }: Pick<UnfiledGroup, 'jurisdiction' | 'due'>,
): Promise<void> {
  const at = new Date(look.now).toISOString();
  await run(REMEMBER, [tenant, at, look.thresholdsMs, jurisdiction, due]);
}

/** Open obligations that are late before the moment and have no filing, by jurisdiction and due day. */
export async function unfiledBefore(
  run: Run,
  tenant: string,
  before: number,
): Promise<readonly UnfiledGroup[]> {
  const rows = await run(UNFILED, [tenant, new Date(before).toISOString()]);
  return rows.map(groupOf);
}

function groupOf(row: Row): UnfiledGroup {
  return {
    jurisdiction: text(row['jurisdiction']),
    due: text(row['due']),
    obligations: Number(row['obligations']),
    lateAt: when(row['late_at']),
  };
}
