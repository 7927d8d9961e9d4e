/** Records that a boundary appends to the stamp of an award. Nothing is ever changed. */
import { sql } from '../../postgres/index.ts';
import type { StageRun } from './stage.ts';

interface AppendedMetadata {
  readonly key: string;
  readonly n: number;
  readonly complianceState: string;
  readonly attemptCount: number;
  readonly hash: string;
  readonly previousHash: string;
}

const APPEND = sql('grants-metadata-append')`
insert into grant_metadata (tenant, key, n, boundary, compliance_state, attempt_count, hash, previous_hash)
select $1, i.key, i.n, $2, i."complianceState", i."attemptCount", decode(i.hash, 'hex'), decode(i."previousHash", 'hex')
from json_to_recordset($3::json) as i(
  key text, n int, "complianceState" text, "attemptCount" int, hash text, "previousHash" text)`;

export async function appendMetadataRows(
  at: StageRun,
  records: readonly AppendedMetadata[],
): Promise<void> {
  if (records.length === 0) return;
  await at.run(APPEND, [at.tenant, at.stage, JSON.stringify(records)]);
}
