/** Rows to domain types, at the edge. The database's own constraints guarantee the shapes that are asserted here. */
import {
  attemptId,
  batchId,
  type Claim,
  entryId,
  type Filing,
  filingId,
  type FilingStatus,
  idempotencyKey,
  type Instant,
  instant,
  laneCode,
  type LaneState,
  type PayloadOwner,
  readStep,
  type SealedPayload,
  sha256Hex,
  workerId,
} from '../core/index.ts';
import type { Row } from './session.ts';

export function text(value: unknown): string {
  return String(value);
}

export function bytes(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new TypeError('expected bytes from the database');
  return value;
}

export function hex(value: unknown): string {
  return Buffer.from(bytes(value)).toString('hex');
}

export function when(value: unknown): Instant {
  return instant(Number(value));
}

export function optional<T>(value: unknown, read: (value: unknown) => T): T | undefined {
  return value === null || value === undefined ? undefined : read(value);
}

/** Null stays null: for what is written as JSON. */
export function orNull<T>(value: unknown, read: (value: unknown) => T): T | null {
  return value === null || value === undefined ? null : read(value);
}

/** Columns of `filing f` joined with `envelope e`, as `filingOf` reads them. */
export const FILING_COLUMNS = `
  f.id, e.batch, e.lane, e.jurisdiction, e.effect, e.entity_id, e.filing_kind, e.period, e.revision, e.key,
  e.payload_sha256, e.not_before, e.due, e.last_safe, f.status, f.attempt, f.attempt_id, f.step, f.failures,
  f.failing_since, f.captcha_marks, f.holder, f.claim, f.profile_n`;

export function filingOf(row: Row): Filing {
  return {
    id: filingId(text(row['id'])),
    batch: batchId(text(row['batch'])),
    lane: laneCode(text(row['lane'])),
    jurisdiction: text(row['jurisdiction']),
    effect: row['effect'] === 'notice' ? 'notice' : 'filing',
    entityId: text(row['entity_id']),
    filingKind: text(row['filing_kind']),
    period: text(row['period']),
    revision: Number(row['revision']),
    key: idempotencyKey(text(row['key'])),
    payloadSha256: sha256Hex(hex(row['payload_sha256'])),
    notBefore: when(row['not_before']),
    due: when(row['due']),
    lastSafe: when(row['last_safe']),
    // A check constraint holds the column to these words.
    status: text(row['status']) as FilingStatus,
    attempt: Number(row['attempt']),
    step: optional(row['step'], readStep),
    failures: Number(row['failures']),
    failingSince: optional(row['failing_since'], when),
    captchaMarks: Number(row['captcha_marks']),
    holder: optional(row['holder'], (value) => workerId(text(value))),
  };
}

/** Columns of a sealed payload: `ledger_blob b` joined with `ledger_dek k`. */
export const SEALED_COLUMNS = `
  b.bytes as blob, b.entry as blob_entry, k.id as key_id, k.month as key_month, k.wrapped as key_wrapped`;

/** `owner` is what the row that leads to a filing's payload says it is; the seal must say the same. */
export function sealedOf(row: Row, owner?: PayloadOwner): SealedPayload {
  return {
    ...(owner === undefined ? {} : { owner }),
    blob: bytes(row['blob']),
    entry: entryId(text(row['blob_entry'])),
    key: {
      id: text(row['key_id']),
      month: text(row['key_month']),
      wrapped: bytes(row['key_wrapped']),
    },
  };
}

function claimOf(row: Row): Claim {
  const filing = filingOf(row);
  return {
    filing,
    worker: filing.holder ?? workerId(''),
    attempt: attemptId(optional(row['attempt_id'], text) ?? ''),
    // A check constraint holds the column to these words.
    reason: text(row['claim']) as Claim['reason'],
    payload: sealedOf(row, { filing: filing.id, key: filing.key }),
    ...(row['profile_n'] === null ? {} : { profileN: Number(row['profile_n']) }),
  };
}

/** The claims that can be read, and the filings of those that cannot: one row that is not as we write it stops no other. */
export function claimsOf(rows: readonly Row[]): {
  readonly claims: readonly Claim[];
  readonly unreadable: readonly string[];
} {
  const claims: Claim[] = [];
  const unreadable: string[] = [];
  for (const row of rows) {
    try {
      claims.push(claimOf(row));
    } catch {
      // What cannot be read cannot be decided on either; the caller tells a person which filing it is.
      unreadable.push(text(row['id']));
    }
  }
  return { claims, unreadable };
}

export function laneOf(row: Row): LaneState {
  return {
    // Written only by this room, from a LaneState.
    ...(row['state'] as Omit<LaneState, 'code' | 'version' | 'ceiling'>),
    code: laneCode(text(row['code'])),
    version: Number(row['version']),
    ceiling: Number(row['ceiling']),
  };
}
