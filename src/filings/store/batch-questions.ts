/** Questions about a batch and their answers. Who asked may approve without one; everyone else waits for it (guard_batch). */
import { type BatchId, batchId } from '../../core/index.ts';
import { optional, type Row, type Run, sql, text, when } from '../../postgres/index.ts';

export interface BatchQuestion {
  readonly batch: BatchId;
  readonly n: number;
  /** Undefined: about all of it. */
  readonly filing: string | undefined;
  readonly askedBy: string;
  readonly askedById: string;
  readonly askedAt: number;
  readonly question: string;
  readonly answeredBy: string | undefined;
  readonly answeredAt: number | undefined;
  readonly answer: string | undefined;
}

const LOCK = sql('batch-question-lock')`
select id from batch where tenant = $1 and id = $2 for update`;

const ADD = sql('batch-question-add')`
insert into batch_question (tenant, batch, n, filing, asked_by, question)
select $1, $2, coalesce(max(n), 0) + 1, $3, $4, $5 from batch_question where tenant = $1 and batch = $2
returning n`;

const ANSWER = sql('batch-question-answer')`
update batch_question set answered_by = $4, answered_at = now(), answer = $5
where tenant = $1 and batch = $2 and n = $3 and answered_at is null returning n`;

const LIST_COLUMNS = `
select q.batch, q.n, q.filing, q.asked_by, a.name as asked_name, q.asked_at, q.question, b.name as answered_name,
  q.answered_at, q.answer
from batch_question q join person a on a.tenant = q.tenant and a.id = q.asked_by
left join person b on b.tenant = q.tenant and b.id = q.answered_by`;

const LIST = sql('batch-question-list')`${LIST_COLUMNS}
where q.tenant = $1 and ($2::uuid is null or q.batch = $2) and (not $3 or q.answered_at is null)
order by q.batch, q.n limit $4`;

const OF_PREPARER = sql('batch-question-of-preparer')`
${LIST_COLUMNS} join batch p on p.tenant = q.tenant and p.id = q.batch
where q.tenant = $1 and p.prepared_by = $2 and q.answered_at is null order by q.asked_at, q.batch, q.n limit $3`;

/** Far more than anybody asks of one batch. */
const QUESTIONS_MAX = 1_000;

export async function addQuestion(
  run: Run,
  tenant: string,
  asked: {
    readonly batch: BatchId;
    readonly filing: string | undefined;
    readonly by: string;
    readonly question: string;
  },
): Promise<number> {
  const { batch, filing, by, question } = asked;
  // So that two who ask at once have two numbers.
  await run(LOCK, [tenant, batch]);
  const [row] = await run(ADD, [tenant, batch, filing ?? null, by, question]);
  return Number(row?.['n']);
}

/** False where there is no such open question. */
export async function answerQuestion(
  run: Run,
  tenant: string,
  given: {
    readonly batch: BatchId;
    readonly n: number;
    readonly by: string;
    readonly answer: string;
  },
): Promise<boolean> {
  const { batch, n, by, answer } = given;
  return (await run(ANSWER, [tenant, batch, n, by, answer])).length === 1;
}

/** Of one batch, or of all. */
export async function batchQuestions(
  run: Run,
  tenant: string,
  filter: { readonly batch?: BatchId; readonly onlyOpen: boolean },
): Promise<readonly BatchQuestion[]> {
  const values = [tenant, filter.batch ?? null, filter.onlyOpen, QUESTIONS_MAX];
  return (await run(LIST, values)).map(questionOf);
}

/** Those that the person who prepared their batches has to answer. */
export async function openQuestions(
  run: Run,
  tenant: string,
  preparer: string,
): Promise<readonly BatchQuestion[]> {
  return (await run(OF_PREPARER, [tenant, preparer, QUESTIONS_MAX])).map(questionOf);
}

function questionOf(row: Row): BatchQuestion {
  return {
    batch: batchId(text(row['batch'])),
    n: Number(row['n']),
    filing: optional(row['filing'], text),
    askedBy: text(row['asked_name']),
    askedById: text(row['asked_by']),
    askedAt: when(row['asked_at']),
    question: text(row['question']),
    answeredBy: optional(row['answered_name'], text),
    answeredAt: optional(row['answered_at'], when),
    answer: optional(row['answer'], text),
  };
}
