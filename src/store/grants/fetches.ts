/** Award documents that are read over a lane: what is asked for, what came of it, and a snapshot before every attempt. */
import type { Instant } from '../../core/index.ts';
import { lockedOnce } from '../locked-once.ts';
import { hex, optional, text, when } from '../rows.ts';
import type { Row, Statement } from '../session.ts';
import { snapshotOf, snapshotValues, type StoredSnapshot } from './snapshots.ts';
import type { StageRun } from './stage.ts';

export interface Fetch {
  readonly id: string;
  readonly lane: string;
  readonly path: string;
  readonly format: string;
  readonly requestSha256: string;
  readonly startedAt: Instant;
  readonly attempts: number;
  readonly inARow: number;
  readonly nextAt: Instant | undefined;
  readonly state: 'waiting' | 'ingested' | 'fallback';
  readonly lastErrorCode: string | undefined;
  /** The most that was ever read of the document. */
  readonly seen:
    | { readonly bytes: number; readonly sha256: string; readonly isWhole: boolean }
    | undefined;
  readonly document: string | undefined;
  readonly exception: string | undefined;
  readonly ver: number;
}

const ADD: Statement = {
  name: 'grants-fetch-add',
  text: `
insert into grant_fetch (tenant, id, lane, path, format, request_sha256, started_at, next_at)
values ($1, $2, $3, $4, $5, decode($6, 'hex'), to_timestamp($7::double precision / 1000),
  to_timestamp($7::double precision / 1000))
on conflict do nothing`,
};

const FIND: Statement = {
  name: 'grants-fetch-find',
  text: `select * from grant_fetch where tenant = $1 and lane = $2 and path = $3 and state = 'waiting'`,
};

// The attempt is counted before it is made. Until `lease` nobody else takes it; whoever dies meanwhile loses his turn.
const CLAIM: Statement = {
  name: 'grants-fetch-claim',
  text: `
with ${lockedOnce(
    'due',
    `
  select id from grant_fetch where tenant = $1 and lane = $2 and state = 'waiting'
    and next_at <= to_timestamp($3::double precision / 1000) and ($5::uuid is null or id = $5)
  order by next_at, id limit 1`,
  )}
update grant_fetch f set attempts = attempts + 1, ver = ver + 1, next_at = to_timestamp($4::double precision / 1000)
from due where f.tenant = $1 and f.id = due.id returning f.*`,
};

const RECORD: Statement = {
  name: 'grants-fetch-record',
  text: `
update grant_fetch set state = $4, in_a_row = $5, last_error_code = $6, seen_bytes = $7, seen_sha256 = decode($8, 'hex'),
  seen_whole = $9, document = $10, exception = $11, next_at = to_timestamp($12::double precision / 1000), ver = ver + 1
where tenant = $1 and id = $2 and attempts = $3 and state = 'waiting' returning ver`,
};

const SNAPSHOT: Statement = {
  name: 'grants-fetch-snapshot-add',
  text: `
insert into grant_fetch_snapshot (tenant, fetch_id, n, kind, attempt_count, last_error_code, retry_deadline, payload_hash, at)
select $1, $2, coalesce(max(n), 0) + 1, $3, $4, $5, $6, $7, to_timestamp($8::double precision / 1000)
from grant_fetch_snapshot where tenant = $1 and fetch_id = $2`,
};

const SNAPSHOTS: Statement = {
  name: 'grants-fetch-snapshots',
  text: `
select kind, attempt_count, last_error_code, retry_deadline, payload_hash, at from grant_fetch_snapshot
where tenant = $1 and fetch_id = $2 order by n`,
};

/** The one that waits for this place already, or the one that was added now. */
export async function openFetch(
  at: StageRun,
  fresh: Pick<Fetch, 'id' | 'lane' | 'path' | 'format' | 'requestSha256' | 'startedAt'>,
): Promise<Fetch> {
  const { id, lane, path, format, requestSha256, startedAt } = fresh;
  await at.run(ADD, [at.tenant, id, lane, path, format, requestSha256, startedAt]);
  const [row] = await at.run(FIND, [at.tenant, lane, path]);
  if (row === undefined) throw new Error(`no fetch of ${path}`);
  return fetchOf(row);
}

export async function claimFetch(
  at: StageRun,
  lane: string,
  times: { readonly now: Instant; readonly lease: Instant },
  id?: string,
): Promise<Fetch | undefined> {
  const [row] = await at.run(CLAIM, [at.tenant, lane, times.now, times.lease, id ?? null]);
  return row === undefined ? undefined : fetchOf(row);
}

/** False when somebody else has taken the attempt over meanwhile. */
export async function recordFetch(at: StageRun, after: Fetch): Promise<boolean> {
  const rows = await at.run(RECORD, [
    at.tenant,
    after.id,
    after.attempts,
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
  return rows.length > 0;
}

export async function addFetchSnapshot(
  at: StageRun,
  fetch: string,
  snapshot: StoredSnapshot,
): Promise<void> {
  await at.run(SNAPSHOT, [at.tenant, fetch, ...snapshotValues(snapshot)]);
}

export async function fetchSnapshots(
  at: StageRun,
  fetch: string,
): Promise<readonly StoredSnapshot[]> {
  return (await at.run(SNAPSHOTS, [at.tenant, fetch])).map(snapshotOf);
}

function fetchOf(row: Row): Fetch {
  const bytes = optional(row['seen_bytes'], Number);
  return {
    id: text(row['id']),
    lane: text(row['lane']),
    path: text(row['path']),
    format: text(row['format']),
    requestSha256: hex(row['request_sha256']),
    startedAt: when(row['started_at']),
    attempts: Number(row['attempts']),
    inARow: Number(row['in_a_row']),
    nextAt: optional(row['next_at'], when),
    // A check constraint holds the column to these words.
    state: text(row['state']) as Fetch['state'],
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
