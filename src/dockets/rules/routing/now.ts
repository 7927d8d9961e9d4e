import type { Instant } from '../../../core/index.ts';
import type { DocketDates } from '../docket/dates.ts';
import type { BreakerChange, Breakers } from './breakers.ts';
import type { RoutingFact } from './facts.ts';
import type { StepInput } from './happening.ts';
import type { Route } from './route-of.ts';

/** Everything that the steps of a decision may need, gathered once. */
export interface Now {
  readonly at: Instant;
  readonly input: StepInput;
  readonly route: Route;
  readonly dates: DocketDates;
  /** As they are after this happening. */
  readonly breakers: Breakers;
  readonly changes: readonly BreakerChange[];
  readonly facts: readonly RoutingFact[];
}
