/** Batches: a view over filings that were imported together. Approval by a second person lets them go. */
import {
  APPROVAL_DAYS,
  type BatchId,
  batchId,
  checkSecondPerson,
  FilewrightError,
  type LedgerFact,
  notFound,
  type PersonId,
  ruledOut,
  type SealedPayload,
} from '../../core/index.ts';
import { partiesOf, recordFact } from '../../ledger/index.ts';
import type { Destination } from '../../lanes/index.ts';
import { proposedLanes, requireSameLanes } from './destinations.ts';
import { batchDestinations, batchHash } from './intake-store.ts';
import {
  hex,
  lockedOnce,
  optional,
  type Row,
  type Run,
  SEALED_COLUMNS,
  sealedOf,
  type Session,
  sql,
  text,
  when,
} from '../../postgres/index.ts';
import { decideProposal, refusedByRule } from '../../people/index.ts';

export interface Batch {
  readonly id: BatchId;
  readonly source: string;
  readonly state: 'open' | 'frozen' | 'approved' | 'cancelled';
  readonly preparedBy: string;
  readonly preparedAt: number;
  readonly count: number | undefined;
  readonly sha256: string | undefined;
  readonly approvedBy: string | undefined;
  readonly approvedAt: number | undefined;
}

/** Rows released in one transaction: long enough to be efficient, short enough to let workers in between. */
const RELEASE_MAX = 5_000;

/** Of `filing f`: open, in nobody's hands, and not in the queue. */
/** What a person has taken to file it by hand is out of the queue too. */
export const AWAITS_APPROVAL = `f.status in ('pending', 'submitted') and f.next_at is null and f.holder is null
  and (f.status = 'pending' or f.step->>'action' <> 'send')`;

const COLUMNS = `b.id, b.source, b.state, p.name as prepared_by, b.prepared_at, b.count, b.sha256,
  a.name as approved_by, q.decided_at as approved_at`;
const JOINS = `from batch b join person p on p.tenant = b.tenant and p.id = b.prepared_by
  left join proposal q on q.tenant = b.tenant and q.kind = 'batch' and q.subject = b.id::text and q.state = 'approved'
  left join person a on a.tenant = q.tenant and a.id = q.decided_by`;

const HELD =
  '(select count(*) from envelope e where e.tenant = b.tenant and e.batch = b.id and not e.withdrawn)';

const FIND = sql('batch-find')`select ${COLUMNS} ${JOINS} where b.tenant = $1 and b.id = $2`;
// An open batch has no count of its own yet, and may hold filings all the same.
const LIST = sql(
  'batch-list',
)`select ${COLUMNS.replace('b.count', `coalesce(b.count, ${HELD}) as count`)} ${JOINS}
    where b.tenant = $1 and ($3::uuid is null
      or (b.prepared_at, b.id) < (select a.prepared_at, a.id from batch a where a.tenant = $1 and a.id = $3))
    order by b.prepared_at desc, b.id desc limit $2`;
const COUNT = sql('batch-count')`select count(*)::int as total from batch where tenant = $1`;
const UNFINISHED = sql('batch-unfinished')`
select b.id, b.source, b.prepared_at, h.held from batch b, lateral (select ${HELD} as held) h
  where b.tenant = $1 and b.state = 'open' and h.held > 0 order by b.prepared_at`;

const LOCK = sql('batch-lock')`
select state, prepared_by, sha256, count from batch where tenant = $1 and id = $2 for update`;

const PREPARED = sql('batch-prepared')`
select b.state, b.prepared_by, p.name ${JOINS} where b.tenant = $1 and b.id = $2`;

const APPROVE = sql('batch-approve')`
update batch set state = 'approved', ver = ver + 1 where tenant = $1 and id = $2 returning ver`;

// Of each lane the last approval that names the profile that it has now, unless that approval is void or has expired. What
// is open, in nobody's hands and not queued waits for an approval; it was never sent, or the approval for it ended.
const RELEASE = sql('batch-release')`
with approved as materialized (
  select distinct on (l.code) l.code, l.profile_n, p.valid_until
  from proposal p
  join batch b on b.tenant = p.tenant and b.id = $2::uuid and are_two_parties(p.tenant, b.prepared_by, p.decided_by)
  cross join lateral jsonb_to_recordset(p.terms::jsonb->'lanes') d(lane text, profile_sha256 text)
  join lane l on l.tenant = p.tenant and l.code = d.lane and encode(l.profile_sha256, 'hex') = d.profile_sha256
  where p.tenant = $1 and p.kind in ('batch', 'release') and p.subject = $2::uuid::text and p.state = 'approved'
    and p.valid_until > now() and not exists (
      select 1 from approval_void v
      where v.tenant = p.tenant and v.batch = $2::uuid and v.lane = l.code and v.at >= p.decided_at)
  order by l.code, p.decided_at desc),
${lockedOnce(
  'held',
  `
  select f.id, e.not_before, a.profile_n, a.valid_until from envelope e
  join batch b on b.tenant = e.tenant and b.id = e.batch and b.state = 'approved'
  join filing f on f.tenant = e.tenant and f.id = e.id
  join approved a on a.code = f.lane
  where e.tenant = $1 and e.batch = $2::uuid and ${AWAITS_APPROVAL} and not is_held_back(e.tenant, e.id, e.batch)
  limit $3`,
  { of: 'f' },
)}
update filing f set next_at = greatest(now(), held.not_before), profile_n = held.profile_n,
  approved_until = held.valid_until
from held where f.tenant = $1 and f.id = held.id
returning f.id`;

