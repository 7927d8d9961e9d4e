/** What a decision says to the ledger. Names and numbers only; nothing of a payload. */
import type { BreakerState, Instant, PartyId, Sha256Hex, TargetId } from '../../../core/index.ts';
import type { Labels } from '../access/labels.ts';
import type { KnownDates } from './state.ts';
import type { Tier } from './tiers.ts';
import type { Trigger, TriggerEvidence } from './triggers.ts';

/** Why a tier was left. */
export type LeaveReason =
  /** The target asked for more patience than a docket has. */
  | 'ASKED_TO_WAIT'
  | 'ATTEMPTS_USED'
  | 'BREAKER_OPEN'
  | 'DENIED'
  | 'NOBODY_TO_ASK'
  | 'NOT_CONFIRMED'
  /** This process could not make its attempts. */
  | 'NOT_MADE'
  /** The queue that confirmed it has a consumer that takes nothing. */
  | 'NOT_TAKEN'
  | 'REFUSED'
  | 'SLACK_GONE'
  | 'TRIGGERED'
  /** The message itself cannot be written to this kind of target. */
  | 'UNSENDABLE';

/** One side of a transition; the target and its breaker are absent where the tier had nobody to ask. */
export interface TransitionSide {
  readonly tier: Tier;
  readonly target: TargetId | undefined;
  readonly breaker: BreakerState | undefined;
}

export type RoutingFact =
  | {
      readonly kind: 'transition';
      readonly at: Instant;
      readonly from: TransitionSide;
      readonly to: TransitionSide;
      readonly reason: LeaveReason;
      readonly activation: string | undefined;
      /** What failed, and how; the measured value is the evidence. */
      readonly trigger: Pick<Trigger, 'code' | 'subject'> | undefined;
      readonly evidence: TriggerEvidence | undefined;
      readonly labels: Labels;
      readonly matrixVersion: Sha256Hex;
    }
  | {
      readonly kind: 'skipped';
      readonly at: Instant;
      readonly tier: Tier;
      readonly node: string;
      readonly target: TargetId;
      readonly reason: 'no_right' | 'absent' | 'no_target';
      /** Who lacks it, and which right; for the ledger only. */
      readonly why: string;
    }
  /** The law or its calendars changed since the dates were last recorded. */
  | {
      readonly kind: 'redated';
      readonly at: Instant;
      readonly from: KnownDates;
      readonly to: KnownDates;
    }
  | {
      readonly kind: 'manual_required';
      readonly flag: 'MANUAL_ESCALATION_REQUIRED';
      readonly at: Instant;
      readonly reviewBy: Instant;
      readonly reason: LeaveReason;
      readonly target: TargetId | undefined;
    }
  /** Nobody could be asked, or told, when it was required; somebody is asked now, within the same two hours. */
  | {
      readonly kind: 'manual_found';
      readonly at: Instant;
      readonly reviewBy: Instant;
      readonly target: TargetId | undefined;
    }
  /** A notice got through: only now somebody was told. */
  | {
      readonly kind: 'manual_told';
      readonly at: Instant;
      readonly target: TargetId;
      readonly party: PartyId;
    }
  /** A notice cannot be delivered there; `next` is asked at once, undefined where nobody is left. */
  | {
      readonly kind: 'manual_unreached';
      readonly at: Instant;
      readonly target: TargetId;
      readonly code: string | undefined;
      readonly next: string | undefined;
    }
  /** Nobody had acted, and a target that had failed is well again: it gets the docket. */
  | {
      readonly kind: 'returned';
      readonly at: Instant;
      readonly tier: Tier;
      readonly target: TargetId;
    }
  | {
      readonly kind: 'manual_overdue';
      readonly at: Instant;
      readonly round: number;
      readonly reviewBy: Instant;
      readonly target: TargetId | undefined;
    }
  | {
      readonly kind: 'given';
      readonly at: Instant;
      readonly from: PartyId | undefined;
      readonly to: PartyId | undefined;
      readonly tier: Tier;
      readonly reason: string;
    }
  | { readonly kind: 'late'; readonly at: Instant; readonly due: string }
  | {
      readonly kind: 'confirmed';
      readonly at: Instant;
      readonly tier: Tier;
      readonly target: TargetId | undefined;
      readonly by: PartyId | TargetId;
      readonly receipt: string | undefined;
    };
