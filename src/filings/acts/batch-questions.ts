/** Asking about a batch before it is approved. Question and answer stay on record; the batch waits meanwhile for all but who asked. */
import { type Actor, allow } from '../../access/index.ts';
import { type BatchId, checkReason, notFound, ruledOut, userFact } from '../../core/index.ts';
import { type Installation, recordFact, sequenceAll } from '../../ledger/index.ts';
import { raiseAlertIn } from '../../people/index.ts';
import type { Run } from '../../postgres/index.ts';
import { addQuestion, answerQuestion, batchQuestions } from '../store/batch-questions.ts';
import { findBatch } from '../store/batches.ts';
import { findFiling } from '../store/filings.ts';

export async function askAboutBatch(
  app: Installation,
  actor: Actor,
  input: { readonly batch: BatchId; readonly filing?: string; readonly question: string },
): Promise<{ readonly n: number }> {
  allow(actor, 'batch.ask');
  const { batch } = input;
  const question = checkReason('the question', input.question);
  const found = await findBatch(app.session, app.tenant, batch);
  if (found.state === 'cancelled') throw ruledOut(`Batch ${batch} is cancelled`);
  const filing = await filingIn(app, batch, input.filing);
  const n = await app.session.transaction(async (run) => {
    const by = actor.id;
    const number = await addQuestion(run, app.tenant, { batch, filing, by, question });
    const data = { batch, question, ...(filing === undefined ? {} : { filing }) };
    const fact = userFact(app, 'batch.asked', actor, data);
    await record(run, app.tenant, { batch, n: number, ver: 1 }, fact);
    await raiseAlertIn(run, app, {
      kind: 'batch_question',
      subject: `batch ${batch}`,
      severity: 'info',
      text: `${actor.name} asks ${found.preparedBy} about batch ${batch} (${found.source}): ${question} Answer with: filewright batch answer ${batch} ${number} "ANSWER"`,
      dedup: `batch_question/${batch}/${number}`,
      causedBy: actor.id,
    });
    return number;
  });
  await sequenceAll(app);
  return { n };
}

export async function answerAboutBatch(
  app: Installation,
  actor: Actor,
  input: { readonly batch: BatchId; readonly n: number; readonly answer: string },
): Promise<void> {
  allow(actor, 'batch.answer');
  const { batch, n } = input;
  const answer = checkReason('the answer', input.answer);
  await findBatch(app.session, app.tenant, batch);
  await app.session.transaction(async (run) => {
    const done = await answerQuestion(run, app.tenant, { batch, n, by: actor.id, answer });
    if (!done) throw notFound(`Batch ${batch} has no open question ${n}; see batch show ${batch}`);
    const fact = userFact(app, 'batch.answered', actor, { batch, answer });
    await record(run, app.tenant, { batch, n, ver: 2 }, fact);
  });
  await sequenceAll(app);
}

/** Refuses an approval past somebody else's open question; the database does so too. */
export async function requireAnswered(
  run: Run,
  tenant: string,
  batch: BatchId,
  by: string,
): Promise<void> {
  const open = await batchQuestions(run, tenant, { batch, onlyOpen: true });
  const other = open.find(({ askedById }) => askedById !== by);
  if (other === undefined) return;
  throw ruledOut(
    `${other.askedBy} asked about batch ${batch} and waits for the answer (question ${other.n}: ${other.question}); answer it with batch answer ${batch} ${other.n}`,
  );
}

async function filingIn(
  app: Installation,
  batch: BatchId,
  name: string | undefined,
): Promise<string | undefined> {
  if (name === undefined) return undefined;
  const filing = await findFiling(app.session, app.tenant, name);
  if (filing.batch === batch) return filing.id;
  throw ruledOut(`Filing ${filing.id} is of batch ${filing.batch}, not of batch ${batch}`);
}

async function record(
  run: Run,
  tenant: string,
  question: { readonly batch: string; readonly n: number; readonly ver: number },
  fact: ReturnType<typeof userFact>,
): Promise<void> {
  const { batch, n, ver } = question;
  const subject = { kind: 'batch_question', id: `${batch}/${n}`, ver };
  await recordFact(run, { tenant, boundary: 'access' }, subject, fact);
}
