import type { Own } from '../../lanes/index.ts';
import type { Profile } from '../../core/index.ts';
import type { AnswerBodies } from './answer-bodies.ts';
import type { Behaviour } from './behaviour.ts';
import type { Dice } from './dice.ts';
import type { FaultPlan } from './fault-plan.ts';
import type { FaultKind } from './faults.ts';
import type { AnswerPlan } from './plan.ts';
import type { ReceiptMaker } from './receipt-maker.ts';
import type { Truth } from './truth.ts';

/** What one endpoint makes of a request. */
export interface Handled {
  readonly answer: AnswerPlan;
  readonly fault: FaultKind | undefined;
  /** From the arrival to the answer. */
  readonly delayMs: number;
  readonly acceptsAfterMs: number | undefined;
}

/** A filing as the answers to it name it. */
export interface Taken {
  readonly key: string;
  readonly receipt: string;
  readonly own: Own;
}

/** Things that the endpoints of one portal share. */
export interface PortalState {
  readonly profile: Profile;
  readonly bodies: AnswerBodies;
  readonly receipts: ReceiptMaker;
  readonly truth: Truth;
  readonly dice: Dice;
  behaviour: Behaviour;
  faultPlan: FaultPlan;
  receiptsIssued: number;
  /** The filing that was taken last. */
  lastTaken: Taken | undefined;
  /** The portal has asked everybody to stay away from the first moment to the second. */
  pause: { readonly from: number; readonly until: number };
}

/** An answer without a fault that takes nothing. */
export function honest(answer: AnswerPlan, delayMs: number): Handled {
  return { answer, fault: undefined, delayMs, acceptsAfterMs: undefined };
}

/**
 * How long "too long" is: past the client's timeout, but inside the time that the profile says the portal may go on
 * working. Beyond that the profile would be wrong, and no client could be right.
 */
export function beyondTimeoutMs({ timeoutMs, longestServiceMs }: Profile): number {
  return longestServiceMs > timeoutMs
    ? Math.ceil((timeoutMs + Math.min(longestServiceMs, 2 * timeoutMs)) / 2)
    : timeoutMs + Math.ceil(longestServiceMs / 2);
}

/**
 * How long the portal works on after its answer: only where somebody in front of it gave up who does not know what it
 * does. A limiter that the profile vouches for lets nothing through that it turns away.
 */
export function worksOnMs(
  answer: AnswerPlan,
  { profile, behaviour }: Pick<PortalState, 'profile' | 'behaviour'>,
): number {
  return isGivenUp(answer, profile) ? behaviour.timings.worksOnMs : 0;
}

function isGivenUp(answer: AnswerPlan, { throttle }: Profile): boolean {
  if (answer.kind !== 'respond') return answer.kind === 'cut';
  const { status, headers, delivery } = answer;
  if (delivery.kind === 'truncated') return true;
  const isThrottle = status === 429 || (status === 503 && headers['retry-after'] !== undefined);
  if (isThrottle) return throttle.provesNothingTaken !== true;
  return status >= 500 || [408, 423, 425].includes(status);
}
