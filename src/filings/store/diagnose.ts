/** Reads for `diagnose`: what was tried, what came back and what the lanes did, in pages, for a batch or one filing. */
import {
  decodeJson,
  type FilingId,
  filingId,
  type Instant,
  isUuid,
  notFound,
  pointer,
  type SealedPayload,
  type Sha256Hex,
  sha256Hex,
} from '../../core/index.ts';
import { firstSeqSince } from '../../ledger/index.ts';
import {
  bytes,
  hex,
  optional,
  type Row,
  SEALED_COLUMNS,
  sealedOf,
  type Session,
  sql,
  text,
  when,
} from '../../postgres/index.ts';

/** What is diagnosed: a batch, or one filing of it. */
export interface DiagnosedScope {
  readonly kind: 'batch' | 'filing';
  readonly id: string;
  readonly lanes: readonly string[];
  /** Nothing about it happened earlier. */
  readonly since: Instant;
}

export interface DiagnosedAttempt {
  readonly filing: FilingId;
  readonly lane: string;
  readonly attempt: number;
  readonly action: string;
  readonly at: Instant;
  readonly verdict: string;
  readonly code: string;
  /** False: a late answer of a former holder, kept beside the one that counted. */
  readonly counted: boolean;
  readonly sealed: SealedPayload | undefined;
}

export interface DiagnosedLaneEvent {
  readonly lane: string;
  readonly type: string;
  readonly at: string;
  readonly reason: string | undefined;
  readonly until: string | undefined;
}

export interface DiagnosedPayload {
  readonly filing: FilingId;
  readonly lane: string;
  readonly status: string;
  readonly code: string | undefined;
  readonly payloadSha256: Sha256Hex;
  readonly payload: SealedPayload;
}

/** Filings of one page; each has a sealed answer or more, and those may be large. */
const PAGE = 100;
/** Entries looked at in one statement. */
const STRETCH = 50_000;

const SCOPE = sql('diagnose-scope')`
select kind, id, min(created_at) as since, array_agg(distinct lane order by lane) as lanes from (
  select 'batch' as kind, e.batch as id, e.created_at, e.lane from envelope e where e.tenant = $1 and e.batch = $2::uuid
  union all
  select 'filing', e.id, e.created_at, e.lane from envelope e
  where e.tenant = $1 and (e.id = $2::uuid or (e.key = $3 and not e.withdrawn))) found
group by kind, id`;

// By the primary key: the ids of a batch lie side by side.
const FILINGS = sql('diagnose-filings')`select e.id from envelope e
where e.tenant = $1 and e.id > $4::uuid and (($2 = 'batch' and e.batch = $3::uuid) or e.id = $3::uuid)
order by e.id limit ${PAGE}`;

const ATTEMPTS = sql('diagnose-attempts')`
select o.filing, e.lane, o.no, coalesce(a.action, 'none') as action, o.at, o.verdict, o.code, o.counted,
  ${SEALED_COLUMNS}
from envelope e
join outcome o on o.tenant = e.tenant and o.filing = e.id
left join attempt a on a.tenant = o.tenant and a.filing = o.filing and a.no = o.no
left join ledger_blob b on b.ct = o.ct
left join ledger_dek k on k.tenant = o.tenant and k.id = b.key
where e.tenant = $1 and e.id = any ($2::uuid[]) and ($3::text[] is null or o.verdict = any ($3))
order by o.filing, o.no, o.holder`;

const PAYLOADS = sql('diagnose-payloads')`
select e.id, e.key as idempotency_key, e.lane, f.status, f.code, e.payload_sha256, ${SEALED_COLUMNS}
from envelope e
join filing f on f.tenant = e.tenant and f.id = e.id
join ledger_blob b on b.ct = e.payload_ct
join ledger_dek k on k.tenant = e.tenant and k.id = b.key
where e.tenant = $1 and e.id = any ($2::uuid[]) and (not $3::boolean or exists (
  select 1 from outcome o where o.tenant = e.tenant and o.filing = e.id and o.verdict = 'rejected'))
order by e.id`;

// Every entry about a lane has this text in it; what else has it is sorted out by the reader.
const LANE_ENTRIES = sql('diagnose-lane-entries')`
select bytes from ledger_entry where tenant = $1 and boundary = 'filing' and seq >= $2 and seq < $3
  and position('"kind":"lane"'::bytea in bytes) > 0 order by seq`;

const LANE_FACTS = sql('diagnose-lane-facts')`
select type, data from ledger_intake where tenant = $1 and boundary = 'filing' and subj_kind = 'lane' order by n`;

const SIZE = sql('diagnose-ledger-size')`
select size from ledger_head where tenant = $1 and boundary = 'filing'`;

