/** Looks for approvals that have ended, and tells of them: their filings wait, and their dates do not. */
import { raiseAlertIn } from '../../people/index.ts';
import type { NotifyDeps } from '../../people/index.ts';
import type { Run, Session } from '../../postgres/index.ts';
import { voidApprovals, type VoidedApproval } from '../store/voids.ts';

/** What was in somebody's hands when a profile changed comes back to the queue later, and time passes by itself. */
export async function watchApprovals(
  deps: NotifyDeps & { readonly session: Session },
): Promise<readonly VoidedApproval[]> {
  return deps.session.transaction(async (run) => {
    const voided = await voidApprovals(run, deps);
    await tellOfVoids(run, deps, voided);
    return voided;
  });
}

/** In the transaction that ends them. */
export async function tellOfVoids(
  run: Run,
  deps: NotifyDeps,
  voided: readonly VoidedApproval[],
): Promise<void> {
  for (const { batch, lane, cause, filings } of voided) {
    const what = filings === 1 ? '1 filing waits' : `${filings} filings wait`;
    const why =
      cause === 'profile' ? `the profile of lane ${lane} has changed` : 'the approval has expired';
    await raiseAlertIn(run, deps, {
      kind: 'approval_ended',
      subject: `batch ${batch}, lane ${lane}`,
      severity: 'critical',
      text: `${what} for a new approval because ${why}. Propose it with: filewright batch propose ${batch}. Another person then approves it with: filewright batch approve ${batch}`,
      dedup: `approval/${batch}/${lane}`,
      hasNews: true,
    });
  }
}
