/** Reading filings and their exceptions. What people do with exceptions is in reviews.ts. */
import {
  type Filing,
  type FilingId,
  filingId,
  type FilingStatus,
  type Instant,
  isUuid,
  notFound,
  type SealedPayload,
  type Unsettled,
} from '../../core/index.ts';
import {
  FILING_COLUMNS,
  filingOf,
  optional,
  type Row,
  SEALED_COLUMNS,
  sealedOf,
  type Session,
  sql,
  text,
  when,
} from '../../postgres/index.ts';

export interface FilingView extends Filing {
  readonly nextAt: number | undefined;
  readonly verdict: string | undefined;
  readonly code: string | undefined;
  readonly receipt: string | undefined;
  readonly ver: number;
}

export interface ExceptionView {
  readonly filing: FilingView;
  readonly n: number;
  readonly reason: string;
  readonly unsettled: Unsettled | undefined;
  readonly openedAt: number;
  readonly closedAt: number | undefined;
  readonly resolution: string | undefined;
  readonly envelope: SealedPayload;
}

const VIEW = `${FILING_COLUMNS}, f.next_at, f.verdict, f.code, f.receipt, f.ver`;
const FROM = 'from filing f join envelope e on e.tenant = f.tenant and e.id = f.id';
const SEALED =
  'join ledger_blob b on b.ct = x.ct join ledger_dek k on k.tenant = x.tenant and k.id = b.key';

const LIST = sql('filing-list')`select ${VIEW} ${FROM}
where f.tenant = $1 and ($2::text is null or f.status = $2) and ($3::text is null or f.lane = $3)
  and ($4::uuid is null or e.batch = $4) and ($5::uuid is null or f.id > $5)
order by f.id limit $6`;

const COUNT = sql('filing-count')`select count(*)::int as total ${FROM}
where f.tenant = $1 and ($2::text is null or f.status = $2) and ($3::text is null or f.lane = $3)
  and ($4::uuid is null or e.batch = $4)`;

const FIND = sql('filing-find')`
select ${VIEW} ${FROM} where f.tenant = $1 and (f.id = $2::uuid or (e.key = $3 and not e.withdrawn))`;

// An intent whose outcome says that nothing was written was no send; one without an outcome may have been.
const LAST_SENT = sql('filing-last-sent')`
select max(a.intent_at) as at from envelope e
join attempt a on a.tenant = e.tenant and a.filing = e.id and a.action in ('send', 'resend')
left join outcome o on o.tenant = a.tenant and o.filing = a.filing and o.no = a.no and o.counted
where e.tenant = $1 and e.entity_id = $2 and e.filing_kind = $3 and e.lane = $4 and e.id <> $5
  and coalesce(o.verdict, '') not in ('unsent', 'held_back', 'gated', 'late')`;

const PAYLOAD = sql('filing-payload')`
select encode(e.payload_sha256, 'hex') as sha256, e.key as idempotency_key, ${SEALED_COLUMNS} from envelope e
left join ledger_blob b on b.ct = e.payload_ct
left join ledger_dek k on k.tenant = e.tenant and k.id = b.key and k.state = 'live'
where e.tenant = $1 and e.id = $2`;

const EXCEPTIONS = sql('exception-list')`
select ${VIEW}, x.n, x.reason, x.unsettled, x.opened_at, x.closed_at, x.resolution, ${SEALED_COLUMNS}
${FROM} join exception x on x.tenant = f.tenant and x.filing = f.id and x.n = f.exceptions ${SEALED}
where f.tenant = $1 and f.status in ('rejected', 'fallout') and x.closed_at is null
  and ($2::text is null or f.lane = $2) and ($3::uuid is null or e.batch = $3)
  and ($5::uuid is null or (f.last_safe, f.id) > (select a.last_safe, a.id from filing a where a.tenant = $1 and a.id = $5))
order by f.last_safe, f.id limit $4`;

const EXCEPTION_COUNT = sql('exception-count')`select count(*)::int as total
${FROM} join exception x on x.tenant = f.tenant and x.filing = f.id and x.n = f.exceptions
where f.tenant = $1 and f.status in ('rejected', 'fallout') and x.closed_at is null
  and ($2::text is null or f.lane = $2) and ($3::uuid is null or e.batch = $3)`;

const EXCEPTION = sql('exception-find')`
select ${VIEW}, x.n, x.reason, x.unsettled, x.opened_at, x.closed_at, x.resolution, ${SEALED_COLUMNS}
${FROM} join exception x on x.tenant = f.tenant and x.filing = f.id ${SEALED}
where f.tenant = $1 and f.id = $2 order by x.n desc limit 1`;

