import type { Profile } from '../../core/index.ts';
import { type FaultKind, FAULTS } from './faults.ts';
import { isThrottleAfterAcceptance } from './throttle-stamps.ts';

/** Whether a careful client can be right under a fault, going by what its profile says. */
export function isSurvivable(
  kind: FaultKind,
  { throttle, receipt, status }: Pick<Profile, 'throttle' | 'receipt' | 'status'>,
): boolean {
  if (!FAULTS[kind].survivable) return false;
  // The profile vouches for throttles, and is wrong.
  if (isThrottleAfterAcceptance(kind)) return throttle.provesNothingTaken !== true;
  // Where the other filing's own answer was lost, its receipt is new to the client: only a name can tell.
  if (kind === 'answer_of_another') return receipt.echoes?.some(({ of }) => of === 'key') === true;
  // Where answers name nobody, none can name a wrong one.
  if (kind === 'status_other_entity') return status?.echoes !== undefined;
  return true;
}
