/** The intake port on PostgreSQL: batches and the admission of filings. */
import { createHash } from 'node:crypto';
import {
  type Admission,
  type BatchId,
  batchId,
  type Correctable,
  type Envelope,
  FilewrightError,
  filingId,
  type IntakeStore,
  invariant,
  type LedgerFact,
  type NewFiling,
  type PersonId,
  personId,
  ruledOut,
  type Sha256Hex,
  sha256Hex,
  type WrappedKey,
} from '../../core/index.ts';
import { dataKeys, factJson, recordFact } from '../../ledger/index.ts';
import { type Destination, destinationsOf } from '../../lanes/index.ts';
import { propose } from '../../people/index.ts';
import {
  hex,
  type Row,
  type Run,
  SEALED_COLUMNS,
  sealedOf,
  type Session,
  sql,
  text,
  when,
} from '../../postgres/index.ts';

const OPEN_BATCH = sql('batch-open')`
insert into batch (tenant, id, source, prepared_by) values ($1, $2, $3, $4)`;

const ADMIT = sql('filing-admit')`
with i as materialized (
  select * from json_to_recordset($2::json) as i(
    id uuid, batch uuid, lane text, jurisdiction text, effect text, entity_id text, filing_kind text, period text,
    revision int, key text, obligation text, payload_sha256 text, not_before double precision, due double precision,
    last_safe double precision,
    fact_id uuid, type text, actor_kind text, actor_id text, trace text, data jsonb, body jsonb, ct text, blob text)
),
-- Locked, so that a batch cannot be frozen between this look and the commit: its hash must cover all of it.
open as materialized (
  select id from batch where tenant = $1 and state = 'open' and id in (select batch from i) order by id for share
),
fresh as (
  insert into envelope (tenant, id, batch, lane, jurisdiction, effect, entity_id, filing_kind, period, revision, key,
    obligation, payload_sha256, payload_ct, not_before, due, last_safe)
  select $1, id, batch, lane, jurisdiction, effect, entity_id, filing_kind, period, revision, key, obligation,
    decode(payload_sha256, 'hex'), decode(ct, 'hex'), to_timestamp(not_before / 1000),
    to_timestamp(due / 1000), to_timestamp(last_safe / 1000)
  -- In one order for everybody: two imports of the same filings wait for each other, and never in a circle.
  from i where batch in (select id from open) order by obligation
  on conflict do nothing
  returning id, lane, last_safe
),
filings as (
  -- next_at stays empty: nothing is sent before a second person has approved the batch.
  insert into filing (tenant, id, lane, last_safe, status, step)
  select $1, id, lane, last_safe, 'pending', '{"action":"send"}' from fresh
),
blobs as (
  insert into ledger_blob (ct, tenant, boundary, entry, key, bytes)
  select decode(ct, 'hex'), $1, 'filing', fact_id, body->>'key', decode(blob, 'base64') from i join fresh using (id)
),
facts as (
  insert into ledger_intake
    (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data, body)
  select $1, 'filing', fact_id, now(), type, 'filing', id::text, 1, actor_kind, actor_id, trace, data, body
  from i join fresh using (id)
)
select id from fresh`;

/** Of `filing f`: nobody has taken it to send it, and nobody may at this moment. */
export const IS_UNCLAIMED = `f.status = 'pending' and f.attempt = 0 and f.next_at is null and f.holder is null
  and f.step = '{"action": "send"}'`;

const EXISTING = sql('filing-existing')`
select e.obligation, e.id, e.key, e.payload_sha256, e.not_before, e.due,
  case when o.state = 'open' then o.id end as open_in, o.prepared_by,
  case when f.attempt > 0 or f.step is distinct from '{"action": "send"}' or o.state = 'open' then null
    when o.state = 'frozen' then 'correct' when is_held_back(e.tenant, e.id, e.batch) then 'withdraw' else 'stop' end as way_out,
  o.id as batch, ${SEALED_COLUMNS}
from envelope e
join batch o on o.tenant = e.tenant and o.id = e.batch
join filing f on f.tenant = e.tenant and f.id = e.id
join ledger_blob b on b.ct = e.payload_ct
join ledger_dek k on k.tenant = e.tenant and k.id = b.key
where e.tenant = $1 and e.obligation = any ($2::text[]) and not e.withdrawn`;

const LOCK_BATCH = sql('batch-lock-open')`
select state from batch where tenant = $1 and id = $2 for update`;

export const FREEZE = sql('batch-freeze')`
update batch set state = 'frozen', count = $3, sha256 = decode($4, 'hex'), ver = ver + 1
where tenant = $1 and id = $2 and state = 'open' returning ver, prepared_by`;

