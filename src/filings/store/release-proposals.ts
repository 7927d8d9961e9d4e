/**
 * Approvals that are needed again: proposing once more what was frozen, where a lane leads elsewhere since, and queueing filings
 * whose approval has ended. Each approval is used once: what it queued is sent, or needs another one.
 */
import type { PersonActor } from '../../access/index.ts';
import {
  APPROVAL_DAYS,
  type BatchId,
  checkReason,
  checkSecondPerson,
  FilewrightError,
  type Ids,
  type LedgerFact,
  notFound,
  type PersonId,
  ruledOut,
  userFact,
} from '../../core/index.ts';
import type { Destination } from '../../lanes/index.ts';
import { destinationsOf } from '../../lanes/index.ts';
import { partiesOf, recordFact } from '../../ledger/index.ts';
import { decideProposal, propose, proposeChangeIn, refuseChangeIn } from '../../people/index.ts';
import { type Run, type Session, sql, text } from '../../postgres/index.ts';
import { type ApprovalTerms, AWAITS_APPROVAL } from './batches.ts';
import { proposedLanes, requireSameLanes } from './destinations.ts';
import { batchDestinations, batchHash } from './intake-store.ts';

const LOCK = sql('batch-lock-again')`
select state, prepared_by from batch where tenant = $1 and id = $2 for update`;

const UNAPPROVED_LANES = sql('batch-unapproved-lanes')`
select distinct f.lane from envelope e join filing f on f.tenant = e.tenant and f.id = e.id
where e.tenant = $1 and e.batch = $2 and ${AWAITS_APPROVAL}`;

export interface ProposedSend {
  readonly kind: 'batch' | 'release';
  readonly count: number;
  /** Over the filings. */
  readonly filings: string;
  readonly lanes: readonly Destination[];
  /** Of the proposal, over all of it. */
  readonly sha256: string;
}

export async function proposeSend(
  app: { readonly session: Session; readonly tenant: string; readonly ids: Ids },
  input: {
    readonly kind: 'batch' | 'release';
    readonly batch: BatchId;
    readonly by: PersonActor;
    readonly reason: string;
  },
): Promise<ProposedSend> {
  const { session, tenant } = app;
  const { kind, batch, by } = input;
  const reason = checkReason('--reason', input.reason);
  return session.transaction(async (run) => {
    await run(LOCK, [tenant, batch]);
    const what = await whatWaits(run, tenant, kind, batch);
    if (what.count === 0) {
      throw ruledOut(`No filing of batch ${batch} waits for an approval; an approval is used once`);
    }
    const [open] = await proposedLanes(run, tenant, [kind], batch);
    if (kind === 'batch') {
      const ended = 'replaced by a newer proposal';
      const subject = { kind, subject: batch } as const;
      if (open !== undefined) await refuseChangeIn(run, app, by, { ...subject, reason: ended });
      const lanes = what.lanes.map((lane) => ({ ...lane }));
      const terms = { count: what.count, sha256: what.filings, lanes };
      const made = await proposeChangeIn(run, app, by, { ...subject, terms, reason });
      return { kind, ...what, sha256: made.sha256 };
    }
    if (open !== undefined) {
      await refuseRelease(run, app, by, { batch, reason: 'replaced by a newer proposal' });
    }
    const { count, filings, lanes } = what;
    const plain = lanes.map((lane) => ({ ...lane }));
    const terms = { count, sha256: filings, lanes: plain };
    const id = app.ids.next();
    const made = await propose(run, tenant, { id, kind, subject: batch, terms, reason, by: by.id });
    const data = { batch, lanes: plain, count, sha256: made.sha256, reason };
    const fact = userFact(app, 'release.proposed', by, data);
    const subject = { kind: 'release', id, ver: 1 };
    await recordFact(run, { tenant, boundary: 'filing' }, subject, fact);
    return { kind, ...what, sha256: made.sha256 };
  });
}

/** By who proposed it, or by the second person. */
export async function refuseRelease(
  run: Run,
  app: { readonly tenant: string; readonly ids: Ids },
  by: PersonActor,
  { batch, reason }: { readonly batch: BatchId; readonly reason: string },
): Promise<void> {
  const { tenant } = app;
  const about = { kinds: ['release'], subject: batch, what: `Batch ${batch}` } as const;
  const ended = await decideProposal(run, tenant, about, { approves: false, by: by.id, reason });
  const data = { kind: 'release', subject: batch, sha256: ended.sha256, reason };
  const subject = { kind: 'release', id: ended.id, ver: 1 };
  const fact = userFact(app, 'change.refused', by, data);
  await recordFact(run, { tenant, boundary: 'access' }, subject, fact);
}

type Waiting = Pick<ProposedSend, 'count' | 'filings' | 'lanes'>;

async function whatWaits(
  run: Run,
  tenant: string,
  kind: 'batch' | 'release',
  batch: BatchId,
): Promise<Waiting> {
  if (kind === 'batch') {
    const { count, sha256 } = await batchHash(run, tenant, batch);
    return { count, filings: sha256, lanes: await batchDestinations(run, tenant, batch) };
  }
  const { count, sha256 } = await batchHash(run, tenant, batch, AWAITS_APPROVAL);
  const codes = (await run(UNAPPROVED_LANES, [tenant, batch])).map((row) => text(row['lane']));
  return { count, filings: sha256, lanes: await destinationsOf(run, tenant, codes) };
}

/** The second person for filings whose approval had ended. They join the queue as after the first one. */
export async function approveRelease(
  session: Session,
  tenant: string,
  id: BatchId,
  by: PersonId,
  fact: LedgerFact,
  options: {
    readonly terms: ApprovalTerms;
    readonly validDays?: number;
    readonly onApproved?: (run: Run) => Promise<void>;
  },
): Promise<void> {
  const { terms, validDays = APPROVAL_DAYS } = options;
  await session.transaction(async (run) => {
    const [batch] = await run(LOCK, [tenant, id]);
    if (batch === undefined) throw notFound(`No batch has the id ${id}; see batch list`);
    const what = `Batch ${id}`;
    const first = text(batch['prepared_by']);
    checkSecondPerson(what, by, [first], await partiesOf(run, tenant, [by, first]));
    const [proposed] = await proposedLanes(run, tenant, ['release'], id);
    const now = await whatWaits(run, tenant, 'release', id);
    requireSameLanes(what, proposed?.lanes ?? [], now.lanes);
    if (now.filings !== terms.sha256 || now.count !== terms.count) {
      throw new FilewrightError(
        'APPROVAL_MISMATCH',
        `${what}: ${now.count} filings with the hash ${now.filings} wait for approval, which is not what the approval names`,
      );
    }
    const decision = { approves: true, by, validDays, sha256: terms.proposal?.sha256 ?? '' };
    const about = { kinds: ['release'], subject: id, what } as const;
    const approved = await decideProposal(run, tenant, about, decision);
    const lanes = now.lanes.map((lane) => ({ ...lane }));
    const data = { count: now.count, sha256: now.filings, lanes, valid_days: validDays };
    const subject = { kind: 'release', id: approved.id, ver: 1 };
    const complete = { ...fact, data: { ...fact.data, ...data } };
    await recordFact(run, { tenant, boundary: 'access' }, subject, complete);
    await options.onApproved?.(run);
  });
}
