/** The retry queue: questions to grantors' ledgers, and a snapshot before every attempt. */
import { type Instant, instant, type JsonValue } from '../../core/index.ts';
import { lockedOnce } from '../locked-once.ts';
import { hex, optional, text, when } from '../rows.ts';
import type { Row, Statement } from '../session.ts';
import { snapshotOf, snapshotValues, type StoredSnapshot } from './snapshots.ts';
import type { StageRun } from './stage.ts';

export interface Verification {
  readonly id: string;
  readonly grantor: string;
  /** The sealed body that holds the question; undefined where it was asked before questions were sealed. */
  readonly questionCt: string | undefined;
  /** As it stood in the table before that. */
  readonly clearQuestion: JsonValue;
  readonly payloadSha256: string;
  readonly startedAt: Instant;
  readonly attempts: number;
  readonly inARow: number;
  readonly nextAt: Instant | undefined;
  readonly state: 'waiting' | 'verified' | 'differs' | 'fallback';
  readonly lastErrorCode: string | undefined;
  readonly differences: readonly string[];
  readonly exception: string | undefined;
  readonly ver: number;
}

const ADD: Statement = {
  name: 'grants-verification-add',
  text: `
insert into grant_verification (tenant, id, grantor, question, question_ct, payload_sha256, started_at, next_at)
values ($1, $2, $3, '{"sealed": true}', decode($4, 'hex'), decode($5, 'hex'), to_timestamp($6::double precision / 1000),
  to_timestamp($6::double precision / 1000))`,
};

const LOCK: Statement = {
  name: 'grants-verification-lock',
  text: `select pg_advisory_xact_lock(hashtextextended('filewright.grants.verification/' || $1::text || '/' || $2::text, 0))`,
};

/** A second one that would begin waits, and then finds the first. */
export async function lockVerification(at: StageRun, grantor: string): Promise<void> {
  await at.run(LOCK, [at.tenant, grantor]);
}

const FIND: Statement = {
  name: 'grants-verification-find',
  text: `select * from grant_verification where tenant = $1 and grantor = $2 and state = 'waiting'`,
};

// The attempt is counted before it is made. Until `lease` nobody else takes it; whoever dies meanwhile loses his turn.
const CLAIM: Statement = {
  name: 'grants-verification-claim',
  text: `
with ${lockedOnce(
    'due',
    `
  select id from grant_verification where tenant = $1 and state = 'waiting'
    and next_at <= to_timestamp($2::double precision / 1000) and ($4::uuid is null or id = $4)
  order by next_at, id limit 1`,
  )}
update grant_verification v set attempts = attempts + 1, ver = ver + 1,
  next_at = to_timestamp($3::double precision / 1000)
from due where v.tenant = $1 and v.id = due.id returning v.*`,
};

const RECORD: Statement = {
  name: 'grants-verification-record',
  text: `
update grant_verification set state = $4, in_a_row = $5, last_error_code = $6, differences = $7, exception = $8,
  next_at = to_timestamp($9::double precision / 1000), ver = ver + 1,
  question = case when $4 = 'waiting' or question_ct is not null then question else '{}' end
where tenant = $1 and id = $2 and attempts = $3 and state = 'waiting' returning ver`,
};

const SNAPSHOT: Statement = {
  name: 'grants-snapshot-add',
  text: `
insert into grant_retry_snapshot (tenant, verification, n, kind, attempt_count, last_error_code, retry_deadline,
  payload_hash, at)
select $1, $2, coalesce(max(n), 0) + 1, $3, $4, $5, $6, $7, to_timestamp($8::double precision / 1000)
from grant_retry_snapshot where tenant = $1 and verification = $2`,
};

const SNAPSHOTS: Statement = {
  name: 'grants-snapshots',
  text: `
select kind, attempt_count, last_error_code, retry_deadline, payload_hash, at from grant_retry_snapshot
where tenant = $1 and verification = $2 order by n`,
};

export async function addVerification(
  at: StageRun,
  verification: Pick<Verification, 'id' | 'grantor' | 'payloadSha256' | 'startedAt'> & {
    readonly questionCt: string;
  },
): Promise<void> {
  const { id, grantor, questionCt, payloadSha256, startedAt } = verification;
  const values = [id, grantor, questionCt, payloadSha256, startedAt];
  await at.run(ADD, [at.tenant, ...values]);
}

export async function waitingVerification(
  at: StageRun,
  grantor: string,
): Promise<Verification | undefined> {
  const [row] = await at.run(FIND, [at.tenant, grantor]);
  return row === undefined ? undefined : verificationOf(row);
}

export async function claimVerification(
  at: StageRun,
  times: { readonly now: Instant; readonly lease: Instant },
  id?: string,
): Promise<Verification | undefined> {
  const [row] = await at.run(CLAIM, [at.tenant, times.now, times.lease, id ?? null]);
  return row === undefined ? undefined : verificationOf(row);
}

/** False when somebody else has taken the attempt over meanwhile. */
export async function recordVerification(at: StageRun, after: Verification): Promise<boolean> {
  const rows = await at.run(RECORD, [
    at.tenant,
    after.id,
    after.attempts,
    after.state,
    after.inARow,
    after.lastErrorCode ?? null,
    // Each names an award and its reference: the sealed envelope of the exception has the words.
    JSON.stringify(after.differences.map((_, n) => `difference ${n + 1}`)),
    after.exception ?? null,
    after.nextAt ?? null,
  ]);
  return rows.length > 0;
}

export async function addSnapshot(
  at: StageRun,
  verification: string,
  snapshot: StoredSnapshot,
): Promise<void> {
  await at.run(SNAPSHOT, [at.tenant, verification, ...snapshotValues(snapshot)]);
}

export async function snapshotsOf(
  at: StageRun,
  verification: string,
): Promise<readonly StoredSnapshot[]> {
  return (await at.run(SNAPSHOTS, [at.tenant, verification])).map(snapshotOf);
}

function verificationOf(row: Row): Verification {
  return {
    id: text(row['id']),
    grantor: text(row['grantor']),
    questionCt: optional(row['question_ct'], hex),
    clearQuestion: row['question'] as JsonValue,
    payloadSha256: hex(row['payload_sha256']),
    startedAt: when(row['started_at']),
    attempts: Number(row['attempts']),
    inARow: Number(row['in_a_row']),
    nextAt: optional(row['next_at'], (value) => instant(Number(value))),
    // A check constraint holds the column to these words.
    state: text(row['state']) as Verification['state'],
    lastErrorCode: optional(row['last_error_code'], text),
    differences: row['differences'] as string[],
    exception: optional(row['exception'], text),
    ver: Number(row['ver']),
  };
}
