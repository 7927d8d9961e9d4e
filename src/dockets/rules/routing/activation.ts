/**
 * A trigger applied to one docket. Stateless: the id follows from what it says, so the same trigger twice is the same
 * activation, and a docket that has left the tier ignores whatever else is said about it.
 */
import type { Tier } from './tiers.ts';
import type { Trigger } from './triggers.ts';
import { sha256Of } from '../../../core/index.ts';

export interface Activation {
  readonly id: string;
  readonly messageId: string;
  /** The tier that cannot be used. */
  readonly tier: Tier;
  readonly trigger: Trigger;
}

/**
 * A failing target, or a queue in front of it, takes out the tier it serves. Drift and a denied look-up take out
 * PRIMARY: without the record or the assignment nobody knows the team.
 */
export function activationOf(
  trigger: Trigger,
  at: { readonly messageId: string; readonly tier: Tier },
): Activation {
  // The measured value is evidence, not identity: 502 after 503 is still the same failing endpoint.
  const parts = [at.messageId, at.tier, trigger.code, trigger.subject];
  const digest = sha256Of(JSON.stringify(parts));
  return { id: `fwa1-${digest.slice(0, 32)}`, messageId: at.messageId, tier: at.tier, trigger };
}
