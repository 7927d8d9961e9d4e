/** What was seen elsewhere, applied to the dockets it concerns. Saying it twice is one escalation. */
import { targetId } from '../../core/index.ts';
import { activationOf } from '../rules/routing/activation.ts';
import {
  type Observation,
  type Trigger,
  triggersOf,
  type TriggerThresholds,
} from '../rules/routing/triggers.ts';
import type { Tier } from '../rules/routing/tiers.ts';
import { docketPages } from '../store/dockets.ts';
import { noteActivations } from '../store/steps.ts';
import type { StoredDocket } from '../store/docket-rows.ts';
import { stored } from './facts.ts';
import type { RoutingDeps } from './deps.ts';

interface Observed {
  /** Empty where nothing is over its threshold; then nothing was touched. */
  readonly triggers: readonly Trigger[];
  /** Dockets that leave their tier at the next step. */
  readonly activated: readonly string[];
}

/**
 * A failing target concerns the dockets that wait at it; a denied look-up, or a source whose records have changed, all that
 * are still in the primary tier. What was seen while something was looked up for one docket concerns that one alone.
 */
export async function observe(
  { session, tenant }: Pick<RoutingDeps, 'session' | 'tenant'>,
  observation: Observation,
  options: { readonly thresholds?: TriggerThresholds; readonly docket?: Concerned } = {},
): Promise<Observed> {
  const triggers = triggersOf(observation, options.thresholds);
  const [trigger] = triggers;
  if (trigger === undefined) return { triggers, activated: [] };
  const note = (concerned: readonly Concerned[]): Promise<readonly string[]> =>
    session.transaction((run) => noteActivations(run, tenant, activationsOf(trigger, concerned)));
  const { docket } = options;
  if (docket !== undefined) return { triggers, activated: await note([docket]) };
  const isTarget = observation.kind === 'http' || observation.kind === 'tls';
  const filter = isTarget ? { target: targetId(observation.target) } : {};
  const activated: string[] = [];
  const phases = ['queued', 'sending', 'awaiting'] as const;
  for await (const page of docketPages(session, tenant, { ...filter, phases })) {
    const concerned = page.filter(({ tier, source }) => {
      if (isTarget) return true;
      return tier === 'PRIMARY' && (observation.kind !== 'record' || source === observation.source);
    });
    activated.push(...(await note(concerned)));
  }
  return { triggers, activated };
}

type Concerned = Pick<StoredDocket, 'id' | 'messageId' | 'tier'>;

function activationsOf(
  trigger: Trigger,
  concerned: readonly Concerned[],
): Parameters<typeof noteActivations>[2] {
  return concerned.map(({ id, messageId, tier }) => ({
    docket: id,
    tier,
    // A check constraint holds the column to the names of tiers.
    activation: stored(activationOf(trigger, { messageId, tier: tier as Tier })),
  }));
}