// Plans that workers made while the tables were small walk all of them; fresh statistics make every session plan anew.
const REFRESH_STATISTICS = sql('')`analyze (skip_locked) envelope, filing, ledger_blob`;

/** Called with the filings that are new, in the transaction that admits them. */
type OnAdmitted = (run: Run, filings: readonly Envelope[]) => Promise<void>;

export class PostgresIntakeStore implements IntakeStore {
  readonly #session: Session;
  readonly #tenant: string;
  readonly #onAdmitted: OnAdmitted | undefined;

  constructor(session: Session, tenant: string, onAdmitted?: OnAdmitted) {
    this.#session = session;
    this.#tenant = tenant;
    this.#onAdmitted = onAdmitted;
  }

  async openBatch(input: {
    readonly id: BatchId;
    readonly source: string;
    readonly preparedBy: PersonId;
    readonly fact: LedgerFact;
  }): Promise<void> {
    await this.#session.transaction(async (run) => {
      await run(OPEN_BATCH, [this.#tenant, input.id, input.source, input.preparedBy]);
      const subject = { kind: 'batch', id: input.id, ver: 1 };
      await recordFact(run, { tenant: this.#tenant, boundary: 'filing' }, subject, input.fact);
    });
  }

  async admit(filings: readonly NewFiling[]): Promise<readonly Admission[]> {
    return this.#session.transaction(async (run) => {
      const fresh = await insertFilings(run, this.#tenant, filings);
      const rest = filings.filter((filing) => !fresh.has(filing.envelope.id));
      // A second statement, so that a filing committed by another import since the first one is seen too.
      const existing = await this.#existing(
        run,
        rest.map((filing) => filing.obligation),
      );
      // Refusals are thrown in here, so that a call that fails has admitted nothing.
      const isNew = rest.find((filing) => !existing.has(filing.obligation));
      if (isNew !== undefined) await this.#assertOpen(run, isNew.envelope.batch);
      const admitted = filings.map(({ envelope }) => envelope).filter(({ id }) => fresh.has(id));
      await this.#onAdmitted?.(run, admitted);
      return filings.map((filing): Admission => {
        if (fresh.has(filing.envelope.id)) return { kind: 'created' };
        return admissionOf(
          existing.get(filing.obligation),
          filing.envelope.payloadSha256,
          filing.obligation,
        );
      });
    });
  }

