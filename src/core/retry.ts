import { fractionOf, nextDelayMs } from './backoff.ts';
import type { RetryPolicy } from './profile.ts';

/**
 * The policy's numbers, with jitter between half and the whole of the step. The jitter is derived from what is tried and
 * the attempt, so a replay from the ledger decides the same, and what failed together spreads out.
 */
export function backoffMs(
  { delayMsMin: firstMs, delayMsMax: msMax }: RetryPolicy,
  input: { readonly id: string; readonly attempt: number; readonly failures: number },
): number {
  const fraction = fractionOf(`${input.id}/${input.attempt}`);
  return nextDelayMs({ steps: { firstMs, msMax }, spread: [0.5, 1] }, input.failures, fraction);
}
