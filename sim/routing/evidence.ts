/** What really happened in a world, kept apart from what the code under test believes. */
import type { BreakerState } from '../../src/core/breaker.ts';
import type { Instant } from '../../src/core/time.ts';
import type { People } from '../../src/dockets/rules/access/people.ts';
import type { Docket } from '../../src/dockets/rules/docket/docket.ts';
import type { PatentLaw } from '../../src/dockets/rules/matter.ts';
import type { Happening, RoutingStep } from '../../src/dockets/rules/routing/happening.ts';
import type { RoutingMatrix } from '../../src/dockets/rules/routing/matrix.ts';
import type { RoutingState } from '../../src/dockets/rules/routing/state.ts';
import type { Tier } from '../../src/dockets/rules/routing/tiers.ts';

/** One committed decision, in order. */
export interface Decided {
  readonly at: Instant;
  readonly docket: Docket;
  readonly happening: Happening;
  readonly before: RoutingState;
  readonly step: RoutingStep;
  readonly law: PatentLaw;
  readonly people: People;
  /** As they are after the step. */
  readonly breakers: ReadonlyMap<string, BreakerState>;
}

/** A message that came in at a target; receivers keep the first of each id. */
export interface Arrival {
  readonly at: Instant;
  readonly target: string;
  readonly party: string;
  readonly messageId: string;
  readonly docket: string;
  readonly isFirst: boolean;
  readonly tier: Tier;
}

/** One thing that moved a breaker, in the order in which it was committed. */
export interface BreakerNote {
  readonly at: Instant;
  readonly target: string;
  readonly what: 'failure' | 'success' | 'probe_good' | 'probe_bad' | 'send';
  /** How long the target asked to be left alone with this failure. */
  readonly retryAfterMs?: number | undefined;
  readonly stored: BreakerState;
}

export interface Evidence {
  readonly matrix: RoutingMatrix;
  readonly dockets: readonly Docket[];
  /** When each docket came in. */
  readonly arrivedAt: ReadonlyMap<string, Instant>;
  readonly decided: readonly Decided[];
  readonly arrivals: readonly Arrival[];
  readonly breakers: readonly BreakerNote[];
  /** Acknowledgements as people gave them. */
  readonly acknowledged: readonly {
    readonly at: Instant;
    readonly docket: string;
    readonly by: string;
  }[];
  /** Whether a target was well for all of a time. */
  readonly isWell: (target: string, from: Instant, to: Instant) => boolean;
  /** Spans in which nothing of ours ran. */
  readonly down: readonly { readonly from: Instant; readonly to: Instant }[];
  /** Which law held from when on. */
  readonly laws: readonly { readonly from: Instant; readonly law: PatentLaw }[];
  readonly states: ReadonlyMap<string, RoutingState>;
  readonly endAt: Instant;
  readonly checkFault: string | undefined;
}

export interface Violation {
  readonly invariant: string;
  readonly text: string;
}
