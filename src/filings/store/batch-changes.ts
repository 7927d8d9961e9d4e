/**
 * What its preparer changes of a batch before anybody has approved it: filings withdrawn, corrected ones put in their place, or all
 * of it undone. Each is one transaction: what was proposed ends, the batch is open only inside of it, and is frozen and proposed
 * anew. A crash leaves the batch as it was before or as it is after; an approval of the former hash finds nothing to approve.
 */
import type { PersonActor } from '../../access/index.ts';
import {
  type BatchId,
  type FilingId,
  type Ids,
  type NewFiling,
  notFound,
  ruledOut,
  userFact,
} from '../../core/index.ts';
import { recordFact } from '../../ledger/index.ts';
import { proposeChangeIn, refuseChangeIn, refusedByRule } from '../../people/index.ts';
import { hex, type Run, type Session, sql, text } from '../../postgres/index.ts';
import { proposedLanes } from './destinations.ts';
import { batchDestinations, batchHash, FREEZE, insertFilings } from './intake-store.ts';
import { leftIn, withdrawAll, withdrawFilings } from './withdrawals.ts';

const LOCK = sql('batch-change-lock')`
select b.state, b.prepared_by, b.sha256, p.name from batch b
join person p on p.tenant = b.tenant and p.id = b.prepared_by
where b.tenant = $1 and b.id = $2 for update of b`;

const REOPEN = sql('batch-reopen')`
update batch set state = 'open', count = null, sha256 = null where tenant = $1 and id = $2`;

const CANCEL = sql('batch-cancel')`
update batch set state = 'cancelled', ver = ver + 1 where tenant = $1 and id = $2 returning ver`;

/** Of the entry of an approval, the only one before about a batch in its log. */
const APPROVED_VER = 1;

export interface ChangeDeps {
  readonly session: Session;
  readonly tenant: string;
  readonly ids: Ids;
}

interface BatchChange {
  readonly batch: BatchId;
  readonly by: PersonActor;
  readonly reason: string;
  /** Each with the filing in its place, where there is one. */
  readonly filings: readonly { readonly id: FilingId; readonly replacedBy?: NewFiling }[];
  /** In the same transaction, with the filings that are new. */
  readonly onAdmitted?: (run: Run, filings: readonly NewFiling['envelope'][]) => Promise<void>;
}

export type ChangedBatch =
  | { readonly state: 'frozen'; readonly count: number; readonly sha256: string }
  | { readonly state: 'cancelled'; readonly withdrawn: number };

/** Withdraws filings or puts others in their place. What nothing is left of is cancelled. */
export async function changeBatch(app: ChangeDeps, change: BatchChange): Promise<ChangedBatch> {
  const { tenant } = app;
  const { batch, by, reason, filings } = change;
  return app.session.transaction(async (run) => {
    const former = await takeBack(run, app, change);
    if (former === undefined) {
      throw ruledOut(
        `The import of batch ${batch} did not finish; continue it with --resume ${batch}, or undo it with batch cancel`,
      );
    }
    const added = filings.flatMap(({ replacedBy }) =>
      replacedBy === undefined ? [] : [replacedBy],
    );
    const out = filings.map(({ id, replacedBy }) => ({
      id,
      ...(replacedBy === undefined ? {} : { replacedBy: replacedBy.envelope.id }),
    }));
    await withdrawFilings(run, app, out, { by, reason });
    const fresh = await insertFilings(run, tenant, added);
    if (fresh.size !== added.length) {
      throw ruledOut('A corrected filing has the obligation of another filing that exists');
    }
    await change.onAdmitted?.(
      run,
      added.map(({ envelope }) => envelope),
    );
    const frozen = await batchHash(run, tenant, batch);
    if (frozen.count === 0) return cancel(run, app, change, filings.length);
    const lanes = (await batchDestinations(run, tenant, batch)).map((lane) => ({ ...lane }));
    const [row] = await run(FREEZE, [tenant, batch, frozen.count, frozen.sha256]);
    const terms = { ...frozen, lanes };
    await proposeChangeIn(run, app, by, { kind: 'batch', subject: batch, terms, reason });
    const fact = userFact(app, 'batch.changed', by, {
      cause: added.length === 0 ? 'withdrawn' : 'corrected',
      reason,
      withdrawn: filings.length,
      added: added.length,
      former_sha256: former,
      ...frozen,
    });
    const subject = { kind: 'batch', id: batch, ver: Number(row?.['ver']) };
    await recordFact(run, { tenant, boundary: 'filing' }, subject, fact);
    return { state: 'frozen', ...frozen };
  });
}

