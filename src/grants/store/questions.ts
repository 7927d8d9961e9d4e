/**
 * Questions to lanes: what is asked, frozen; every try, on record before it is made; and what became of it. A stage asks
 * for one purpose (walls.ts), so that no statement here can name the questions of another.
 */
import { type Instant, type JsonValue, toRfc3339 } from '../../core/index.ts';
import {
  hex,
  lockedOnce,
  optional,
  type Purpose,
  purposeOf,
  type Row,
  sql,
  text,
  when,
} from '../../postgres/index.ts';
import type { StageRun } from './stage.ts';

export interface Question {
  readonly id: string;
  readonly purpose: Purpose;
  readonly lane: string;
  /** A path below the lane, or a grantor. */
  readonly subject: string;
  readonly request: FrozenRequest;
  readonly requestSha256: string;
  readonly startedAt: Instant;
  readonly tries: number;
  readonly inARow: number;
  readonly nextAt: Instant | undefined;
  readonly state: 'waiting' | 'done' | 'fallback';
  readonly lastErrorCode: string | undefined;
  /** The most that was ever read of a document. */
  readonly seen:
    | { readonly bytes: number; readonly sha256: string; readonly isWhole: boolean }
    | undefined;
  readonly document: string | undefined;
  readonly exception: string | undefined;
  readonly ver: number;
}

type FrozenRequest =
  | { readonly kind: 'clear'; readonly value: JsonValue }
  /** The body of this name in the stage's log. */
  | { readonly kind: 'sealed'; readonly ct: string };

type Place = Pick<Question, 'lane' | 'subject'>;

/** As the envelope of an exception tells it. */
interface FailedTry {
  readonly attempt_count: number;
  readonly last_error_code: string;
  readonly retry_deadline: string;
  readonly payload_hash: string;
  readonly at: string;
}

const LOCK = sql('grants-question-lock')`
select lock_name($1, 'grants.question', concat_ws('/', $2::text, $3::text, $4::text))`;

const FIND = sql('grants-question-find')`
select * from question where tenant = $1 and purpose = $2 and lane = $3 and subject = $4 and state = 'waiting'`;

const ADD = sql('grants-question-add')`
insert into question (tenant, purpose, lane, subject, id, request, request_ct, request_sha256, started_at, next_at)
values ($1, $2, $3, $4, $5, $6, decode($7, 'hex'), decode($8, 'hex'), to_timestamp($9::double precision / 1000),
  to_timestamp($9::double precision / 1000)) returning *`;

const tryOf = (from: string, of: { kind: string; code: string; at: string; totalMs: string }) => `
insert into question_try (tenant, question, purpose, n, kind, last_error_code, retry_deadline, payload_hash, at)
select tenant, id, purpose, tries, '${of.kind}', ${of.code}, started_at + ${of.totalMs}::int * interval '1 millisecond',
  encode(request_sha256, 'hex'), to_timestamp(${of.at}::double precision / 1000) from ${from}`;

// The try is counted and on record before it is made. Until `lease` nobody else takes it; whoever dies meanwhile loses his turn.
const CLAIM = sql('grants-question-claim')`
with ${lockedOnce(
  'due',
  `
  select id from question where tenant = $1 and purpose = $2 and lane = $3 and state = 'waiting'
    and next_at <= to_timestamp($4::double precision / 1000) and ($7::uuid is null or id = $7)
  order by next_at, id limit 1`,
)}, taken as (
  update question q set tries = tries + 1, ver = ver + 1, next_at = to_timestamp($5::double precision / 1000)
  from due where q.tenant = $1 and q.id = due.id returning q.*
), made as (${tryOf('taken', { kind: 'attempt', code: `coalesce(last_error_code, 'NONE')`, at: '$4', totalMs: '$6' })})
select * from taken`;

const RECORD = sql('grants-question-record')`
update question set state = $5, in_a_row = $6, last_error_code = $7, seen_bytes = $8, seen_sha256 = decode($9, 'hex'),
  seen_whole = $10, document = $11, exception = $12, next_at = to_timestamp($13::double precision / 1000), ver = ver + 1
where tenant = $1 and purpose = $2 and id = $3 and tries = $4 and state = 'waiting' returning *`;