export async function findBatch(session: Session, tenant: string, id: BatchId): Promise<Batch> {
  const [row] = await session.run(FIND, [tenant, id]);
  if (row === undefined) throw notFound(`No batch has the id ${id}; see batch list`);
  return batchOf(row);
}

export async function listBatches(
  session: Session,
  tenant: string,
  limit: number,
  after?: string,
): Promise<Batch[]> {
  return (await session.run(LIST, [tenant, limit, after ?? null])).map(batchOf);
}

export async function countBatches(session: Session, tenant: string): Promise<number> {
  const [row] = await session.run(COUNT, [tenant]);
  return Number(row?.['total']);
}

/** What is to be paid on one rail. */
export interface RailTotal {
  readonly rail: string;
  readonly filings: number;
  readonly cents: number;
}

/** What a second person binds with an approval. */
export interface ApprovalTerms {
  readonly sha256: string;
  readonly count: number;
  readonly fees: readonly RailTotal[];
  /** Where it will be sent. */
  readonly lanes: readonly Destination[];
  /** What waits for a second person; its hash covers all of this but the fees. */
  readonly proposal: { readonly kind: 'batch' | 'release'; readonly sha256: string } | undefined;
}

const KEEP_APPROVAL = sql('batch-approval-keep')`
insert into batch_approval (tenant, batch, fees) values ($1, $2, $3)`;

const PAYLOADS = sql('batch-payloads')`
select e.id, e.key, e.lane, e.payload_sha256, ${SEALED_COLUMNS} from envelope e
join ledger_blob b on b.ct = e.payload_ct join ledger_dek k on k.tenant = e.tenant and k.id = b.key
where e.tenant = $1 and e.batch = $2 and not e.withdrawn and e.key collate "C" > $3
  and ($5 or exists (select 1 from filing f where f.tenant = e.tenant and f.id = e.id and ${AWAITS_APPROVAL}))
order by e.key collate "C" limit $4`;

interface BatchPayload {
  readonly id: string;
  readonly key: string;
  readonly lane: string;
  readonly payloadSha256: string;
  readonly sealed: SealedPayload;
}

/** The frozen payloads of a batch in the order of its hash, a page behind `after`. */
export async function batchPayloads(
  session: Session,
  tenant: string,
  page: {
    readonly batch: BatchId;
    readonly after: string;
    readonly limit: number;
    /** Those that wait for an approval, or all. */
    readonly only: 'unapproved' | 'all';
  },
): Promise<BatchPayload[]> {
  const rows = await session.run(PAYLOADS, [
    tenant,
    page.batch,
    page.after,
    page.limit,
    page.only === 'all',
  ]);
  return rows.map((row) => ({
    id: text(row['id']),
    key: text(row['key']),
    lane: text(row['lane']),
    payloadSha256: hex(row['payload_sha256']),
    sealed: sealedOf(row, { filing: text(row['id']), key: text(row['key']) }),
  }));
}

/** Batches that hold filings and were never frozen: their import still runs, or was cut off. */
export async function unfinishedBatches(
  session: Session,
  tenant: string,
): Promise<{ readonly batch: BatchId; readonly source: string; readonly filings: number }[]> {
  const rows = await session.run(UNFINISHED, [tenant]);
  return rows.map((row) => ({
    batch: batchId(text(row['id'])),
    source: text(row['source']),
    filings: Number(row['held']),
  }));
}

/** Only who opened a batch adds to it: whoever could add to another's batch could then approve what they added. */
export async function assertResumable(
  session: Session,
  tenant: string,
  id: BatchId,
  by: PersonId,
): Promise<void> {
  const [batch] = await session.run(PREPARED, [tenant, id]);
  if (batch === undefined) throw notFound(`No batch has the id ${id}; see batch list`);
  if (batch['state'] !== 'open') {
    throw ruledOut(
      `Batch ${id} is ${text(batch['state'])} and accepts no more rows; omit --resume to start a new one`,
    );
  }
  if (batch['prepared_by'] !== by) {
    throw ruledOut(
      `Batch ${id} was opened by ${text(batch['name'])}, and only that person can continue it: no one may approve rows that they added`,
    );
  }
}

