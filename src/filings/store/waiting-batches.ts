/** Batches that wait for somebody: for a second person, or for the one who prepared them. */
import { type BatchId, batchId, type Instant } from '../../core/index.ts';
import { optional, type Row, type Run, sql, text, when } from '../../postgres/index.ts';
import { AWAITS_APPROVAL } from './batches.ts';

interface WaitingBatch {
  readonly batch: BatchId;
  readonly source: string;
  readonly filings: number;
  readonly preparedBy: string;
  readonly preparedById: string;
  readonly since: Instant;
  /** Of the filing that is due first, with the lane by whose office it goes. */
  readonly due: Instant | undefined;
  readonly lane: string | undefined;
}

export interface BatchToApprove extends WaitingBatch {
  readonly kind: 'batch' | 'release';
  readonly proposedBy: string;
  readonly proposedById: string;
}

interface BatchComeBack extends WaitingBatch {
  readonly kind: 'refused' | 'held_back' | 'unfinished';
  /** Who sent it back, and why; undefined where its import did not finish. */
  readonly by: string | undefined;
  readonly reason: string | undefined;
}

/** More at once than anybody looks through; the first due come first. */
const BATCHES_MAX = 500;

const FIRST_DUE = `
left join lateral (
  select e.due, e.lane from envelope e join filing f on f.tenant = e.tenant and f.id = e.id
  where e.tenant = b.tenant and e.batch = b.id and not e.withdrawn and ${AWAITS_APPROVAL}
  order by e.due, e.id limit 1) d on true`;

const TO_APPROVE = sql('batches-to-approve')`
select p.kind, b.id, b.source, b.prepared_by as prepared_by_id, pb.name as prepared_by, p.proposed_by as proposed_by_id,
  pp.name as proposed_by, p.proposed_at as since, (p.terms::jsonb->>'count')::int as filings, d.due, d.lane
from proposal p
join batch b on b.tenant = p.tenant and b.id = p.subject::uuid
join person pb on pb.tenant = b.tenant and pb.id = b.prepared_by
join person pp on pp.tenant = p.tenant and pp.id = p.proposed_by
${FIRST_DUE}
where p.tenant = $1 and p.kind in ('batch', 'release') and p.state = 'open' and (p.terms::jsonb->>'count')::int > 0
order by d.due nulls last, b.id limit ${BATCHES_MAX}`;

// Frozen and not proposed: refused. Approved, and a part of it held back that is neither withdrawn nor proposed again.
const COME_BACK = sql('batches-come-back')`
select case b.state when 'frozen' then 'refused' when 'open' then 'unfinished' else 'held_back' end as kind,
  b.id, b.source, b.prepared_by as prepared_by_id, pb.name as prepared_by, d.due, d.lane,
  coalesce(h.at, q.decided_at, b.prepared_at) as since, coalesce(h.reason, q.decision_reason) as reason,
  coalesce(hp.name, qp.name) as by, coalesce(h.filings, b.count, (
    select count(*) from envelope e where e.tenant = b.tenant and e.batch = b.id and not e.withdrawn))::int as filings
from batch b
join person pb on pb.tenant = b.tenant and pb.id = b.prepared_by
left join lateral (
  select min(x.at) as at, min(x.reason) as reason, min(x.by_person::text)::uuid as by_person, count(*)::int as filings
  from held_back x join envelope e on e.tenant = x.tenant and e.id = x.filing and not e.withdrawn
  where b.state = 'approved' and x.tenant = b.tenant and x.batch = b.id and is_held_back(x.tenant, x.filing, x.batch)
  having count(*) > 0) h on true
left join person hp on hp.tenant = b.tenant and hp.id = h.by_person
left join lateral (
  select p.decided_at, p.decision_reason, p.decided_by from proposal p
  where b.state = 'frozen' and p.tenant = b.tenant and p.kind = 'batch' and p.subject = b.id::text
  order by p.n desc limit 1) q on true
left join person qp on qp.tenant = b.tenant and qp.id = q.decided_by
${FIRST_DUE}
where b.tenant = $1 and b.prepared_by = $2 and (b.state in ('open', 'frozen') or h.filings > 0)
  and not exists (select 1 from proposal p where p.tenant = b.tenant and p.kind in ('batch', 'release')
    and p.subject = b.id::text and p.state = 'open')
order by d.due nulls last, b.id limit ${BATCHES_MAX}`;

/** Those with an open proposal to send, the first due first. */
export async function batchesToApprove(
  run: Run,
  tenant: string,
): Promise<readonly BatchToApprove[]> {
  return (await run(TO_APPROVE, [tenant])).map((row) => ({
    ...waitingOf(row),
    kind: row['kind'] === 'release' ? 'release' : 'batch',
    proposedBy: text(row['proposed_by']),
    proposedById: text(row['proposed_by_id']),
  }));
}

/** What one person prepared and has to do something about. */
export async function batchesComeBack(
  run: Run,
  tenant: string,
  preparer: string,
): Promise<readonly BatchComeBack[]> {
  const rows = await run(COME_BACK, [tenant, preparer]);
  return rows
    .map((row) => ({
      ...waitingOf(row),
      // The statement gives no other.
      kind: row['kind'] as BatchComeBack['kind'],
      by: optional(row['by'], text),
      reason: optional(row['reason'], text),
    }))
    .filter(({ filings }) => filings > 0);
}

function waitingOf(row: Row): WaitingBatch {
  return {
    batch: batchId(text(row['id'])),
    source: text(row['source']),
    filings: Number(row['filings']),
    preparedBy: text(row['prepared_by']),
    preparedById: text(row['prepared_by_id']),
    since: when(row['since']),
    due: optional(row['due'], when),
    lane: optional(row['lane'], text),
  };
}
