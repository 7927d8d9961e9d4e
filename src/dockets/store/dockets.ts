/** Dockets in, and dockets out to whoever asks; rights are asked by the caller, in one place. */
import {
  docketId,
  type DocketId,
  type LedgerFact,
  type SealedPayload,
  sha256Hex,
  type Sha256Hex,
} from '../../core/index.ts';
import { factJson, recordFact } from '../../ledger/index.ts';
import {
  hex,
  optional,
  SEALED_COLUMNS,
  sealedOf,
  type Session,
  sql,
  text,
} from '../../postgres/index.ts';
import {
  DOCKET_COLUMNS,
  type DocketAdmission,
  type DocketFilter,
  docketRow,
  jsonText,
  type NewDocket,
  type Run,
  type StoredDocket,
} from './docket-rows.ts';

const ADMIT = sql('docket-admit')`
with i as materialized (
  select * from json_to_recordset($2::json) as i(
    docket_id text, message_id text, identity text, source text, content_type text, payload_sha256 text, docket jsonb, state jsonb,
    tier text, activation jsonb, next_at double precision, due_on text, received_by uuid,
    id uuid, type text, actor_kind text, actor_id text, trace text, data jsonb, body jsonb, ct text, blob text)
),
fresh as (
  insert into docket (tenant, id, message_id, identity, source, content_type, payload_sha256, payload_ct, docket, state,
    phase, tier, activation, next_at, due_on, received_by)
  select $1, docket_id, message_id, identity, source, content_type, decode(payload_sha256, 'hex'), decode(ct, 'hex'), docket, state,
    'queued', tier, nullif(activation, 'null'::jsonb), to_timestamp(next_at / 1000), due_on, received_by
  -- In one order for everybody: two imports of the same events wait for each other, and never in a circle.
  from i order by message_id
  on conflict do nothing
  returning id, message_id
),
blobs as (
  insert into ledger_blob (ct, tenant, boundary, entry, key, bytes)
  select decode(i.ct, 'hex'), $1, 'filing', i.id, i.body->>'key', decode(i.blob, 'base64')
  from i join fresh f on f.id = i.docket_id
),
facts as (
  insert into ledger_intake
    (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data, body)
  select $1, 'filing', i.id, now(), i.type, 'docket', i.docket_id, 1, i.actor_kind, i.actor_id, i.trace, i.data, i.body
  from i join fresh f on f.id = i.docket_id
)
select message_id from fresh`;

const EXISTING = sql('docket-existing')`
select id, identity, payload_sha256 from docket where tenant = $1 and identity = any ($2::text[])`;

/** Call it in a transaction. Each event at most once in a call. */
export async function admitDockets(
  run: Run,
  tenant: string,
  dockets: readonly NewDocket[],
): Promise<readonly DocketAdmission[]> {
  const rows = await run(ADMIT, [tenant, JSON.stringify(dockets.map(newDocketJson))]);
  const fresh = new Set(rows.map((row) => text(row['message_id'])));
  const rest = dockets.filter(({ messageId }) => !fresh.has(messageId));
  const existing = new Map<string, { readonly id: DocketId; readonly sha256: Sha256Hex }>();
  if (rest.length > 0) {
    // A second statement, so that a docket committed by another import since the first one is seen too.
    const found = await run(EXISTING, [tenant, rest.map(({ identity }) => identity)]);
    for (const row of found) {
      const sha256 = sha256Hex(hex(row['payload_sha256']));
      existing.set(text(row['identity']), { id: docketId(text(row['id'])), sha256 });
    }
  }
  return dockets.map((docket): DocketAdmission => {
    if (fresh.has(docket.messageId)) return { kind: 'created', docket: docket.id };
    const known = existing.get(docket.identity);
    if (known === undefined) throw new Error(`docket ${docket.id} is taken by another message id`);
    const isSame = known.sha256 === docket.payloadSha256;
    return { kind: isSame ? 'unchanged' : 'conflict', docket: known.id };
  });
}

function newDocketJson(docket: NewDocket): object {
  return {
    ...factJson(docket.fact),
    docket_id: docket.id,
    message_id: docket.messageId,
    identity: docket.identity,
    source: docket.source,
    content_type: docket.contentType,
    payload_sha256: docket.payloadSha256,
    docket: docket.docket,
    state: docket.state,
    tier: docket.tier,
    activation: docket.activation ?? null,
    next_at: docket.nextAt,
    due_on: docket.dueOn ?? null,
    received_by: docket.receivedBy ?? null,
  };
}

const COUNT_UP = sql('docket-count-up')`
update docket set ver = ver + 1 where tenant = $1 and id = $2 returning ver`;

/** One more entry about a docket, in the transaction of what it speaks of. */
export async function recordDocketFact(
  run: Run,
  tenant: string,
  docket: DocketId,
  fact: LedgerFact,
): Promise<void> {
  const [row] = await run(COUNT_UP, [tenant, docket]);
  if (row === undefined) throw new Error(`there is no docket ${docket}`);
  const subject = { kind: 'docket', id: docket, ver: Number(row['ver']) };
  await recordFact(run, { tenant, boundary: 'filing' }, subject, fact);
}

