/**
 * When the grantor's ledger cannot be read: wait 2 to 30 seconds, at most 15 minutes in all, and after three failures in
 * a row no more. A retry verifies the same frozen payload again; it never changes a total.
 */
import {
  addMs,
  type Instant,
  instant,
  invariant,
  type Random,
  toRfc3339,
} from '../../../core/index.ts';
import type { FailureVerdict } from '../intake/failures.ts';

export const DELAY_MS_MIN = 2_000;
export const DELAY_MS_MAX = 30_000;
export const RETRY_TOTAL_MS = 15 * 60_000;
export const TRANSIENT_IN_A_ROW_MAX = 3;
export const RETRY_EXHAUSTED = 'RETRY_EXHAUSTED_PERMANENT_FAILURE';

export interface RetryState {
  readonly payloadHash: string;
  /** When the first attempt began; the 15 minutes run from here. */
  readonly startedAt: Instant;
  readonly attempts: number;
  readonly transientInARow: number;
}

/** Committed before the retry, so that a crash leaves no attempt without a record. */
export interface RetrySnapshot {
  readonly attempt_count: number;
  readonly last_error_code: string;
  readonly retry_deadline: string;
  readonly payload_hash: string;
}

export type RetryDecision =
  | {
      readonly kind: 'retry';
      readonly at: Instant;
      readonly snapshot: RetrySnapshot;
      readonly state: RetryState;
    }
  | {
      readonly kind: 'fallback';
      readonly escalationCode: string;
      readonly snapshot: RetrySnapshot;
      readonly state: RetryState;
    };

export function firstAttempt(payloadHash: string, now: Instant): RetryState {
  return { payloadHash, startedAt: now, attempts: 0, transientInARow: 0 };
}

export function decideRetry(
  before: RetryState,
  failed: {
    readonly verdict: FailureVerdict;
    /** Of what was verified; it must be what was frozen. */
    readonly payloadHash: string;
    readonly now: Instant;
    readonly dice: Random;
  },
): RetryDecision {
  const { verdict, now } = failed;
  invariant(failed.payloadHash === before.payloadHash, 'a retry must not change its payload', {
    payload: before.payloadHash,
  });
  const isTransient = verdict.kind === 'transient';
  const state: RetryState = {
    ...before,
    attempts: before.attempts + 1,
    transientInARow: isTransient ? before.transientInARow + 1 : before.transientInARow,
  };
  const deadline = addMs(before.startedAt, RETRY_TOTAL_MS);
  const snapshot: RetrySnapshot = {
    attempt_count: state.attempts,
    last_error_code: verdict.code,
    retry_deadline: toRfc3339(deadline),
    payload_hash: before.payloadHash,
  };
  if (!isTransient) return { kind: 'fallback', escalationCode: verdict.code, snapshot, state };
  const at = addMs(now, delayMs(state.transientInARow, failed.dice));
  if (state.transientInARow >= TRANSIENT_IN_A_ROW_MAX || at > deadline) {
    return { kind: 'fallback', escalationCode: RETRY_EXHAUSTED, snapshot, state };
  }
  return { kind: 'retry', at: instant(at), snapshot, state };
}

/** Some part was read: what fails next is the first failure in a row again. */
export function afterProgress(state: RetryState): RetryState {
  return { ...state, transientInARow: 0 };
}

/** Twice as long after each failure, anywhere between the last step and this one, so that payloads do not come back together. */
function delayMs(failures: number, dice: Random): number {
  const step = Math.min(DELAY_MS_MAX, DELAY_MS_MIN * 2 ** Math.min(failures, 10));
  const from = Math.max(DELAY_MS_MIN, step / 2);
  const fraction = Buffer.from(dice.bytes(4)).readUInt32BE(0) / 2 ** 32;
  return Math.round(from + (step - from) * fraction);
}