/** The second person. The database refuses self-approval by itself; this says it in words first. */
export async function approveBatch(
  session: Session,
  tenant: string,
  id: BatchId,
  by: PersonId,
  fact: LedgerFact,
  options: {
    readonly terms?: ApprovalTerms;
    readonly validDays?: number;
    /** In the same transaction, before the decision: what is left out of it. */
    readonly beforeApproval?: (run: Run) => Promise<void>;
    /** In the same transaction. */
    readonly onApproved?: (run: Run) => Promise<void>;
  } = {},
): Promise<void> {
  const { terms } = options;
  await session.transaction(async (run) => {
    const [batch] = await run(LOCK, [tenant, id]);
    if (batch === undefined) throw notFound(`No batch has the id ${id}; see batch list`);
    const what = `Batch ${id}`;
    const first = text(batch['prepared_by']);
    checkSecondPerson(what, by, [first], await partiesOf(run, tenant, [by, first]));
    if (batch['state'] === 'approved') return;
    const now = await frozenNow(run, tenant, id, { batch, terms });
    const lanes = await batchDestinations(run, tenant, id);
    const [proposed] = await proposedLanes(run, tenant, ['batch'], id);
    if (proposed === undefined) {
      throw ruledOut(
        `${what} is not proposed: it was refused or taken back. The person who prepared it proposes it again with batch propose ${id}`,
      );
    }
    requireSameLanes(what, proposed.lanes, lanes);
    const validDays = options.validDays ?? APPROVAL_DAYS;
    await options.beforeApproval?.(run);
    await decideProposal(
      run,
      tenant,
      { kinds: ['batch'], subject: id, what },
      { approves: true, by, validDays, sha256: terms?.proposal?.sha256 ?? proposed.sha256 },
    );
    const [row] = await run(APPROVE, [tenant, id]).catch(refusedByRule);
    await run(KEEP_APPROVAL, [tenant, id, JSON.stringify(terms?.fees ?? [])]);
    const subject = { kind: 'batch', id, ver: 1 };
    const complete = {
      ...fact,
      data: {
        ...fact.data,
        batch_ver: Number(row?.['ver']),
        count: now.count,
        sha256: now.sha256,
        lanes: lanes.map((lane) => ({ ...lane })),
        valid_days: validDays,
        proposal_n: proposed.n,
      },
    };
    await recordFact(run, { tenant, boundary: 'access' }, subject, complete);
    await options.onApproved?.(run);
  });
}

/** What would be approved, held against what was frozen and against what the second person saw. */
async function frozenNow(
  run: Run,
  tenant: string,
  id: BatchId,
  { batch, terms }: { readonly batch: Row; readonly terms: ApprovalTerms | undefined },
): Promise<{ readonly count: number; readonly sha256: string }> {
  if (batch['state'] === 'cancelled') {
    throw ruledOut(`Batch ${id} is cancelled; nothing of it is left`);
  }
  if (batch['state'] === 'open') {
    throw ruledOut(
      `The import of batch ${id} did not finish; run the same batch import or batch create with --resume ${id}`,
    );
  }
  const now = await batchHash(run, tenant, id);
  if (now.sha256 !== hex(batch['sha256']) || now.count !== Number(batch['count'])) {
    throw ruledOut(`Batch ${id} has changed since it was frozen; do not approve it`);
  }
  if (terms !== undefined && (terms.sha256 !== now.sha256 || terms.count !== now.count)) {
    throw new FilewrightError(
      'APPROVAL_MISMATCH',
      `Batch ${id} has ${now.count} filings with the hash ${now.sha256}, which is not what the approval names`,
    );
  }
  return now;
}

/** Queues the filings of an approved batch. Safe to repeat: a crash midway leaves the rest for the next call. */
export async function releaseBatch(
  session: Session,
  tenant: string,
  id: BatchId,
  onProgress?: (released: number) => void,
): Promise<number> {
  let released = 0;
  for (;;) {
    const rows = await session.run(RELEASE, [tenant, id, RELEASE_MAX]);
    released += rows.length;
    onProgress?.(released);
    if (rows.length < RELEASE_MAX) return released;
  }
}

function batchOf(row: Row): Batch {
  return {
    id: batchId(text(row['id'])),
    source: text(row['source']),
    // A check constraint holds the column to these words.
    state: row['state'] as Batch['state'],
    preparedBy: text(row['prepared_by']),
    preparedAt: when(row['prepared_at']),
    count: optional(row['count'], Number),
    sha256: optional(row['sha256'], hex),
    approvedBy: optional(row['approved_by'], text),
    approvedAt: optional(row['approved_at'], when),
  };
}
