/** Ledger facts of many subjects in one statement, with their sealed bodies. */
import type { LedgerFact } from '../../core/index.ts';
import { factJson } from '../../ledger/index.ts';
import { type Run, sql } from '../../postgres/index.ts';

export interface SubjectFact {
  readonly kind: 'entity' | 'obligation';
  readonly id: string;
  /** Assigned while the register is locked. */
  readonly ver: number;
  readonly fact: LedgerFact;
}

const RECORD = sql('register-facts')`
with i as materialized (
  select * from json_to_recordset($2::json) as i(
    kind text, subject text, ver int, id uuid, type text, actor_kind text, actor_id text, trace text,
    data jsonb, body jsonb, ct text, blob text)
),
blobs as (
  insert into ledger_blob (ct, tenant, boundary, entry, key, bytes)
  select decode(ct, 'hex'), $1, 'filing', id, body->>'key', decode(blob, 'base64') from i where ct is not null
)
insert into ledger_intake
  (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data, body)
select $1, 'filing', id, now(), type, kind, subject, ver, actor_kind, actor_id, trace, data, body from i`;

export async function recordSubjectFacts(
  run: Run,
  tenant: string,
  facts: readonly SubjectFact[],
): Promise<void> {
  if (facts.length === 0) return;
  const rows = facts.map(({ kind, id, ver, fact }) => ({
    ...factJson(fact),
    kind,
    subject: id,
    ver,
  }));
  await run(RECORD, [tenant, JSON.stringify(rows)]);
}
