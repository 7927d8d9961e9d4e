/** Where a docket stands on its way to somebody who has it. Stored with the docket; every field is plain JSON. */
import { instant, type Instant, type PartyId, type TargetId } from '../../../core/index.ts';
import type { Tier } from './tiers.ts';

/** One handing over: to whom, by which target. `person`s named here may acknowledge, whatever happened since. */
export interface Hop {
  readonly tier: Tier;
  readonly node: string;
  readonly target: TargetId;
  readonly party: PartyId;
  /** Those for whom the party stands in. */
  readonly standsInFor: readonly PartyId[];
}

/** The dates as last recorded, so that a change of the law or its calendars is noticed and told. */
export interface KnownDates {
  readonly due: string | undefined;
  readonly final: string | undefined;
}

/** What people know of a docket that waits for them. Kept while a target that came back has it in hand. */
export interface ManualHold {
  readonly reason: string;
  readonly since: Instant;
  readonly reviewBy: Instant;
  /** Counts the two-hour clocks that ran out. */
  readonly round: number;
  /** Undefined where nobody may see it. */
  readonly hop: Hop | undefined;
  /** Which one of the manual tier is asked, counted on over all rounds; those of before have their round. */
  readonly asked?: number | undefined;
  /** How many of the manual tier could not be told in this round. */
  readonly unreached?: number | undefined;
  /** When everybody is asked anew, because nobody could be told. */
  readonly askAgainAt?: Instant | undefined;
  /** When a notice of this round got through; absent while nobody was told. */
  readonly toldAt?: Instant | undefined;
  /** Targets of its way that were failing: one that comes back while nobody has acted gets the docket. */
  readonly waitsFor?: readonly string[] | undefined;
  /** When targets that failed and whose breakers stayed closed are tried once more. */
  readonly backAt?: Instant | undefined;
  /** How often it went back to a target. */
  readonly returns?: number | undefined;
}

interface Common {
  /** Whoever was sent the message, in order and each once. */
  readonly handed: readonly Hop[];
  readonly known: KnownDates | undefined;
  /** Set once, when the due moment passed without a confirmation. */
  readonly lateSince: Instant | undefined;
  /** Set while a target that came back has it: should that fail, it is with people again as it was. */
  readonly held?: ManualHold | undefined;
  /** Whom it was given to by name, until they were asked. */
  readonly prefer?:
    | { readonly party: PartyId; readonly standsInFor: readonly PartyId[] }
    | undefined;
  /** Of the step in which a person gave it away: nothing else ends a confirmation. */
  readonly given?: true | undefined;
}

export type RoutingState =
  /** To be sent to that tier, not before; `attempt` counts the attempts already made there. */
  | (Common & {
      readonly state: 'queued';
      readonly tier: Tier;
      readonly attempt: number;
      readonly notBefore: Instant;
      /** Attempts in a row that this process could not make. */
      readonly unmade?: number | undefined;
    })
  /** The intent is committed; without an outcome before `until` it counts as unknown. */
  | (Common & {
      readonly state: 'sending';
      readonly attempt: number;
      readonly hop: Hop;
      readonly until: Instant;
      readonly unmade?: number | undefined;
    })
  /** Sent and not yet confirmed; at `until` the next tier gets it too. */
  | (Common & {
      readonly state: 'awaiting';
      readonly attempt: number;
      readonly hop: Hop;
      readonly until: Instant;
    })
  /** MANUAL_ESCALATION_REQUIRED. */
  | (Omit<Common, 'held'> &
      ManualHold & {
        readonly state: 'manual';
        /** The first instant that is too late, as last computed: it is told then, and not when the two hours are over. */
        readonly dueAt: Instant | undefined;
      })
  | (Common & {
      readonly state: 'confirmed';
      readonly at: Instant;
      readonly hop: Hop | undefined;
      /** The person, or the target where its receipt is the confirmation. */
      readonly by: PartyId | TargetId;
      readonly receipt: string | undefined;
    });

export function startRouting(now: Instant): RoutingState {
  return {
    state: 'queued',
    tier: 'PRIMARY',
    attempt: 0,
    notBefore: now,
    handed: [],
    known: undefined,
    lateSince: undefined,
  };
}

/** When `nextStep` wants to hear the clock; undefined once the docket is confirmed. */
export function wakeAt(state: RoutingState): Instant | undefined {
  switch (state.state) {
    case 'queued':
      return state.notBefore;
    case 'sending':
    case 'awaiting':
      return state.until;
    case 'manual': {
      const { reviewBy, lateSince, dueAt, backAt, askAgainAt } = state;
      const dueNext = lateSince === undefined ? dueAt : undefined;
      const moments = [dueNext, backAt, askAgainAt].map((one) => one ?? reviewBy);
      return instant(Math.min(reviewBy, ...moments));
    }
    case 'confirmed':
      return undefined;
  }
}

export function tierOf(state: RoutingState): Tier {
  switch (state.state) {
    case 'queued':
      return state.tier;
    case 'sending':
    case 'awaiting':
      return state.hop.tier;
    case 'manual':
      return 'MANUAL';
    case 'confirmed':
      return state.hop?.tier ?? 'MANUAL';
  }
}

export const handedTo = (handed: readonly Hop[], hop: Hop): readonly Hop[] =>
  handed.some(
    (one) => one.target === hop.target && one.party === hop.party && one.tier === hop.tier,
  )
    ? handed
    : [...handed, hop];
