/** Alerts: raised once for each reason, told again until somebody acknowledges them; and the figures of the digest. */
import type { LedgerFact, PersonId } from '../../core/index.ts';
import { ALERT, type Alert, alertOf, recordFact } from '../../ledger/index.ts';
import { type Run, type Session, sql, text } from '../../postgres/index.ts';
import { claimWork, recordWork } from '../../work/index.ts';

/** Claims alerts of which somebody must be told now; mark each with `markTold` in the same transaction. */
export async function dueAlerts(
  run: Run,
  tenant: string,
  limit: number,
  only?: string,
): Promise<Alert[]> {
  const works = await claimWork(run, { tenant, kind: 'alert', target: 'all', limit, only });
  const found = await findAlerts(
    { run },
    tenant,
    works.map(({ id }) => id),
  );
  const byId = new Map(found.map((alert) => [alert.id, alert]));
  return works.flatMap(({ id }) => byId.get(id) ?? []);
}

const QUIET = sql('alert-quiet-settled')`
update work w set state = 'dropped', next_at = null, ended_at = now() from alert a, docket d
  where w.tenant = $1 and w.kind = 'alert' and w.target = 'all' and w.state = 'pending' and w.next_at <= now()
    and a.tenant = w.tenant and a.id = w.id and a.kind in ('docket_manual', 'docket_manual_overdue')
    and d.tenant = a.tenant and d.id = a.docket and (d.phase = 'confirmed' or d.closed_at is not null)`;

/** Nobody is reminded that a docket needs somebody once somebody has it. The alert stays open for whoever reads the list. */
export async function quietSettledAlerts(run: Run, tenant: string): Promise<void> {
  await run(QUIET, [tenant]);
}

const EVER_RAISED = sql('alert-ever-raised')`
select distinct dedup from alert where tenant = $1 and dedup = any($2)`;

/** Of these keys, those under which an alert was raised before, acknowledged or not. */
export async function everRaised(
  run: Run,
  tenant: string,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set();
  const rows = await run(EVER_RAISED, [tenant, keys]);
  return new Set(rows.map((row) => text(row['dedup'])));
}

/** `againMs` undefined: nobody is told of it again. */
export async function markTold(
  run: Run,
  tenant: string,
  { id, told }: Pick<Alert, 'id' | 'told'>,
  againMs: number | undefined,
): Promise<void> {
  const work = { id, attempt: told };
  await recordWork(
    run,
    tenant,
    [work],
    againMs === undefined ? { state: 'done' } : { state: 'pending', again: againMs },
  );
}

const LIST_ALERTS = sql('alert-list')`
select ${ALERT} where a.tenant = $1 and ($2 or a.acknowledged_at is null)
  order by array_position(array['critical', 'warning', 'info'], a.severity), a.raised_at desc, a.id limit $3 offset $4`;

/** Rows per read; who may see which is asked after it. */
const PAGE = 200;

/** The most severe first. Read in pages, because who asks may not see all of them. */
export async function* alertPages(
  run: Run,
  tenant: string,
  filter: { readonly all: boolean },
): AsyncGenerator<readonly Alert[]> {
  for (let from = 0; ; from += PAGE) {
    const page = (await run(LIST_ALERTS, [tenant, filter.all, PAGE, from])).map(alertOf);
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
  }
}

/** The first of them, whoever may see them. */
export async function listAlerts(
  run: Run,
  tenant: string,
  filter: { readonly all: boolean; readonly limit: number },
): Promise<Alert[]> {
  return (await run(LIST_ALERTS, [tenant, filter.all, filter.limit, 0])).map(alertOf);
}

const FIND_ALERTS = sql('alert-find')`
select ${ALERT} where a.tenant = $1 and a.id = any ($2::uuid[])`;

export async function findAlerts(
  session: Pick<Session, 'run'>,
  tenant: string,
  ids: readonly string[],
): Promise<Alert[]> {
  return (await session.run(FIND_ALERTS, [tenant, ids])).map(alertOf);
}

const ACKNOWLEDGE = sql('alert-acknowledge')`
with acknowledged as (
  update alert set acknowledged_at = now(), acknowledged_by = $3, ver = ver + 1
  where tenant = $1 and id = $2 and acknowledged_at is null returning tenant, id, ver),
quiet as (
  update work w set state = 'dropped', next_at = null, ended_at = now()
  from acknowledged a where w.tenant = a.tenant and w.id = a.id and w.state = 'pending')
select ver from acknowledged`;

/** False when there is no such open alert. */
export async function acknowledgeAlert(
  session: Session,
  tenant: string,
  id: string,
  person: PersonId,
  fact: LedgerFact,
): Promise<boolean> {
  return session.transaction(async (run) => {
    const [row] = await run(ACKNOWLEDGE, [tenant, id, person]);
    if (row === undefined) return false;
    const subject = { kind: 'alert', id, ver: Number(row['ver']) };
    await recordFact(run, { tenant, boundary: 'access' }, subject, fact);
    return true;
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// Digest

export interface DigestFigures {
  /** The database's day in UTC, `YYYY-MM-DD`. */
  readonly day: string;
  readonly acceptedSinceYesterday: number;
  readonly open: number;
  readonly openWithinWeek: number;
  readonly late: number;
  readonly exceptions: number;
  readonly noticesFailedSinceYesterday: number;
}

const FIGURES = sql('digest-figures')`
select to_char(now() at time zone 'UTC', 'YYYY-MM-DD') as day,
  (select count(*) from event where tenant = $1 and type = 'COMPLIANCE_FILING_COMPLETE'
    and at > now() - interval '1 day')::int as accepted,
  f.open, f.soon, f.late, f.exceptions,
  (select count(*) from work where tenant = $1 and kind in ('webhook', 'mail') and state = 'failed' and docket is null
    and created_at > now() - interval '5 days' and ended_at > now() - interval '1 day')::int as notices_failed
from (
  select count(*) filter (where status in ('pending', 'submitted'))::int as open,
    count(*) filter (where status in ('pending', 'submitted') and last_safe between now() and now() + interval '7 days')::int as soon,
    count(*) filter (where status <> 'accepted' and last_safe < now())::int as late,
    count(*) filter (where status in ('rejected', 'fallout'))::int as exceptions
  from filing where tenant = $1 and status <> 'accepted' and verdict is distinct from 'withdrawn') f`;

export async function digestFigures(run: Run, tenant: string): Promise<DigestFigures> {
  const [row] = await run(FIGURES, [tenant]);
  return {
    day: text(row?.['day']),
    acceptedSinceYesterday: Number(row?.['accepted']),
    open: Number(row?.['open']),
    openWithinWeek: Number(row?.['soon']),
    late: Number(row?.['late']),
    exceptions: Number(row?.['exceptions']),
    noticesFailedSinceYesterday: Number(row?.['notices_failed']),
  };
}
