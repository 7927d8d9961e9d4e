/** What a target of dockets has to show before it gets dockets again, and what is kept for that. */
import type { Instant, RecoveryState } from '../../core/index.ts';
import {
  DEFAULT_RECOVERY,
  type QueueLevel,
  type RecoveryPlan,
  type RecoveryPolicy,
} from '../../lanes/index.ts';

export const DOCKET_RECOVERY: RecoveryPlan = {
  proofs: ['schema', 'drain', 'reconciliation', 'synthetic'],
  // Before the synthetic transaction, because the comparison may find what no program may settle.
  asksAfter: 'reconciliation',
};

/** What follows shows the target well, or does not: no person is asked any more. */
export function isPastApproval(run: RecoveryState): boolean {
  const { proofs, asksAfter } = DOCKET_RECOVERY;
  if (run.state !== 'checking') return run.state === 'closed' || run.state === 'abandoned';
  return proofs.indexOf(run.step) > proofs.findIndex((step) => step === asksAfter);
}

export interface DocketRecoveryPolicy extends RecoveryPolicy {
  /** Differences wait this long for a person. */
  readonly reviewMs: number;
}

export const DEFAULT_DOCKET_RECOVERY: DocketRecoveryPolicy = {
  ...DEFAULT_RECOVERY,
  reviewMs: 2 * 3_600_000,
};

/** What was so before the failure. */
export interface Baseline {
  readonly openedAt: Instant;
  readonly queues: readonly QueueLevel[];
}
