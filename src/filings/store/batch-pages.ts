/** The filings of a batch as a person looks through them, page by page, and the one of the year before for each. */
import {
  type BatchId,
  batchId,
  type FilingId,
  filingId,
  type FilingStatus,
  type Instant,
  type SealedPayload,
  toRfc3339,
} from '../../core/index.ts';
import {
  optional,
  type Row,
  type Run,
  SEALED_COLUMNS,
  sealedOf,
  sql,
  text,
  when,
} from '../../postgres/index.ts';

export interface BatchFiling {
  readonly id: FilingId;
  readonly lane: string;
  readonly jurisdiction: string;
  readonly entityId: string;
  readonly filingKind: string;
  readonly period: string;
  readonly notBefore: Instant;
  readonly due: Instant;
  readonly lastSafe: Instant;
  readonly status: FilingStatus;
  readonly isWithdrawn: boolean;
  /** Why the second person left it out; undefined where they did not. */
  readonly heldBack: string | undefined;
  /** Undefined where its key was destroyed. */
  readonly sealed: SealedPayload | undefined;
}

export interface FormerFiling {
  readonly id: FilingId;
  readonly batch: BatchId;
  readonly period: string;
  readonly sealed: SealedPayload;
}

/** Behind this one. */
export interface PageAfter {
  readonly due: Instant;
  readonly id: string;
}

const PAGE = sql('batch-page')`
select f.id, e.lane, e.jurisdiction, e.entity_id, e.filing_kind, e.period, e.not_before, e.due, e.last_safe, f.status,
  e.withdrawn, e.key as idempotency_key, h.reason as held_back, ${SEALED_COLUMNS}
from envelope e join filing f on f.tenant = e.tenant and f.id = e.id
left join held_back h on h.tenant = e.tenant and h.filing = e.id
left join ledger_blob b on b.ct = e.payload_ct
left join ledger_dek k on k.tenant = e.tenant and k.id = b.key and k.state = 'live'
where e.tenant = $1 and e.batch = $2 and (e.due, e.id) > ($3::timestamptz, $4::uuid)
order by e.due, e.id limit $5`;

// By the index of entities: of each filing the latest before it that was accepted, or else is still on its way.
const FORMER = sql('batch-former')`
select w.id as filing, x.* from unnest($2::uuid[]) w(id)
join envelope n on n.tenant = $1 and n.id = w.id
cross join lateral (
  select e.id, e.batch, e.period, e.key as idempotency_key, ${SEALED_COLUMNS}
  from envelope e join filing f on f.tenant = e.tenant and f.id = e.id
  join ledger_blob b on b.ct = e.payload_ct
  join ledger_dek k on k.tenant = e.tenant and k.id = b.key and k.state = 'live'
  where e.tenant = $1 and e.entity_id = n.entity_id and e.filing_kind = n.filing_kind and e.lane = n.lane
    and e.due < n.due and not e.withdrawn and f.status in ('accepted', 'pending', 'submitted')
  order by f.status = 'accepted' desc, e.due desc limit 1) x`;

const FIRST: readonly [string, string] = ['-infinity', '00000000-0000-0000-0000-000000000000'];

export async function batchPage(
  run: Run,
  tenant: string,
  page: { readonly batch: BatchId; readonly after: PageAfter | undefined; readonly limit: number },
): Promise<readonly BatchFiling[]> {
  const { batch, after, limit } = page;
  const behind = after === undefined ? FIRST : [toRfc3339(after.due), after.id];
  return (await run(PAGE, [tenant, batch, ...behind, limit])).map(filingOf);
}

/** By filing: the one of the same entity, kind and office before it. */
export async function formerFilings(
  run: Run,
  tenant: string,
  filings: readonly FilingId[],
): Promise<ReadonlyMap<string, FormerFiling>> {
  const rows = await run(FORMER, [tenant, filings]);
  return new Map(
    rows.map((row) => [
      text(row['filing']),
      {
        id: filingId(text(row['id'])),
        batch: batchId(text(row['batch'])),
        period: text(row['period']),
        sealed: sealedAs(row),
      },
    ]),
  );
}

function filingOf(row: Row): BatchFiling {
  return {
    id: filingId(text(row['id'])),
    lane: text(row['lane']),
    jurisdiction: text(row['jurisdiction']),
    entityId: text(row['entity_id']),
    filingKind: text(row['filing_kind']),
    period: text(row['period']),
    notBefore: when(row['not_before']),
    due: when(row['due']),
    lastSafe: when(row['last_safe']),
    // A check constraint holds the column to these words.
    status: row['status'] as FilingStatus,
    isWithdrawn: row['withdrawn'] === true,
    heldBack: optional(row['held_back'], text),
    sealed: row['blob'] === null || row['key_id'] === null ? undefined : sealedAs(row),
  };
}

function sealedAs(row: Row): SealedPayload {
  return sealedOf(row, { filing: text(row['id']), key: text(row['idempotency_key']) });
}
