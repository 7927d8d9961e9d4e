import type { LaneCode, WorkerId } from './ids.ts';
import type { BreakerState } from './breaker.ts';
import type { RecoveryState, RecoveryStep } from './recovery.ts';
import type { Instant } from './time.ts';

/** Why a lane takes no new requests. `until` ends by itself; `held` ends by recovery or by a person. */
export type Pause =
  | { readonly kind: 'none' }
  | { readonly kind: 'until'; readonly until: Instant; readonly reason: 'throttled' }
  | {
      readonly kind: 'held';
      readonly since: Instant;
      readonly reason: HoldReason;
    };

/** `collision`: a session token was seen in two places, so nobody knows whose answers those were. */
export type HoldReason = 'drift' | 'collision' | 'breaker' | 'person';

/** The way back of a lane that has failed. While a person keeps the lane it stands still, and goes on afterwards. */
export interface LaneRecovery {
  readonly reason: Exclude<HoldReason, 'person'>;
  /** From when on it may be checked; tells it from the one before, in the proposal of a person who starts it. */
  readonly since: Instant;
  /** What the portal did. */
  readonly code: string;
  readonly run: RecoveryState;
  /** Questions in a row, while it drains, that brought nothing usable. */
  readonly unclear?: number;
  /** Who wanted it sooner since the last approval; the first of them proposed it, and somebody else approves. */
  readonly hurriedBy: readonly string[];
  /** The newest check or act; all of them are in the ledger. */
  readonly last?: {
    readonly step: RecoveryStep | 'approval';
    readonly verdict: 'good' | 'wait' | 'bad';
    readonly why?: string;
    readonly at: Instant;
  };
}

/** A lane's shared state: one row, changed by compare-and-set on `version`, seen by every process. */
export interface LaneState {
  readonly code: LaneCode;
  readonly version: number;
  readonly ceiling: number;
  readonly pause: Pause;
  readonly breaker: BreakerState;
  /** Consecutive throttles without any other answer; the exponent of the pause without a stamp. */
  readonly throttles: number;
  /** Consecutive 404s; three are drift. */
  readonly missing: number;
  /** Start of the present slow start; undefined when the lane runs at full width. */
  readonly resumedAt: Instant | undefined;
  /** Present exactly while something else than a person or a throttle keeps the lane from sending. */
  readonly recovery?: LaneRecovery;
  /** Since then the lane has one session, because those of its account end each other; until a person sets a ceiling. */
  readonly oneSessionSince?: Instant;
}

/**
 * One taking of a slot. The fence is another one each time it is taken: a release that commits late, after the same
 * worker has taken the slot anew, must not free it.
 */
export interface SlotRef {
  readonly lane: LaneCode;
  readonly n: number;
  readonly fence: string;
}

/** One slot as the store sees it. */
export interface SlotView extends SlotRef {
  readonly holder: WorkerId | undefined;
  readonly expiresAt: Instant;
}

export interface WorkerView {
  readonly id: WorkerId;
  readonly host: string;
  readonly pid: number;
  readonly pidStartedAt: string;
  /** The lane of a command, which shares in no other; undefined for a worker. */
  readonly wants?: LaneCode | undefined;
  readonly alive: boolean;
}
