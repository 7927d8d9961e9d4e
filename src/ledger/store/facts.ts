/** Ledger facts on their way into the intake table, in the transaction of the change they speak of. */
import { boundedFact, checkFact, type LedgerFact } from '../../core/index.ts';
import { type Run, sql } from '../../postgres/index.ts';

interface FactJson {
  readonly id: string;
  readonly type: string;
  readonly actor_kind: string;
  readonly actor_id: string;
  readonly trace: string;
  readonly data: LedgerFact['data'];
  readonly body: object | null;
  readonly ct: string | null;
  readonly blob: string | null;
}

/** Every fact but those of the grants pipeline passes through here, so its form and its bounds are asked here. */
export function factJson(fact: LedgerFact): FactJson {
  checkFact(fact.type, fact.data);
  return {
    id: fact.id,
    type: fact.type,
    actor_kind: fact.actor.kind,
    actor_id: fact.actor.id,
    trace: fact.trace,
    data: boundedFact(fact).data,
    body: fact.body?.sealed ?? null,
    ct: fact.body?.sealed.ct ?? null,
    blob:
      fact.body === undefined
        ? null
        : Buffer.from(
            fact.body.blob.buffer,
            fact.body.blob.byteOffset,
            fact.body.blob.byteLength,
          ).toString('base64'),
  };
}

// $1 tenant, $2 boundary, $3 fact, $4 kind, $5 id, $6 ver
const RECORD = sql('record-fact')`
with f as (select $3::json as fact),
blob as (
  insert into ledger_blob (ct, tenant, boundary, entry, key, bytes)
  select decode(fact->>'ct', 'hex'), $1, $2, (fact->>'id')::uuid, fact->'body'->>'key', decode(fact->>'blob', 'base64')
  from f where fact->>'ct' is not null)
insert into ledger_intake
  (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data, body)
select $1, $2, (fact->>'id')::uuid, now(), fact->>'type', $4, $5, $6::int, fact->>'actor_kind', fact->>'actor_id',
  fact->>'trace', (fact->'data')::jsonb, nullif((fact->'body')::jsonb, 'null'::jsonb)
from f`;

// For a fact without a body: a role that may not write bodies may still record what it did.
const RECORD_BARE = sql('record-bare-fact')`
insert into ledger_intake
  (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data)
select $1, $2, (fact->>'id')::uuid, now(), fact->>'type', $4, $5, $6::int, fact->>'actor_kind', fact->>'actor_id',
  fact->>'trace', (fact->'data')::jsonb
from (select $3::json as fact) f`;

/** `ver` must have been assigned while the subject's row was locked in this same transaction. */
export async function recordFact(
  run: Run,
  /** The database holds the column to the names of boundaries. */
  where: { readonly tenant: string; readonly boundary: string },
  subject: { readonly kind: string; readonly id: string; readonly ver: number },
  fact: LedgerFact,
): Promise<void> {
  await run(fact.body === undefined ? RECORD_BARE : RECORD, [
    where.tenant,
    where.boundary,
    JSON.stringify(factJson(fact)),
    subject.kind,
    subject.id,
    subject.ver,
  ]);
}