/** Undoes an import that nobody has approved: every filing of it is withdrawn. */
export async function undoBatch(
  app: ChangeDeps,
  change: Pick<BatchChange, 'batch' | 'by' | 'reason'>,
): Promise<number> {
  return app.session.transaction(async (run) => {
    await takeBack(run, app, change);
    const withdrawn = await withdrawAll(run, app, change.batch, change);
    if ((await leftIn(run, app.tenant, change.batch)) > 0) throw mayBeSent(change.batch);
    await cancel(run, app, change, withdrawn);
    return withdrawn;
  });
}

/** Into the hands of its preparer: open, with nothing proposed. Gives the hash that it had; undefined if it was open. */
async function takeBack(
  run: Run,
  app: ChangeDeps,
  { batch, by, reason }: Pick<BatchChange, 'batch' | 'by' | 'reason'>,
): Promise<string | undefined> {
  const { tenant } = app;
  const [row] = await run(LOCK, [tenant, batch]);
  if (row === undefined) throw notFound(`No batch has the id ${batch}; see batch list`);
  if (row['prepared_by'] !== by.id) {
    throw ruledOut(
      `Batch ${batch} was prepared by ${text(row['name'])}; before an approval only that person changes it. Others can refuse it with batch refuse`,
    );
  }
  if (row['state'] === 'open') return undefined;
  if (row['state'] !== 'frozen') {
    throw ruledOut(
      `Batch ${batch} is ${text(row['state'])}; what is approved is stopped by two people, with batch cancel`,
    );
  }
  const [open] = await proposedLanes(run, tenant, ['batch'], batch);
  if (open !== undefined) {
    await refuseChangeIn(run, app, by, { kind: 'batch', subject: batch, reason });
  }
  await run(REOPEN, [tenant, batch]).catch(refusedByRule);
  return hex(row['sha256']);
}

async function cancel(
  run: Run,
  app: ChangeDeps,
  { batch, by, reason }: Pick<BatchChange, 'batch' | 'by' | 'reason'>,
  withdrawn: number,
): Promise<ChangedBatch> {
  await recordCancelled(run, app, { batch, by, reason, withdrawn });
  return { state: 'cancelled', withdrawn };
}

/** Of a batch of which nothing is left. */
export async function recordCancelled(
  run: Run,
  app: Pick<ChangeDeps, 'tenant' | 'ids'>,
  {
    batch,
    by,
    ...data
  }: {
    readonly batch: BatchId;
    readonly by: PersonActor;
    readonly reason: string;
    readonly withdrawn: number;
    readonly proposal?: string;
  },
): Promise<void> {
  const { tenant } = app;
  const [row] = await run(CANCEL, [tenant, batch]).catch(refusedByRule);
  const approved = data.proposal !== undefined;
  const ver = Number(row?.['ver']);
  const fact = userFact(app, 'batch.cancelled', by, { ...data, approved, batch_ver: ver });
  // Behind the approval that it ends, in the log that has it; or behind the freezing.
  const boundary = approved ? 'access' : 'filing';
  const subject = { kind: 'batch', id: batch, ver: approved ? APPROVED_VER + 1 : ver };
  await recordFact(run, { tenant, boundary }, subject, fact);
}

function mayBeSent(batch: BatchId): Error {
  return ruledOut(
    `Some filings of batch ${batch} may have been sent before a backup was restored: they ask their office first, and cannot be withdrawn`,
  );
}