  async preview(
    filings: readonly { readonly obligation: string; readonly payloadSha256: Sha256Hex }[],
  ): Promise<readonly Admission[]> {
    const run: Run = (statement, values) => this.#session.run(statement, values);
    const existing = await this.#existing(
      run,
      filings.map((filing) => filing.obligation),
    );
    return filings.map((filing): Admission => {
      const found = existing.get(filing.obligation);
      return found === undefined
        ? { kind: 'created' }
        : admissionOf(found, filing.payloadSha256, filing.obligation);
    });
  }

  async closeBatch(
    batch: BatchId,
    fact: LedgerFact,
  ): Promise<{ count: number; sha256: Sha256Hex }> {
    const done = await this.#session.transaction(async (run) => {
      // Waits for imports that are still writing, and keeps later ones out.
      await this.#assertOpen(run, batch);
      const frozen = await batchHash(run, this.#tenant, batch);
      const lanes = await batchDestinations(run, this.#tenant, batch);
      const [row] = await run(FREEZE, [this.#tenant, batch, frozen.count, frozen.sha256]);
      invariant(row !== undefined, 'A batch that is locked stays open', { batch });
      await propose(run, this.#tenant, {
        kind: 'batch',
        subject: batch,
        terms: { ...frozen, lanes: lanes.map((lane) => ({ ...lane })) },
        reason: SEND_REASON,
        by: personId(text(row['prepared_by'])),
      });
      const complete = {
        ...fact,
        data: { ...fact.data, ...frozen, lanes: lanes.map((lane) => ({ ...lane })) },
      };
      const subject = { kind: 'batch', id: batch, ver: Number(row['ver']) };
      await recordFact(run, { tenant: this.#tenant, boundary: 'filing' }, subject, complete);
      return frozen;
    });
    // The batch is frozen whatever becomes of this; without it autovacuum does the same a minute later.
    await this.#session.run(REFRESH_STATISTICS).catch(() => undefined);
    return done;
  }

  dataKeys(
    subjects: readonly string[],
    month: string,
    make: () => WrappedKey,
  ): Promise<ReadonlyMap<string, WrappedKey>> {
    return dataKeys(this.#session, { tenant: this.#tenant, month }, subjects, make);
  }

  async #assertOpen(run: Run, batch: BatchId): Promise<void> {
    const [row] = await run(LOCK_BATCH, [this.#tenant, batch]);
    if (row?.['state'] === 'open') return;
    throw ruledOut(`Batch ${batch} is not open`);
  }

  async #existing(run: Run, obligations: readonly string[]): Promise<Map<string, Row>> {
    if (obligations.length === 0) return new Map();
    const rows = await run(EXISTING, [this.#tenant, obligations]);
    return new Map(rows.map((row) => [text(row['obligation']), row]));
  }
}

/** Those that are new: their batch is open, and nothing else that is open has their obligation. */
export async function insertFilings(
  run: Run,
  tenant: string,
  filings: readonly NewFiling[],
): Promise<ReadonlySet<string>> {
  if (filings.length === 0) return new Set();
  const rows = await run(ADMIT, [tenant, JSON.stringify(filings.map(newFilingJson))]);
  return new Set(rows.map((row) => text(row['id'])));
}

/** Why a batch is proposed when its import ends. */
export const SEND_REASON = 'send what was frozen';

const LANES = sql('batch-lanes')`
select distinct lane from envelope where tenant = $1 and batch = $2 and not withdrawn`;

/** Where the filings of a batch would be sent now. */
export async function batchDestinations(
  run: Run,
  tenant: string,
  batch: BatchId,
): Promise<Destination[]> {
  const lanes = (await run(LANES, [tenant, batch])).map((row) => text(row['lane']));
  return destinationsOf(run, tenant, lanes);
}

/**
 * SHA-256 over one line "key payload-hash" for each filing, in the order of the keys: what a second person approves.
 * Read in pages, so that a batch of any size takes the same memory.
 */
export async function batchHash(
  run: Run,
  tenant: string,
  batch: BatchId,
  /** A condition on `filing f`, where not all of them are meant. */
  only?: string,
): Promise<{ count: number; sha256: Sha256Hex }> {
  const filings =
    only === undefined ? '' : `join filing f on f.tenant = e.tenant and f.id = e.id and ${only}`;
  const hash = createHash('sha256');
  let count = 0;
  await run(
    {
      name: '',
      text: `declare batch_lines no scroll cursor for
        select e.key, e.payload_sha256 from envelope e ${filings}
        where e.tenant = $1 and e.batch = $2 and not e.withdrawn order by e.key collate "C"`,
    },
    [tenant, batch],
  );
  for (;;) {
    const rows = await run({ name: 'batch-lines', text: 'fetch 2000 from batch_lines' });
    if (rows.length === 0) break;
    for (const row of rows) hash.update(`${text(row['key'])} ${hex(row['payload_sha256'])}\n`);
    count += rows.length;
  }
  await run({ name: '', text: 'close batch_lines' });
  return { count, sha256: sha256Hex(hash.digest('hex')) };
}

function admissionOf(
  existing: Row | undefined,
  payloadSha256: Sha256Hex,
  obligation: string,
): Admission {
  if (existing === undefined) {
    // Not created, and no filing for the obligation: the key or the id belongs to another obligation.
    throw new FilewrightError(
      'BROKEN_INVARIANT',
      `The key of obligation ${obligation} is used by another one`,
    );
  }
  const filing = filingId(text(existing['id']));
  const correctable = wayOutOf(existing);
  if (hex(existing['payload_sha256']) === payloadSha256) {
    const dates = { notBefore: when(existing['not_before']), due: when(existing['due']) };
    const open = existing['open_in'];
    return {
      kind: 'unchanged',
      filing,
      dates,
      ...(typeof open === 'string' ? { openIn: batchId(open) } : {}),
      ...(correctable === undefined ? {} : { correctable }),
    };
  }
  return {
    kind: 'conflict',
    filing,
    existing: sealedOf(existing, { filing, key: text(existing['key']) }),
    ...(correctable === undefined ? {} : { correctable }),
  };
}

function wayOutOf(row: Row): Correctable | undefined {
  const how = row['way_out'];
  if (how !== 'correct' && how !== 'withdraw' && how !== 'stop') return undefined;
  return {
    how,
    batch: batchId(text(row['batch'])),
    preparedBy: personId(text(row['prepared_by'])),
  };
}

function newFilingJson(filing: NewFiling): object {
  const { envelope } = filing;
  const { id: factId, ...fact } = factJson(filing.fact);
  return {
    id: envelope.id,
    batch: envelope.batch,
    lane: envelope.lane,
    jurisdiction: envelope.jurisdiction,
    effect: envelope.effect,
    entity_id: envelope.entityId,
    filing_kind: envelope.filingKind,
    period: envelope.period,
    revision: envelope.revision,
    key: envelope.key,
    obligation: filing.obligation,
    payload_sha256: envelope.payloadSha256,
    not_before: envelope.notBefore,
    due: envelope.due,
    last_safe: envelope.lastSafe,
    ...fact,
    fact_id: factId,
  };
}