/** A batch or a filing by its id, or a filing by its key. */
export async function diagnosedScope(
  session: Session,
  tenant: string,
  name: string,
): Promise<DiagnosedScope> {
  const [row] = await session.run(SCOPE, [tenant, isUuid(name) ? name : null, name]);
  if (row === undefined) {
    throw notFound(
      `No batch with filings and no filing is named ${name}; see batch list and filing list`,
    );
  }
  return {
    kind: row['kind'] === 'batch' ? 'batch' : 'filing',
    id: text(row['id']),
    // An aggregate of a text column.
    lanes: row['lanes'] as string[],
    since: when(row['since']),
  };
}

/** Attempts with an outcome, filing by filing, in order; only those of the given verdicts. */
export async function* diagnosedAttempts(
  session: Session,
  tenant: string,
  scope: DiagnosedScope,
  verdicts?: readonly string[],
): AsyncGenerator<DiagnosedAttempt> {
  for await (const filings of pages(session, tenant, scope)) {
    const rows = await session.run(ATTEMPTS, [tenant, filings, verdicts ?? null]);
    for (const row of rows) yield attemptOf(row);
  }
}

/** The payload of one filing, or of those in a batch that the portal ever refused. */
export async function* diagnosedPayloads(
  session: Session,
  tenant: string,
  scope: DiagnosedScope,
): AsyncGenerator<DiagnosedPayload> {
  for await (const filings of pages(session, tenant, scope)) {
    for (const row of await session.run(PAYLOADS, [tenant, filings, scope.kind === 'batch'])) {
      yield {
        filing: filingId(text(row['id'])),
        lane: text(row['lane']),
        status: text(row['status']),
        code: optional(row['code'], text),
        payloadSha256: sha256Hex(hex(row['payload_sha256'])),
        payload: sealedOf(row, {
          filing: text(row['id']),
          key: text(row['idempotency_key']),
        }),
      };
    }
  }
}

async function* pages(
  session: Session,
  tenant: string,
  scope: DiagnosedScope,
): AsyncGenerator<readonly string[]> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const rows = await session.run(FILINGS, [tenant, scope.kind, scope.id, after]);
    if (rows.length === 0) return;
    yield rows.map((row) => text(row['id']));
    if (rows.length < PAGE) return;
    after = text(rows.at(-1)?.['id']);
  }
}

/** What the lanes of the scope did since it began, from the ledger and from what is on its way into it. */
export async function diagnosedLaneEvents(
  session: Session,
  tenant: string,
  scope: DiagnosedScope,
): Promise<readonly DiagnosedLaneEvent[]> {
  const events: DiagnosedLaneEvent[] = [];
  const add = (type: unknown, facts: unknown): void => {
    const event = laneEventOf(type, facts);
    if (event !== undefined && scope.lanes.includes(event.lane)) events.push(event);
  };
  // Read before the ledger: a fact that is sequenced in between is then seen twice, which is better than never.
  const waiting = await session.run(LANE_FACTS, [tenant]);
  const [head] = await session.run(SIZE, [tenant]);
  const end = Number(head?.['size'] ?? 0);
  const log = { tenant, boundary: 'filing' };
  for (let first = await firstSeqSince(session, log, scope.since); first < end; first += STRETCH) {
    const range = [tenant, first, Math.min(end, first + STRETCH)];
    for (const row of await session.run(LANE_ENTRIES, range)) {
      const entry = decodeJson(bytes(row['bytes']));
      if (pointer(entry, '/subj/kind') === 'lane') {
        add(pointer(entry, '/type'), pointer(entry, '/data'));
      }
    }
  }
  for (const row of waiting) add(row['type'], row['data']);
  return distinct(events.filter(({ at }) => Date.parse(at) >= scope.since));
}

function laneEventOf(type: unknown, facts: unknown): DiagnosedLaneEvent | undefined {
  const at = pointer(facts, '/at');
  const lane = pointer(facts, '/lane');
  if (typeof type !== 'string' || typeof at !== 'string' || typeof lane !== 'string')
    return undefined;
  const [reason, until] = [pointer(facts, '/reason'), pointer(facts, '/until')];
  return {
    lane,
    type,
    at,
    reason: typeof reason === 'string' ? reason : undefined,
    until: typeof until === 'string' ? until : undefined,
  };
}

function distinct(events: readonly DiagnosedLaneEvent[]): readonly DiagnosedLaneEvent[] {
  return [...new Map(events.map((event) => [JSON.stringify(event), event])).values()];
}

function attemptOf(row: Row): DiagnosedAttempt {
  return {
    filing: filingId(text(row['filing'])),
    lane: text(row['lane']),
    attempt: Number(row['no']),
    action: text(row['action']),
    at: when(row['at']),
    verdict: text(row['verdict']),
    code: text(row['code']),
    counted: row['counted'] === true,
    // A key that was destroyed leaves the blob without its key.
    sealed: row['blob'] === null || row['key_wrapped'] === null ? undefined : sealedOf(row),
  };
}