export interface FilingFilter {
  readonly status?: FilingStatus;
  readonly lane?: string;
  readonly batch?: string;
  readonly after?: string;
  readonly limit: number;
}

/** When another filing of the same kind for the same entity was last sent on the lane, as far as anybody knows. */
export async function lastSentAt(
  session: Pick<Session, 'run'>,
  tenant: string,
  filing: Pick<Filing, 'id' | 'entityId' | 'filingKind' | 'lane'>,
): Promise<Instant | undefined> {
  const { id, entityId, filingKind, lane } = filing;
  const [row] = await session.run(LAST_SENT, [tenant, entityId, filingKind, lane, id]);
  return optional(row?.['at'], when);
}

export async function listFilings(
  session: Session,
  tenant: string,
  filter: FilingFilter,
): Promise<FilingView[]> {
  const { status, lane, batch, after, limit } = filter;
  const values = [tenant, status ?? null, lane ?? null, batch ?? null, after ?? null, limit];
  return (await session.run(LIST, values)).map(viewOf);
}

/** All that the filter finds, on whichever page. */
export async function countFilings(
  session: Session,
  tenant: string,
  { status, lane, batch }: Omit<FilingFilter, 'limit'>,
): Promise<number> {
  const [row] = await session.run(COUNT, [tenant, status ?? null, lane ?? null, batch ?? null]);
  return Number(row?.['total']);
}

/** By id or by idempotency key. */
export async function findFiling(
  session: Session,
  tenant: string,
  name: string,
): Promise<FilingView> {
  const [row] = await session.run(FIND, [tenant, isUuid(name) ? name : null, name]);
  if (row === undefined) throw notFound(`No filing has the id or key ${name}; see filing list`);
  return viewOf(row);
}

export async function findPayload(
  session: Session,
  tenant: string,
  id: FilingId,
): Promise<SealedPayload> {
  const [row] = await session.run(PAYLOAD, [tenant, id]);
  if (row === undefined) throw notFound(`No filing has the id ${id}; see filing list`);
  if (row['blob'] === null || row['key_id'] === null) {
    throw notFound(
      `The payload of ${id} was destroyed at the end of its retention period; its SHA-256 was ${text(row['sha256'])}`,
    );
  }
  return sealedOf(row, { filing: id, key: text(row['idempotency_key']) });
}

export interface ExceptionFilter {
  readonly lane?: string;
  readonly batch?: string;
  /** A filing that was shown before; those that are less urgent follow. */
  readonly after?: string;
  readonly limit: number;
}

export async function listExceptions(
  session: Session,
  tenant: string,
  filter: ExceptionFilter,
): Promise<ExceptionView[]> {
  const rows = await session.run(EXCEPTIONS, [
    tenant,
    filter.lane ?? null,
    filter.batch ?? null,
    filter.limit,
    filter.after ?? null,
  ]);
  return rows.map(exceptionOf);
}

export async function countExceptions(
  session: Session,
  tenant: string,
  { lane, batch }: Omit<ExceptionFilter, 'limit'>,
): Promise<number> {
  const [row] = await session.run(EXCEPTION_COUNT, [tenant, lane ?? null, batch ?? null]);
  return Number(row?.['total']);
}

export async function findException(
  session: Session,
  tenant: string,
  id: string,
): Promise<ExceptionView> {
  const [row] = isUuid(id) ? await session.run(EXCEPTION, [tenant, id]) : [];
  if (row === undefined) throw notFound(`No exception belongs to filing ${id}; see review list`);
  return exceptionOf(row);
}

export function viewOf(row: Row): FilingView {
  return {
    ...filingOf(row),
    nextAt: optional(row['next_at'], when),
    verdict: optional(row['verdict'], text),
    code: optional(row['code'], text),
    receipt: optional(row['receipt'], text),
    ver: Number(row['ver']),
  };
}

function exceptionOf(row: Row): ExceptionView {
  return {
    filing: { ...viewOf(row), id: filingId(text(row['id'])) },
    n: Number(row['n']),
    reason: text(row['reason']),
    // Written only by the tick, from an Unsettled.
    unsettled: optional(row['unsettled'], (value) => value as Unsettled),
    openedAt: when(row['opened_at']),
    closedAt: optional(row['closed_at'], when),
    resolution: optional(row['resolution'], text),
    envelope: sealedOf(row),
  };
}