const KNOWN_MESSAGE = sql('docket-message-known')`
select 1 from docket_message where tenant = $1 and source = $2 and message = $3 and sha256 = decode($4, 'hex')`;

const NOTE_MESSAGE = sql('docket-message-note')`
insert into docket_message (tenant, source, message, sha256, outcome, docket)
  values ($1, $2, $3, decode($4, 'hex'), $5, $6) on conflict do nothing returning message`;

export interface NotedMessage {
  readonly source: string;
  readonly message: string;
  readonly sha256: Sha256Hex;
}

export async function isMessageKnown(
  session: Pick<Session, 'run'>,
  tenant: string,
  { source, message, sha256 }: NotedMessage,
): Promise<boolean> {
  return (await session.run(KNOWN_MESSAGE, [tenant, source, message, sha256])).length > 0;
}

/** False when it was noted before. */
export async function noteMessage(
  run: Run,
  tenant: string,
  { source, message, sha256 }: NotedMessage,
  end: { readonly outcome: DocketAdmission['kind'] | 'set_aside'; readonly docket?: DocketId },
): Promise<boolean> {
  const values = [tenant, source, message, sha256, end.outcome, end.docket ?? null];
  return (await run(NOTE_MESSAGE, values)).length > 0;
}

const LIST = sql('docket-list')`select ${DOCKET_COLUMNS} from docket d where d.tenant = $1
    and ($2::text[] is null or d.phase = any ($2)) and ($3::text = 'too' or (d.closed_at is not null) = ($3 = 'only'))
    and ($4::text is null or d.target = $4) and ($5::text is null or (d.received_at, d.id) > (
      select p.received_at, p.id from docket p where p.tenant = $1 and p.id = $5))
    order by d.received_at, d.id limit $6`;

/** Rows per read; all dockets are walked in pages, so a list of any length takes the same memory. */
const PAGE = 1_000;

export async function* docketPages(
  session: Pick<Session, 'run'>,
  tenant: string,
  filter: DocketFilter = {},
): AsyncGenerator<readonly StoredDocket[]> {
  const { phases, closed = 'no', target, limit = Number.POSITIVE_INFINITY } = filter;
  let after: string | undefined;
  for (let read = 0; read < limit; ) {
    const count = Math.min(PAGE, limit - read);
    const values = [tenant, phases ?? null, closed, target ?? null, after ?? null, count];
    const page = (await session.run(LIST, values)).map(docketRow);
    if (page.length > 0) yield page;
    if (page.length < count) return;
    read += page.length;
    after = page.at(-1)?.id;
  }
}

const FIND = sql('docket-find')`
select ${DOCKET_COLUMNS} from docket d where d.tenant = $1 and d.id = $2`;

export async function findDocket(
  session: Pick<Session, 'run'>,
  tenant: string,
  id: DocketId,
): Promise<StoredDocket | undefined> {
  const [row] = await session.run(FIND, [tenant, id]);
  return row === undefined ? undefined : docketRow(row);
}

const PAYLOADS = sql('docket-payloads')`select d.id, ${SEALED_COLUMNS} from docket d
    join ledger_blob b on b.ct = d.payload_ct join ledger_dek k on k.tenant = d.tenant and k.id = b.key
    where d.tenant = $1 and d.id = any ($2::text[])`;

/** The sealed bytes of dockets; one whose key was destroyed is not among them. */
export async function docketPayloads(
  session: Pick<Session, 'run'>,
  tenant: string,
  ids: readonly string[],
): Promise<Map<string, SealedPayload>> {
  if (ids.length === 0) return new Map();
  const rows = await session.run(PAYLOADS, [tenant, ids]);
  return new Map(
    rows.flatMap((row) =>
      optional(row['key_wrapped'], () => true) === undefined
        ? []
        : [[text(row['id']), sealedOf(row)] as const],
    ),
  );
}

const CLOSE = sql('docket-close')`
update docket set closed_at = now(), closed_by = $3, closing = $4, next_at = null, ver = ver + 1
  where tenant = $1 and id = $2 and closed_at is null returning ver`;

/** False when it was closed before. */
export async function closeDocketRow(
  run: Run,
  tenant: string,
  docket: DocketId,
  closing: { readonly by: string; readonly closing: object; readonly fact: LedgerFact },
): Promise<boolean> {
  const [row] = await run(CLOSE, [tenant, docket, closing.by, jsonText(closing.closing)]);
  if (row === undefined) return false;
  const subject = { kind: 'docket', id: docket, ver: Number(row['ver']) };
  await recordFact(run, { tenant, boundary: 'filing' }, subject, closing.fact);
  return true;
}

const KNOWN = sql('docket-by-identity')`select id from docket where tenant = $1 and identity = $2`;

/** The docket of an event, if it is there. */
export async function findByIdentity(
  session: Pick<Session, 'run'>,
  tenant: string,
  identity: string,
): Promise<DocketId | undefined> {
  const [row] = await session.run(KNOWN, [tenant, identity]);
  return row === undefined ? undefined : docketId(text(row['id']));
}
