/** Everything that a tenant's tables hold, read by somebody who stands outside the pipeline. */
import type { Session } from '../../src/postgres/session.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Tables whose rows come and stay: whatever was seen once must be seen for ever, unchanged; a proposal gets its decision. */
export const LASTING = [
  'grant_document',
  'grant_award',
  'grant_metadata',
  'grant_escalation',
  'grant_exception',
  'proposal',
  'grant_feed',
  'grant_line',
  'grant_period',
  'grant_match',
  'grant_match_line',
  'grant_match_part',
  'grant_award_end',
  'grant_resolution',
  'grant_crossing',
  'grant_check',
  'grant_release',
  'grant_received',
  'question_try',
] as const;
const CHANGING = ['question'] as const;

export type TableName = (typeof LASTING)[number] | (typeof CHANGING)[number];

export interface Look {
  readonly tables: Readonly<Record<TableName, readonly Row[]>>;
  /** How many facts of each type the logs hold. */
  readonly facts: Readonly<Record<string, number>>;
}

/** Sealed bytes would only be noise, and are large. */
const WITHOUT = `- 'bytes' - 'tenant'`;

const TEXT = `
select json_build_object(${[...LASTING, ...CHANGING]
  .map(
    (table) =>
      `'${table}', (select coalesce(json_agg(to_jsonb(t) ${WITHOUT} order by t::text), '[]') from ${table} t where t.tenant = $1)`,
  )
  .join(', ')}) as tables,
  (select coalesce(json_object_agg(f.type, f.n), '{}') from (
    select type, count(*)::int as n from ledger_intake where tenant = $1 group by type) f) as facts`;

export async function lookAt(session: Session, tenant: string): Promise<Look> {
  const [row] = await session.run({ name: 'simulation-look', text: TEXT }, [tenant]);
  // Built by the statement above.
  return { tables: row?.['tables'], facts: row?.['facts'] } as Look;
}
