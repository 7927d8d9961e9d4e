/**
 * A way out of a mistake, before anything was sent. Its preparer alone withdraws, corrects or undoes what nobody has approved; what
 * two people have approved takes two people again, and waits from the moment that the first of them says so.
 */
import { type Actor, allow, type PersonActor } from '../../access/index.ts';
import {
  type BatchId,
  checkReason,
  type FilingId,
  type NewFiling,
  notFound,
  ruledOut,
} from '../../core/index.ts';
import { type Installation, sequenceAll } from '../../ledger/index.ts';
import { raiseAlertIn, refuseChange, refuseChangeIn } from '../../people/index.ts';
import { findBatch } from '../store/batches.ts';
import { type ChangedBatch, changeBatch, undoBatch } from '../store/batch-changes.ts';
import { cancelStopped, stopBatch, type Stopped } from '../store/cancellations.ts';
import { findFiling } from '../store/filings.ts';
import { refuseRelease } from '../store/release-proposals.ts';
import { withdrawFilings } from '../store/withdrawals.ts';
import { warnOnArrival } from '../watch/arrival-warning.ts';

type Cancelled =
  | { readonly kind: 'undone'; readonly withdrawn: number }
  | ({ readonly kind: 'stopped' } & Stopped);

/** Before an approval it undoes the import; after one it stops what nobody has claimed, and asks a second person. */
export async function cancelBatch(
  app: Installation,
  actor: Actor,
  input: { readonly batch: BatchId; readonly reason: string },
): Promise<Cancelled> {
  allow(actor, 'batch.cancel');
  const { batch } = input;
  const reason = checkReason('--reason', input.reason);
  const found = await findBatch(app.session, app.tenant, batch);
  if (found.state === 'cancelled') throw ruledOut(`Batch ${batch} is cancelled already`);
  if (found.state !== 'approved') {
    const withdrawn = await undoBatch(app, { batch, by: actor, reason });
    await sequenceAll(app);
    return { kind: 'undone', withdrawn };
  }
  const stopped = await app.session.transaction(async (run) => {
    const done = await stopBatch(run, app, { batch, by: actor, reason });
    await raiseAlertIn(run, app, {
      kind: 'batch_stopped',
      subject: `batch ${batch}`,
      severity: 'critical',
      text: `${actor.name} stopped batch ${batch} (${found.source}): ${reason} ${several(done.count)} not sent, and the due dates do not wait. Another person withdraws them with: filewright batch cancel ${batch} --approve --expect-hash ${done.sha256}, or refuses with: filewright batch cancel ${batch} --refuse --reason WHY`,
      dedup: `batch_stopped/${batch}`,
      hasNews: true,
      causedBy: actor.id,
    });
    return done;
  });
  await sequenceAll(app);
  return { kind: 'stopped', ...stopped };
}

export async function approveCancel(
  app: Installation,
  actor: Actor,
  input: { readonly batch: BatchId; readonly expectHash: string },
): Promise<{ readonly withdrawn: number; readonly left: number }> {
  allow(actor, 'batch.cancel.approve');
  const { batch, expectHash } = input;
  const approval = { batch, by: actor, sha256: expectHash.toLowerCase() };
  const done = await app.session.transaction((run) => cancelStopped(run, app, approval));
  await sequenceAll(app);
  return done;
}

/** It waits for a new approval then: what was stopped is never sent without one. */
export async function refuseCancel(
  app: Installation,
  actor: Actor,
  input: { readonly batch: BatchId; readonly reason: string },
): Promise<void> {
  allow(actor, 'batch.cancel.refuse');
  const reason = checkReason('--reason', input.reason);
  await refuseChange(app, actor, { kind: 'cancel', subject: input.batch, reason });
}

/** The second person sends a batch back. Its preparer is told, corrects it, and proposes it again. */
export async function refuseBatch(
  app: Installation,
  actor: Actor,
  input: { readonly batch: BatchId; readonly reason: string },
): Promise<void> {
  allow(actor, 'batch.refuse');
  const { batch } = input;
  const reason = checkReason('--reason', input.reason);
  const found = await findBatch(app.session, app.tenant, batch);
  const kind = found.state === 'approved' ? 'release' : 'batch';
  await app.session.transaction(async (run) => {
    if (kind === 'batch') await refuseChangeIn(run, app, actor, { kind, subject: batch, reason });
    else await refuseRelease(run, app, actor, { batch, reason });
    await raiseAlertIn(run, app, {
      kind: 'batch_refused',
      subject: `batch ${batch}`,
      severity: 'warning',
      text: `${actor.name} refused batch ${batch} (${found.source}), which ${found.preparedBy} prepared: ${reason} Correct it with batch correct or batch import FILE --correct, withdraw filings with batch withdraw, or propose it again with: filewright batch propose ${batch} --reason WHY`,
      dedup: `batch_refused/${batch}`,
      hasNews: true,
      causedBy: actor.id,
    });
  });
  await sequenceAll(app);
}

/** By its preparer alone, of a batch that nobody has approved, or what the second person held back. */
export async function withdrawFromBatch(
  app: Installation,
  actor: Actor,
  input: { readonly filings: readonly string[]; readonly reason: string },
): Promise<{ readonly batch: BatchId; readonly changed: ChangedBatch | undefined }> {
  allow(actor, 'batch.withdraw');
  const reason = checkReason('--reason', input.reason);
  const { batch, ids } = await filingsOfOneBatch(app, input.filings);
  const found = await findBatch(app.session, app.tenant, batch);
  const filings = ids.map((id) => ({ id }));
  if (found.state === 'approved') {
    await app.session.transaction((run) =>
      withdrawFilings(run, app, filings, { by: actor, reason }),
    );
    await sequenceAll(app);
    return { batch, changed: undefined };
  }
  const changed = await changeBatch(app, { batch, by: actor, reason, filings });
  await sequenceAll(app);
  return { batch, changed };
}

/** Puts corrected filings in the place of others in their batch, all in one transaction. */
export async function replaceInBatch(
  app: Installation,
  by: PersonActor,
  input: {
    readonly batch: BatchId;
    readonly reason: string;
    readonly filings: readonly { readonly id: FilingId; readonly replacedBy: NewFiling }[];
  },
): Promise<ChangedBatch> {
  return changeBatch(app, {
    ...input,
    by,
    onAdmitted: (run, filings) => warnOnArrival(run, app, filings),
  });
}

async function filingsOfOneBatch(
  app: Installation,
  names: readonly string[],
): Promise<{ readonly batch: BatchId; readonly ids: readonly FilingId[] }> {
  const found = await Promise.all(
    [...new Set(names)].map((name) => findFiling(app.session, app.tenant, name)),
  );
  const [first] = found;
  if (first === undefined) throw notFound('Expected the id of a filing; see filing list');
  if (found.some(({ batch }) => batch !== first.batch)) {
    throw ruledOut('These filings are of several batches; withdraw those of one batch at a time');
  }
  return { batch: first.batch, ids: found.map(({ id }) => id) };
}

function several(count: number): string {
  return count === 1 ? '1 filing is' : `${count} filings are`;
}
