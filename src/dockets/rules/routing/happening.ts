/** What `nextStep` is told and what it answers. */
import type { Instant, PartyId, Random } from '../../../core/index.ts';
import type { People } from '../access/people.ts';
import type { Docket } from '../docket/docket.ts';
import type { PatentLaw } from '../matter.ts';
import type { Activation } from './activation.ts';
import type { BreakerChange, Breakers } from './breakers.ts';
import type { RoutingFact } from './facts.ts';
import type { RoutingMatrix, Target } from './matrix.ts';
import type { HandoffMessage } from './message.ts';
import type { Hop, RoutingState } from './state.ts';
import type { Trigger } from './triggers.ts';

export interface StepInput {
  readonly docket: Docket;
  readonly law: PatentLaw;
  readonly matrix: RoutingMatrix;
  readonly people: People;
  readonly breakers: Breakers;
  /** Dice for the backoff between two attempts. */
  readonly random: Random;
}

/** What became of one attempt. Where a trigger was seen in it, the transition that follows names its evidence. */
export type HandoffResult =
  | { readonly kind: 'confirmed'; readonly receipt: string }
  /** Taken for delivery; a person has yet to acknowledge. */
  | { readonly kind: 'sent' }
  | (Failing & { readonly kind: 'failed' })
  /** Sent, and no answer that means anything. A notice is repeated then, under the same message id. */
  | (Failing & { readonly kind: 'unknown' })
  /** 401 or 403, or no such mailbox: asking again changes nothing. */
  | (Failing & { readonly kind: 'denied' })
  /** The target is well and does not take this message. */
  | { readonly kind: 'refused'; readonly code?: string }
  /** Nothing was written, because this message cannot be: its own fault, and nobody's else. */
  | { readonly kind: 'unsendable'; readonly code?: string }
  /** Nothing was written, because this process was too late or had no room: no attempt, and no fault of the target. */
  | { readonly kind: 'not_made'; readonly code?: string };

interface Failing {
  readonly trigger?: Trigger;
  /** What the transport called it, for the ledger. */
  readonly code?: string;
  /** How long the target asks to be left alone. */
  readonly retryAfterMs?: number;
}

export type Happening =
  /** `wakeAt(state)` has come, or the process has just started. */
  | { readonly kind: 'clock' }
  | {
      readonly kind: 'outcome';
      readonly hop: Hop;
      readonly attempt: number;
      readonly result: HandoffResult;
      /** It went with others in one letter, and another of them says how the target did: one failure is one. */
      readonly isCounted?: false;
    }
  | { readonly kind: 'activation'; readonly activation: Activation }
  /** The queue whose broker confirmed it has a consumer that takes nothing: nobody has it. */
  | { readonly kind: 'not_taken'; readonly activation: Activation }
  | { readonly kind: 'acknowledged'; readonly by: PartyId }
  /** `to` is left out where its owner is away and nobody is named: whoever is there gets it. */
  | {
      readonly kind: 'given';
      readonly from: PartyId | undefined;
      readonly to: PartyId | undefined;
      readonly reason: string;
    };

interface Recorded {
  readonly facts: readonly RoutingFact[];
  readonly breakers: readonly BreakerChange[];
}

export type RoutingStep = Recorded &
  (
    | {
        readonly kind: 'send';
        readonly next: RoutingState & { readonly state: 'sending' };
        readonly target: Target;
        readonly message: HandoffMessage;
        readonly timeoutMs: number;
      }
    /** Until a backoff is over, an outcome comes or somebody confirms. */
    | { readonly kind: 'wait'; readonly next: RoutingState; readonly until: Instant }
    /** MANUAL_ESCALATION_REQUIRED, first or again. No target: nobody may see it, and an administrator must know. */
    | {
        readonly kind: 'manual';
        readonly next: RoutingState & { readonly state: 'manual' };
        readonly target: Target | undefined;
        readonly message: HandoffMessage | undefined;
      }
    | { readonly kind: 'done'; readonly next: RoutingState & { readonly state: 'confirmed' } }
    /** The docket stays where it is; `next` may still note a moved or passed date. Why is for the log. */
    | { readonly kind: 'nothing'; readonly next: RoutingState; readonly why: string }
  );
