/** How long to wait after a failure: one type and one function, every caller's numbers as data. Pure. */
import { createHash } from 'node:crypto';

export interface Backoff {
  /** What is waited after the first failure, the second and so on: twice as long each time, or as listed. */
  readonly steps: { readonly firstMs: number; readonly msMax: number } | readonly number[];
  /** The shares of a step between which the wait lies: what failed together must not all come back together. */
  readonly spread: readonly [least: number, most: number];
}

// Beyond it every step has met its cap, and a power of two would end as infinity.
const DOUBLINGS_MAX = 30;

/** `failures` in a row are counted from 1; after the last one of a list its step holds. `fraction` is from 0 to 1. */
export function nextDelayMs({ steps, spread }: Backoff, failures: number, fraction = 0): number {
  const before = Math.max(failures - 1, 0);
  const stepMs =
    'firstMs' in steps
      ? Math.min(steps.msMax, steps.firstMs * 2 ** Math.min(before, DOUBLINGS_MAX))
      : (steps[Math.min(before, steps.length - 1)] ?? 0);
  const [least, most] = spread;
  const leastMs = stepMs * least;
  return Math.round(leastMs + (stepMs * most - leastMs) * fraction);
}

/** From 0 to below 1, always the same for the same text: no dice, so a replay waits as long. */
export function fractionOf(text: string): number {
  return fractionIn(createHash('sha256').update(text).digest().subarray(0, 4));
}

/** From 0 to below 1, as thrown dice say it. */
export function fractionIn(bytes: Uint8Array): number {
  return bytes.reduceRight((sum, byte) => (sum + byte) / 256, 0);
}
