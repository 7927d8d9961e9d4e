import type { Evidence, Violation } from '../evidence.ts';
import { countedOnce, nothingLost, totals } from './money.ts';
import { exceptionsUntouched, frozen, handoffChecked, metadataChain, oneFact } from './record.ts';
import { retryRules } from './retries.ts';

export function violationsOf(evidence: Evidence): Violation[] {
  const lasting = [...frozen(evidence), ...handoffChecked(evidence), ...metadataChain(evidence)];
  const found = [
    ...evidence.surprises,
    ...lasting,
    ...retryRules(evidence),
    ...countedOnce(evidence),
  ];
  // A world that did not come to its end lacks what was still to come.
  if (evidence.surprises.some(({ invariant }) => invariant === 'runs_again')) return found;
  return [
    ...found,
    ...nothingLost(evidence),
    ...totals(evidence),
    ...exceptionsUntouched(evidence),
    ...oneFact(evidence),
  ];
}
