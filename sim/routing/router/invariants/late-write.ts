/**
 * What a process does after others may have taken over changes nothing: it sends nothing after its time, and a check of
 * a recovery counts only for whoever has the lease.
 */
import { LETTER_HOLD_MS } from '../../../../src/dockets/rules/routing/policy.ts';
import type { Violation } from '../../evidence.ts';
import type { RouterWorld } from '../world.ts';

const INVARIANT = 'late_write';
/** As the policy of the firm has it: then an attempt without an outcome is unknown, and the next one may be made. */
const OUTCOME_MS_MAX = 4_500;

export function lateWrite({ book }: RouterWorld): Violation[] {
  const found: Violation[] = [];
  for (const { at, by, target, intents } of book.departures) {
    for (const { docket, tier, startedAt } of intents) {
      // A notice of the manual tier has a lease of its own, with each try anew.
      // An email may wait for others to its reader first.
      const limitMs = OUTCOME_MS_MAX + (target.startsWith('mail-') ? LETTER_HOLD_MS : 0);
      if (tier === 'MANUAL' || at - startedAt <= limitMs) continue;
      const text = `${by} sent ${docket} to ${target} ${at - startedAt} ms after its intent`;
      found.push({ invariant: INVARIANT, text });
    }
  }
  // By run: who claimed its work last, and the count of that claim.
  const leases = new Map<string, { readonly by: string; readonly tries: number }>();
  for (const { by, works, evidence } of book.commits) {
    for (const { run, step } of evidence) {
      const lease = leases.get(run);
      if (step !== 'approval' && lease?.by !== by) {
        const text = `${by} told of "${step}" while ${lease?.by} had the lease`;
        found.push({ invariant: INVARIANT, text });
      }
    }
    for (const { after } of works) {
      if (after.kind === 'recovery') leases.set(after.id, { by, tries: after.tries });
    }
  }
  return found;
}
