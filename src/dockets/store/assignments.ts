/** Questions to the assignment table, and what it said, beside the docket that they are about. */
import type { DocketId, Instant, LedgerFact } from '../../core/index.ts';
import { sql } from '../../postgres/index.ts';
import { jsonText, type Run } from './docket-rows.ts';
import { recordDocketFact } from './dockets.ts';

const ASK = sql('docket-assignment-ask')`
update docket set assignment = $3, next_at = to_timestamp($4::float8 / 1000)
    where tenant = $1 and id = any ($2::text[])`;

/** Dockets that are locked, and wait until then for an answer. */
export async function noteQuestions(
  run: Run,
  tenant: string,
  dockets: readonly DocketId[],
  question: { readonly assignment: object; readonly until: Instant },
): Promise<void> {
  if (dockets.length === 0) return;
  await run(ASK, [tenant, dockets, jsonText(question.assignment), question.until]);
}

const ANSWER = sql('docket-assignment-answer')`
update docket set assignment = $3, next_at = least(next_at, now())
    where tenant = $1 and id = $2 and phase = 'queued' and closed_at is null and assignment->>'state' = 'asked'
    returning id`;

/** False when the docket has gone on without it; then nothing is written. */
export async function noteAnswer(
  run: Run,
  tenant: string,
  docket: DocketId,
  answer: { readonly assignment: object; readonly fact: LedgerFact },
): Promise<boolean> {
  const rows = await run(ANSWER, [tenant, docket, jsonText(answer.assignment)]);
  if (rows.length === 0) return false;
  await recordDocketFact(run, tenant, docket, answer.fact);
  return true;
}