const FAILED = sql('grants-question-failed')`
${tryOf('question', { kind: 'failure', code: '$4', at: '$5', totalMs: '$6' })} where tenant = $1 and purpose = $2 and id = $3`;

const FAILURES = sql('grants-question-failures')`
select n, last_error_code, retry_deadline, payload_hash, at from question_try
where tenant = $1 and purpose = $2 and question = $3 and kind = 'failure' order by n`;

/** The one that waits for its answer. A second process that would begin it waits here, and then finds the first. */
export async function waitingQuestion(at: StageRun, place: Place): Promise<Question | undefined> {
  const values = [...own(at), place.lane, place.subject];
  await at.run(LOCK, values);
  const [row] = await at.run(FIND, values);
  return row === undefined ? undefined : questionOf(row);
}

export async function addQuestion(
  at: StageRun,
  fresh: Place & Pick<Question, 'id' | 'request' | 'requestSha256' | 'startedAt'>,
): Promise<Question> {
  const { lane, subject, id, request, requestSha256, startedAt } = fresh;
  const clear = request.kind === 'clear' ? JSON.stringify(request.value) : null;
  const ct = request.kind === 'sealed' ? request.ct : null;
  const values = [lane, subject, id, clear, ct, requestSha256, startedAt];
  const [row] = await at.run(ADD, [...own(at), ...values]);
  return questionOf(row ?? {});
}

export async function claimQuestion(
  at: StageRun,
  lane: string,
  times: { readonly now: Instant; readonly lease: Instant; readonly totalMs: number },
  id?: string,
): Promise<Question | undefined> {
  const { now, lease, totalMs } = times;
  const [row] = await at.run(CLAIM, [...own(at), lane, now, lease, totalMs, id ?? null]);
  return row === undefined ? undefined : questionOf(row);
}

/** Undefined when somebody else has taken the try over meanwhile. */
export async function recordQuestion(at: StageRun, after: Question): Promise<Question | undefined> {
  const [row] = await at.run(RECORD, [
    ...own(at),
    after.id,
    after.tries,
    after.state,
    after.inARow,
    after.lastErrorCode ?? null,
    after.seen?.bytes ?? null,
    after.seen?.sha256 ?? null,
    after.seen?.isWhole ?? false,
    after.document ?? null,
    after.exception ?? null,
    after.nextAt ?? null,
  ]);
  return row === undefined ? undefined : questionOf(row);
}

/** That the last try failed; once for each try. */
export async function addFailure(
  at: StageRun,
  id: string,
  failure: { readonly code: string; readonly now: Instant; readonly totalMs: number },
): Promise<void> {
  await at.run(FAILED, [...own(at), id, failure.code, failure.now, failure.totalMs]);
}

export async function failuresOf(at: StageRun, id: string): Promise<readonly FailedTry[]> {
  return (await at.run(FAILURES, [...own(at), id])).map((row) => ({
    attempt_count: Number(row['n']),
    last_error_code: text(row['last_error_code']),
    retry_deadline: toRfc3339(when(row['retry_deadline'])),
    payload_hash: text(row['payload_hash']),
    at: toRfc3339(when(row['at'])),
  }));
}

function own(at: StageRun): readonly [tenant: string, purpose: Purpose] {
  return [at.tenant, purposeOf(at.stage)];
}

function questionOf(row: Row): Question {
  const bytes = optional(row['seen_bytes'], Number);
  const ct = optional(row['request_ct'], hex);
  return {
    id: text(row['id']),
    purpose: row['purpose'] === 'fetch' ? 'fetch' : 'verification',
    lane: text(row['lane']),
    subject: text(row['subject']),
    request:
      ct === undefined
        ? { kind: 'clear', value: row['request'] as JsonValue }
        : { kind: 'sealed', ct },
    requestSha256: hex(row['request_sha256']),
    startedAt: when(row['started_at']),
    tries: Number(row['tries']),
    inARow: Number(row['in_a_row']),
    nextAt: optional(row['next_at'], when),
    // A check constraint holds the column to these words.
    state: text(row['state']) as Question['state'],
    lastErrorCode: optional(row['last_error_code'], text),
    seen:
      bytes === undefined
        ? undefined
        : { bytes, sha256: hex(row['seen_sha256']), isWhole: row['seen_whole'] === true },
    document: optional(row['document'], text),
    exception: optional(row['exception'], text),
    ver: Number(row['ver']),
  };
}
