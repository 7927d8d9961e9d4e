/** How the attempts of a boundary are written down; ingestion and reconciliation do it in the same words. */
import { type Instant, instant, parseRfc3339, toRfc3339 } from '../core/index.ts';
import type { RetrySnapshot, TriedOnce } from '../packs/grants/index.ts';
import type { StoredSnapshot } from '../store/index.ts';

/** Longer than a lane waits for an answer; then somebody else may try. */
export const ATTEMPT_LEASE_MS = 120_000;
/** A run of a queue ends, however fast it fills. */
export const ATTEMPTS_MAX = 1_000;

export function failureSnapshot(snapshot: RetrySnapshot, now: Instant): StoredSnapshot {
  return {
    kind: 'failure',
    attemptCount: snapshot.attempt_count,
    lastErrorCode: snapshot.last_error_code,
    retryDeadline: parseRfc3339(snapshot.retry_deadline) ?? instant(now),
    payloadHash: snapshot.payload_hash,
    at: now,
  };
}

/** For the envelope of an exception: every failure, in order. */
export function auditTrail(snapshots: readonly StoredSnapshot[]): readonly TriedOnce[] {
  return snapshots
    .filter(({ kind }) => kind === 'failure')
    .map((one) => ({
      attempt_count: one.attemptCount,
      last_error_code: one.lastErrorCode,
      retry_deadline: toRfc3339(one.retryDeadline),
      payload_hash: one.payloadHash,
      at: toRfc3339(one.at),
    }));
}
