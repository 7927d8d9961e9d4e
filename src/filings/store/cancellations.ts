/**
 * Stopping a batch that two people have approved: the first takes back at once what nobody has claimed, so that no worker can race
 * the decision; the second agrees that it is withdrawn for good, or refuses, and then it waits for a new approval.
 */
import type { PersonActor } from '../../access/index.ts';
import {
  type BatchId,
  FilewrightError,
  newFact,
  notFound,
  ruledOut,
  termText,
} from '../../core/index.ts';
import { recordFact } from '../../ledger/index.ts';
import { approveChangeIn, proposeChangeIn } from '../../people/index.ts';
import { type Run, sql, text } from '../../postgres/index.ts';
import { type ChangeDeps, recordCancelled } from './batch-changes.ts';
import { batchHash, IS_UNCLAIMED } from './intake-store.ts';
import { leftIn, withdrawAll } from './withdrawals.ts';

const LOCK = sql('batch-cancel-lock')`
select state from batch where tenant = $1 and id = $2 for update`;

// A claim that is under way has the row, and after it the filing is no longer one of these.
const STOP = sql('batch-stop')`
with ended as materialized (
  select f.id, f.lane from envelope e join filing f on f.tenant = e.tenant and f.id = e.id
  where e.tenant = $1 and e.batch = $2 and f.status = 'pending' and f.attempt = 0 and f.holder is null
    and f.next_at is not null and f.step->>'action' = 'send'
  order by f.id for update of f),
out as (
  update filing f set next_at = null, profile_n = null, approved_until = null from ended
  where f.tenant = $1 and f.id = ended.id and f.attempt = 0 and f.next_at is not null
  returning f.id)
insert into approval_void (tenant, batch, lane, n, cause, filings)
select $1, $2, g.lane, 1 + (select coalesce(max(v.n), 0) from approval_void v
  where v.tenant = $1 and v.batch = $2 and v.lane = g.lane), 'stopped', g.filings
from (select lane, count(*)::int as filings from ended where id in (select id from out) group by lane) g
returning lane, n, filings`;

export interface Stopped {
  readonly count: number;
  /** Over those that were stopped. */
  readonly filings: string;
  /** Of the proposal. */
  readonly sha256: string;
  /** Of the batch, claimed already: too late for them. */
  readonly claimed: number;
}

export async function stopBatch(
  run: Run,
  app: ChangeDeps,
  input: { readonly batch: BatchId; readonly by: PersonActor; readonly reason: string },
): Promise<Stopped> {
  const { tenant, ids } = app;
  const { batch, by, reason } = input;
  await lockApproved(run, tenant, batch);
  for (const row of await run(STOP, [tenant, batch])) {
    const [lane, filings] = [text(row['lane']), Number(row['filings'])];
    const actor = { kind: 'system', id: 'approvals' } as const;
    const data = { batch, lane, cause: 'stopped', filings };
    const subject = { kind: 'approval', id: `${batch}/${lane}`, ver: Number(row['n']) };
    const fact = newFact(ids, 'approval.voided', actor, data);
    await recordFact(run, { tenant, boundary: 'access' }, subject, fact);
  }
  const { count, sha256: filings } = await batchHash(run, tenant, batch, IS_UNCLAIMED);
  if (count === 0) {
    throw ruledOut(
      `Every filing of batch ${batch} was claimed already, so nothing of it can be stopped; see filing list --batch ${batch}`,
    );
  }
  const terms = { count, sha256: filings };
  const change = { kind: 'cancel', subject: batch, terms, reason } as const;
  const { sha256 } = await proposeChangeIn(run, app, by, change);
  return { count, filings, sha256, claimed: (await leftIn(run, tenant, batch)) - count };
}

/** The second person. Returns how many were withdrawn, and whether anything of the batch is left. */
export async function cancelStopped(
  run: Run,
  app: ChangeDeps,
  input: { readonly batch: BatchId; readonly by: PersonActor; readonly sha256: string },
): Promise<{ readonly withdrawn: number; readonly left: number }> {
  const { tenant } = app;
  const { batch, by, sha256 } = input;
  await lockApproved(run, tenant, batch);
  const approval = { kind: 'cancel', subject: batch, sha256 } as const;
  const proposal = await approveChangeIn(run, app, by, approval);
  const now = await batchHash(run, tenant, batch, IS_UNCLAIMED);
  if (now.sha256 !== termText(proposal.terms, 'sha256')) {
    throw new FilewrightError(
      'PROPOSAL_STALE',
      `The filings of batch ${batch} that wait are no longer those that were stopped; refuse it, and stop the batch again`,
    );
  }
  const { reason, id } = proposal;
  const withdrawn = await withdrawAll(run, app, batch, { by, reason, proposal: id });
  const left = await leftIn(run, tenant, batch);
  if (left === 0) await recordCancelled(run, app, { batch, by, reason, withdrawn, proposal: id });
  return { withdrawn, left };
}

async function lockApproved(run: Run, tenant: string, batch: BatchId): Promise<void> {
  const [row] = await run(LOCK, [tenant, batch]);
  if (row === undefined) throw notFound(`No batch has the id ${batch}; see batch list`);
  if (row['state'] === 'approved') return;
  throw ruledOut(
    `Batch ${batch} is ${text(row['state'])}, not approved; its preparer cancels it alone`,
  );
}
