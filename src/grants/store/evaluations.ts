/** The last word of the rules, for those who list what is owed. */
import { optional, sql, text } from '../../postgres/index.ts';
import type { StageRun } from './stage.ts';

const LATEST = sql('grants-evaluation-latest')`
select encode(ct, 'hex') as ct from grant_evaluation where tenant = $1 order by evaluated_at desc, id desc limit 1`;

/** The name of its sealed body; undefined before the rules were first asked. */
export async function latestEvaluation(at: StageRun): Promise<string | undefined> {
  const [row] = await at.run(LATEST, [at.tenant]);
  return optional(row?.['ct'], text);
}
