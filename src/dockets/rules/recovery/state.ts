/**
 * Where the recovery of a target stands. A breaker that has opened closes only at the end of this way, and never because
 * some time has passed. Every field is plain JSON.
 */
import type { QueueLevel } from './drain.ts';
import type { Instant } from '../../../core/index.ts';

/** In this order. `health` is asked twice in a row; the others once they are good. */
export const RECOVERY_STEPS = ['health', 'schema', 'drain', 'reconciliation', 'synthetic'] as const;
export type RecoveryStep = (typeof RECOVERY_STEPS)[number];

export type RecoveryState =
  /** Asking for its health; `good` answers in a row so far. */
  | { readonly state: 'probing'; readonly good: number; readonly nextAt: Instant }
  /** Well so far; `since` is when this step was first tried. */
  | {
      readonly state: 'checking';
      readonly step: Exclude<RecoveryStep, 'health'>;
      readonly since: Instant;
      readonly nextAt: Instant;
    }
  /** A person must say that it may go on to the synthetic transaction. */
  | {
      readonly state: 'awaiting_approval';
      readonly since: Instant;
      readonly reasons: readonly string[];
    }
  | { readonly state: 'closed'; readonly at: Instant }
  /** The target is in the matrix no longer; its breaker stays as it is. */
  | { readonly state: 'abandoned'; readonly at: Instant };

export interface RecoveryPolicy {
  readonly probeEveryMs: number;
  readonly goodProbes: number;
  /** A queue that has not drained after this long is a failure and no longer a wait. */
  readonly drainMsMax: number;
  /** Differences wait this long for a person. */
  readonly reviewMs: number;
}

export const DEFAULT_RECOVERY: RecoveryPolicy = {
  probeEveryMs: 15_000,
  goodProbes: 2,
  drainMsMax: 30 * 60_000,
  reviewMs: 2 * 3_600_000,
};

/** When the run wants its next turn; undefined when it waits for a person, or is over. */
export function nextTurnOf(state: RecoveryState): Instant | undefined {
  return state.state === 'probing' || state.state === 'checking' ? state.nextAt : undefined;
}

/** What was so before the failure. */
export interface Baseline {
  readonly openedAt: Instant;
  readonly queues: readonly QueueLevel[];
}
