/**
 * Where the recovery of a lane stands. One that has failed takes filings and dockets again only at the end of this way, and
 * never because some time has passed. Every field is plain JSON.
 */
import type { Instant } from './time.ts';

/** `health` is asked twice in a row; each other step until it is good. Which of them a lane has, and in which order, its plan says. */
export type RecoveryStep = 'health' | 'schema' | 'drain' | 'reconciliation' | 'synthetic';

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
  /** A person must say that it may go on. */
  | {
      readonly state: 'awaiting_approval';
      readonly since: Instant;
      readonly reasons: readonly string[];
    }
  | { readonly state: 'closed'; readonly at: Instant }
  /** Nobody is sent to there any more; the breaker stays as it is. */
  | { readonly state: 'abandoned'; readonly at: Instant };

/** When the recovery wants its next turn; undefined when it waits for a person, or is over. */
export function nextTurnOf(state: RecoveryState): Instant | undefined {
  return state.state === 'probing' || state.state === 'checking' ? state.nextAt : undefined;
}
