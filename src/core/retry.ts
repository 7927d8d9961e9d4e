import { createHash } from 'node:crypto';
import type { RetryPolicy } from './profile.ts';

/**
 * Capped exponential backoff with jitter between half and the whole of the step. The jitter is derived from what
 * is tried and the attempt, so a replay from the ledger decides the same, and what failed together spreads out.
 */
export function backoffMs(
  policy: RetryPolicy,
  input: { readonly id: string; readonly attempt: number; readonly failures: number },
): number {
  const doublings = Math.min(Math.max(input.failures - 1, 0), 30);
  const step = Math.min(policy.delayMsMax, policy.delayMsMin * 2 ** doublings);
  return Math.round(step / 2 + (step / 2) * fractionOf(`${input.id}/${input.attempt}`));
}

/** A number in [0, 1) that depends on nothing but the text. */
function fractionOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}
