/**
 * Which refusals are told in the ledger. Each first one of a day is; then each that doubles the number. So that trying is never
 * unseen, and a program that tries a million times writes twenty-one entries.
 */
import type { Instant } from '../core/index.ts';

/** Of one actor and one act. */
export interface RefusalCount {
  readonly since: Instant;
  readonly times: number;
  /** How many of these an entry has told; never more than `times`. */
  readonly told: number;
}

const DAY_MS = 86_400_000;

interface Refused {
  readonly count: RefusalCount;
  /** How many this one's entry tells of, itself and those that no entry told; undefined for no entry. */
  readonly tells: number | undefined;
}

export function afterRefusal(before: RefusalCount | undefined, now: Instant): Refused {
  if (before === undefined) return { count: { since: now, times: 1, told: 1 }, tells: 1 };
  const untold = before.times - before.told;
  if (now - before.since >= DAY_MS) {
    return { count: { since: now, times: 1, told: 1 }, tells: untold + 1 };
  }
  const times = before.times + 1;
  const isTold = Number.isInteger(Math.log2(times));
  return isTold
    ? { count: { since: before.since, times, told: times }, tells: untold + 1 }
    : { count: { ...before, times }, tells: undefined };
}
