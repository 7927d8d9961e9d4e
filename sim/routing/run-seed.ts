/** Plays the world of one seed and judges it. The same seed gives the same world, trace and judgement. */
import { addMs, type Instant, instant } from '../../src/core/time.ts';
import type { JsonValue } from '../../src/core/canonical-json.ts';
import { requireFitting } from '../../src/core/facts/catalogue.ts';
import { factData } from '../../src/dockets/rules/routing/fact-data.ts';
import { Draw } from '../world/draw.ts';
import type { Violation } from './evidence.ts';
import { violationsOf } from './invariants/index.ts';
import { RoutingWorld } from './world.ts';

export interface RoutingResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly traceHash: string;
  readonly decisions: number;
  /** How often each kind of thing happened, to see that the worlds are not all sunshine. */
  readonly counts: Readonly<Record<string, number>>;
  readonly lines: readonly string[] | undefined;
}

/** Days before closings that stop timers or roll dates: Thanksgiving, Christmas, Golden Week, an ordinary week. */
const STARTS = ['2025-12-22', '2026-04-28', '2026-06-15', '2026-11-24', '2026-12-23', '2026-07-02'];
const DAY_MS = 86_400_000;

export function runRoutingSeed(
  seed: number,
  options: { readonly readable?: boolean } = {},
): RoutingResult {
  const world = new RoutingWorld(seed, startOf(seed), options.readable ?? false);
  const evidence = world.play();
  const counts: Record<string, number> = {};
  for (const { step } of evidence.decided) {
    for (const fact of step.facts) {
      const { type, data } = factData(fact);
      // As the ledger would hold it: what does not fit its description ends the seed.
      requireFitting(type, JSON.parse(JSON.stringify(data)) as Record<string, JsonValue>);
      const name = fact.kind === 'transition' ? fact.reason : fact.kind;
      counts[name] = (counts[name] ?? 0) + 1;
    }
  }
  return {
    seed,
    violations: violationsOf(evidence),
    traceHash: world.trace.digest(),
    decisions: evidence.decided.length,
    counts,
    lines: world.trace.lines,
  };
}

function startOf(seed: number): Instant {
  const draw = new Draw(seed, 'start');
  return addMs(instant(Date.parse(`${draw.pick(STARTS)}T00:00:00Z`)), draw.int(0, DAY_MS));
}
