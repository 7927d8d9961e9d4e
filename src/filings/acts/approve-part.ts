/** Approving a batch without some of its filings: those go back to their preparer, who corrects, withdraws or proposes them again. */
import type { PersonActor } from '../../access/index.ts';
import {
  type BatchId,
  checkReason,
  type FilewrightError,
  type FilingId,
  type Ids,
  ruledOut,
} from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { raiseAlertIn } from '../../people/index.ts';
import type { Run } from '../../postgres/index.ts';
import { findFiling } from '../store/filings.ts';
import { type HeldBack, holdBack } from '../store/held-back.ts';
import { leftIn } from '../store/withdrawals.ts';

/** As it was typed. */
export interface Without {
  readonly filings: readonly string[];
  readonly reason: string | undefined;
}

export const NOTHING_LEFT_OUT: Without = { filings: [], reason: undefined };

export async function checkWithout(
  app: Installation,
  batch: BatchId,
  { filings, reason }: Without,
): Promise<HeldBack> {
  if (filings.length === 0) return { filings: [], reason: '' };
  const ids = new Set<FilingId>();
  for (const name of filings) {
    const found = await findFiling(app.session, app.tenant, name);
    if (found.batch !== batch) {
      throw ruledOut(`--without: filing ${found.id} is of batch ${found.batch}, not of ${batch}`);
    }
    ids.add(found.id);
  }
  const run: Run = (statement, values) => app.session.run(statement, values);
  if (ids.size === (await leftIn(run, app.tenant, batch))) {
    throw ruledOut(
      `Nothing of batch ${batch} would be left to approve; refuse it with batch refuse`,
    );
  }
  return { filings: [...ids], reason: checkReason('--reason', reason) };
}

export async function leaveOut(
  run: Run,
  app: { readonly tenant: string; readonly ids: Ids },
  actor: PersonActor,
  batch: BatchId,
  left: HeldBack,
): Promise<void> {
  const { filings, reason } = left;
  if (filings.length === 0) return;
  await holdBack(run, app, actor, batch, left);
  await raiseAlertIn(run, app, {
    kind: 'batch_refused',
    subject: `batch ${batch}`,
    severity: 'warning',
    text: `${actor.name} approved batch ${batch} without ${filings.length === 1 ? `filing ${filings[0] ?? ''}` : `${filings.length} of its filings`}: ${reason} They are not sent. Withdraw them with batch withdraw and import them corrected, or propose them again with: filewright batch propose ${batch} --reason WHY`,
    dedup: `batch_refused/${batch}`,
    hasNews: true,
    causedBy: actor.id,
  });
}

export function onlyWhole(batch: BatchId): FilewrightError {
  return ruledOut(
    `What of batch ${batch} waits for a new approval is approved whole; refuse it with batch refuse, or leave out --without`,
  );
}
