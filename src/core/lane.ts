import type { LaneCode, WorkerId } from './ids.ts';
import type { BreakerState } from './breaker.ts';
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
