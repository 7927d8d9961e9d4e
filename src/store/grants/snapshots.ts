/** What is committed before every attempt at a boundary, and after every failure. */
import { type Instant, toRfc3339 } from '../../core/index.ts';
import { text, when } from '../rows.ts';
import type { Row } from '../session.ts';

export interface StoredSnapshot {
  readonly kind: 'attempt' | 'failure';
  readonly attemptCount: number;
  readonly lastErrorCode: string;
  readonly retryDeadline: Instant;
  readonly payloadHash: string;
  readonly at: Instant;
}

export function snapshotValues(snapshot: StoredSnapshot): readonly unknown[] {
  const { kind, attemptCount, lastErrorCode, retryDeadline, payloadHash, at } = snapshot;
  return [kind, attemptCount, lastErrorCode, toRfc3339(retryDeadline), payloadHash, at];
}

export function snapshotOf(row: Row): StoredSnapshot {
  return {
    kind: row['kind'] === 'failure' ? 'failure' : 'attempt',
    attemptCount: Number(row['attempt_count']),
    lastErrorCode: text(row['last_error_code']),
    retryDeadline: when(row['retry_deadline']),
    payloadHash: text(row['payload_hash']),
    at: when(row['at']),
  };
}
