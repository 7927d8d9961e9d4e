/** What really happened in a world, kept apart from what the code under test believes. */
import type { BreakerState, Instant } from '../../src/core/index.ts';
import type { People } from '../../src/packs/patent/access/index.ts';
import type { Docket } from '../../src/packs/patent/docket/index.ts';
import type { PatentLaw } from '../../src/packs/patent/index.ts';
import type {
  Happening,
  RoutingMatrix,
  RoutingState,
  RoutingStep,
  Tier,
} from '../../src/packs/patent/routing/index.ts';

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
