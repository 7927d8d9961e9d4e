/** Ledger facts of many subjects and of two logs in one statement. */
import type { LedgerFact } from '../../core/index.ts';
import { factJson } from '../../ledger/index.ts';
import { sql } from '../../postgres/index.ts';
import type { Run } from './docket-rows.ts';

export interface DocketFact {
  /** Access decisions have a log of their own. */
  readonly boundary: 'filing' | 'access';
  readonly kind: 'docket' | 'lane' | 'recovery' | 'routing';
  readonly id: string;
  /** Assigned while the subject's row is locked. */
  readonly ver: number;
  readonly fact: LedgerFact;
}

const RECORD = sql('docket-facts')`
with i as materialized (
  select * from json_to_recordset($2::json) as i(
    n int, boundary text, kind text, subject text, ver int, id uuid, type text, actor_kind text, actor_id text, trace text,
    data jsonb, body jsonb, ct text, blob text)
),
blobs as (
  insert into ledger_blob (ct, tenant, boundary, entry, key, bytes)
  select decode(ct, 'hex'), $1, boundary, id, body->>'key', decode(blob, 'base64') from i where ct is not null
)
insert into ledger_intake
  (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data, body)
select $1, boundary, id, now(), type, kind, subject, ver, actor_kind, actor_id, trace, data, body from i order by n`;

export async function recordDocketFacts(
  run: Run,
  tenant: string,
  facts: readonly DocketFact[],
): Promise<void> {
  if (facts.length === 0) return;
  const rows = facts.map(({ boundary, kind, id, ver, fact }, n) => ({
    ...factJson(fact),
    n,
    boundary,
    kind,
    subject: id,
    ver,
  }));
  await run(RECORD, [tenant, JSON.stringify(rows)]);
}
