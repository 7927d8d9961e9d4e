/**
 * Approvals that end: the profile of the lane is another one than two people approved, or the time is over. The filings leave the
 * queue and wait for a new approval; the claim itself (tick.ts) would not take them either.
 */
import { type BatchId, batchId, type Ids, newFact } from '../../core/index.ts';
import { recordFact } from '../../ledger/index.ts';
import { hex, optional, type Run, sql, text } from '../../postgres/index.ts';

export interface VoidedApproval {
  readonly batch: BatchId;
  readonly lane: string;
  readonly cause: 'profile' | 'expired' | 'stopped';
  readonly filings: number;
  readonly profileSha256: string | undefined;
}

// $2 a lane, or null for all. Questions go on: they carry no payload, and the new profile may be what lets them be answered.
const VOID = sql('approval-void')`
with ended as materialized (
  select f.id, f.lane, e.batch, f.profile_n is distinct from l.profile_n as is_moved from lane l
  join filing f on f.tenant = l.tenant and f.lane = l.code
  join envelope e on e.tenant = f.tenant and e.id = f.id
  where l.tenant = $1 and ($2::text is null or l.code = $2) and l.profile is not null
    and f.next_at is not null and f.step->>'action' in ('send', 'resend')
    and (f.profile_n is distinct from l.profile_n
      or (f.step->>'action' = 'send' and coalesce(f.approved_until <= now(), true)))
  order by f.id for update of f),
out as (
  update filing f set next_at = null, profile_n = null, approved_until = null from ended
  where f.tenant = $1 and f.id = ended.id
  returning f.id),
voided as (
  insert into approval_void (tenant, batch, lane, n, cause, filings)
  select $1, g.batch, g.lane, 1 + (select coalesce(max(v.n), 0) from approval_void v
    where v.tenant = $1 and v.batch = g.batch and v.lane = g.lane), case when g.is_moved then 'profile' else 'expired' end, g.filings
  from (
    select batch, lane, bool_or(is_moved) as is_moved, count(*)::int as filings
    from ended where id in (select id from out) group by batch, lane) g
  returning batch, lane, n, cause, filings)
select v.batch, v.lane, v.n, v.cause, v.filings, l.profile_sha256
from voided v join lane l on l.tenant = $1 and l.code = v.lane order by v.batch, v.lane`;

export async function voidApprovals(
  run: Run,
  deps: { readonly tenant: string; readonly ids: Ids },
  lane?: string,
): Promise<readonly VoidedApproval[]> {
  const { tenant, ids } = deps;
  const found: VoidedApproval[] = [];
  for (const row of await run(VOID, [tenant, lane ?? null])) {
    const one: VoidedApproval = {
      batch: batchId(text(row['batch'])),
      lane: text(row['lane']),
      // A check constraint holds the column to these words.
      cause: row['cause'] as VoidedApproval['cause'],
      filings: Number(row['filings']),
      profileSha256: optional(row['profile_sha256'], hex),
    };
    const { batch, cause, filings, profileSha256 } = one;
    const fact = newFact(
      ids,
      'approval.voided',
      { kind: 'system', id: 'approvals' },
      {
        batch,
        lane: one.lane,
        cause,
        filings,
        ...(profileSha256 === undefined ? {} : { profile_sha256: profileSha256 }),
      },
    );
    const subject = { kind: 'approval', id: `${batch}/${one.lane}`, ver: Number(row['n']) };
    await recordFact(run, { tenant, boundary: 'access' }, subject, fact);
    found.push(one);
  }
  return found;
}
