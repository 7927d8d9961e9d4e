/** What people see of dockets and of recovery. */
import type { BreakerState, Instant, PartyId, RecoveryState, TargetId } from '../../core/index.ts';
import type { DateTrail } from './trail.ts';
import type { Closed } from '../rules/docket/closing.ts';
import type { Docket } from '../rules/docket/docket.ts';
import type { DocketDates } from '../rules/docket/dates.ts';
import type { RoutingState } from '../rules/routing/state.ts';
import type { HandoffView } from '../store/handoffs.ts';
import type { StoredDifference } from '../store/differences.ts';

export interface DocketView {
  readonly docket: Docket;
  readonly source: string;
  readonly receivedAt: Instant;
  /** Computed now. */
  readonly dates: DocketDates;
  readonly state: RoutingState | { readonly state: 'not_shown' };
  /** PRIMARY to MANUAL, or confirmed. */
  readonly standing: string;
  /** Who has it, or to whom it was given last. */
  readonly owner: string | undefined;
  readonly nextAt: Instant | undefined;
  readonly closed: { readonly at: Instant; readonly by: string } | undefined;
  /** Its dates, and what they come from, are left out: this person may still give the second docketing. */
  readonly isBlind?: true;
}

export interface DocketDetail extends DocketView {
  readonly contentType: string;
  /** The party that the assignment table named; undefined where none was asked, or none is known. */
  readonly assignedTo: PartyId | undefined;
  /** Exactly as it came in; undefined where its key was destroyed, and where it is not shown. */
  readonly payload: Uint8Array | undefined;
  readonly isDestroyed: boolean;
  /** Why the dates are what they are; absent where they are not shown. */
  readonly trail?: DateTrail;
  /** Every attempt to hand it over: the transport log of this docket. */
  readonly handoffs: readonly HandoffView[];
  readonly differences: readonly StoredDifference[];
}

/** As it is recorded; where somebody closed it before, that is what stays. */
export interface DocketClosed extends Closed {
  readonly isFirst: boolean;
  readonly at: Instant;
  readonly by: string;
}

export type Acknowledged =
  | { readonly kind: 'acknowledged'; readonly at: Instant; readonly by: string }
  /** Somebody had it before. */
  | { readonly kind: 'already'; readonly at: Instant; readonly by: string }
  /** Nothing is left to acknowledge. */
  | { readonly kind: 'closed'; readonly at: Instant; readonly by: string }
  /** It was never given to this person. */
  | { readonly kind: 'not_given' };

export interface BreakerView {
  readonly target: TargetId;
  readonly breaker: BreakerState;
  readonly changedAt: Instant;
}

export interface RecoveryView {
  readonly run: string;
  readonly target: TargetId;
  readonly startedAt: Instant;
  readonly mode: 'automatic' | 'by_hand';
  readonly state: RecoveryState;
  readonly nextAt: Instant | undefined;
  readonly breaker: BreakerState;
  readonly evidence: readonly {
    readonly n: number;
    readonly step: string;
    readonly verdict: 'good' | 'wait' | 'bad';
    readonly at: Instant;
    readonly by: string;
    readonly evidence: object;
  }[];
  /** Those still to be reviewed; only what the viewer may see. */
  readonly differences: readonly StoredDifference[];
}
