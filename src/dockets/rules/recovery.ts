/** What a target of dockets has to show before it gets dockets again, and what is kept for that. */
import type { Instant } from '../../core/index.ts';
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
