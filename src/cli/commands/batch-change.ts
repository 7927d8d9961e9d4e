/** A way out of a mistake: correct, withdraw, cancel, refuse, ask. */
import type { Command } from '../command.ts';
import {
  answerAboutBatch,
  approveCancel,
  askAboutBatch,
  cancelBatch,
  correctInBatch,
  readBatchId,
  refuseBatch,
  refuseCancel,
  withdrawFromBatch,
} from '../../filings/index.ts';
import { misuse } from '../../core/index.ts';
import { addFieldOptions, fieldEdits, type FieldOptions } from '../field-edits.ts';

export function addChangeCommands(batch: Command): void {
  addPreparerCommands(batch);
  addCancelCommand(batch);
  addRefuseCommand(batch);
  addQuestionCommands(batch);
}

function addPreparerCommands(batch: Command): void {
  const correcting = batch
    .command('correct <filing>')
    .description(
      'correct a filing that no one has approved; its batch is frozen and proposed anew',
    );
  addFieldOptions(correcting)
    .requiredOption('--reason <text>', 'why (10 to 500 characters)')
    .inApp(async ({ app, out, actor }, filing: string, own: CorrectOptions) => {
      const { reason } = own;
      const edits = fieldEdits(own);
      if (edits.length === 0) throw misuse('Expected --set, --set-json or --unset');
      const done = await correctInBatch(app, actor, { filing, edits, reason });
      out.result('batch correct', done, () =>
        [
          ...done.changes.map(
            (one) => `${one.field}: ${JSON.stringify(one.old)} → ${JSON.stringify(one.new)}`,
          ),
          `Filing ${done.filing} takes the place of ${done.former}.`,
          ...nextFor(done.batch, done.count, done.sha256),
        ].join('\n'),
      );
    });

  batch
    .command('withdraw <filing...>')
    .description('withdraw filings from a batch that no one has approved, or that were held back')
    .requiredOption('--reason <text>', 'why (10 to 500 characters)')
    .inApp(async ({ app, out, actor }, filings: string[], { reason }: { reason: string }) => {
      const { batch: id, changed } = await withdrawFromBatch(app, actor, { filings, reason });
      out.result('batch withdraw', { batch: id, filings, changed: changed ?? null }, () =>
        [
          `Withdrawn from batch ${id}: ${filings.length === 1 ? '1 filing' : `${filings.length} filings`}. A corrected row can be imported at any time.`,
          ...(changed?.state === 'frozen' ? nextFor(id, changed.count, changed.sha256) : []),
          ...(changed?.state === 'cancelled' ? [`Nothing is left of batch ${id}.`] : []),
        ].join('\n'),
      );
    });
}

interface CorrectOptions extends FieldOptions {
  readonly reason: string;
}

function nextFor(batch: string, count: number, sha256: string): string[] {
  return [
    `Batch ${batch}: ${count} filings, frozen as ${sha256}.`,
    `Next, as a second person: filewright batch show ${batch}`,
  ];
}

interface CancelOptions {
  readonly reason?: string;
  readonly approve?: true;
  readonly refuse?: true;
  readonly expectHash?: string;
}

function addCancelCommand(batch: Command): void {
  batch
    .command('cancel <batch>')
    .description(
      'undo an import that no one has approved; of an approved batch, stop what was not sent yet, and ask a second person',
    )
    .option('--reason <text>', 'why (10 to 500 characters)')
    .option('--approve', 'as the second person: withdraw what was stopped')
    .option('--refuse', 'as the second person: what was stopped waits for a new approval')
    .option('--expect-hash <sha256>', 'with --approve: the hash that was shown when it was stopped')
    .inApp(async ({ app, out, actor }, name: string, own: CancelOptions) => {
      const id = readBatchId(name);
      if (own.approve === true && own.refuse === true) {
        throw misuse('Expected --approve or --refuse, found both');
      }
      if (own.approve === true) {
        const expectHash = required('--expect-hash', own.expectHash);
        const done = await approveCancel(app, actor, { batch: id, expectHash });
        const left =
          done.left === 0
            ? `Nothing is left of batch ${id}.`
            : `${done.left} are left: they were claimed before.`;
        const data = { batch: id, kind: 'approved', ...done };
        out.result('batch cancel', data, () => `Withdrawn: ${done.withdrawn} filings. ${left}`);
        return;
      }
      const reason = required('--reason', own.reason);
      if (own.refuse === true) {
        await refuseCancel(app, actor, { batch: id, reason });
        out.result(
          'batch cancel',
          { batch: id, kind: 'refused' },
          () =>
            `Refused. What was stopped is not sent without a new approval: filewright batch propose ${id}`,
        );
        return;
      }
      const done = await cancelBatch(app, actor, { batch: id, reason });
      out.result('batch cancel', { batch: id, ...done }, () =>
        done.kind === 'undone'
          ? `Undone: ${done.withdrawn} filings of batch ${id} are withdrawn. Their rows can be imported again.`
          : [
              `Stopped: ${done.count} filings of batch ${id} are not sent. ${done.claimed === 0 ? 'None had been claimed.' : `${done.claimed} had been claimed already.`}`,
              `The second person: filewright batch cancel ${id} --approve --expect-hash ${done.sha256}`,
            ].join('\n'),
      );
    });
}

function addRefuseCommand(batch: Command): void {
  batch
    .command('refuse <batch>')
    .description('as the second person: send a batch back to the person who prepared it')
    .requiredOption('--reason <text>', 'why (10 to 500 characters)')
    .inApp(async ({ app, out, actor }, name: string, { reason }: { reason: string }) => {
      const id = readBatchId(name);
      await refuseBatch(app, actor, { batch: id, reason });
      out.result(
        'batch refuse',
        { batch: id },
        () => `Batch ${id} is refused. The person who prepared it sees why in inbox.`,
      );
    });
}

function addQuestionCommands(batch: Command): void {
  batch
    .command('ask <batch> <question>')
    .description('ask about a batch before approving it; no one else approves it meanwhile')
    .option('--filing <filing>', 'the filing that it is about')
    .inApp(
      async ({ app, out, actor }, name: string, question: string, own: { filing?: string }) => {
        const id = readBatchId(name);
        const { n } = await askAboutBatch(app, actor, { ...own, batch: id, question });
        out.result(
          'batch ask',
          { batch: id, n },
          () => `Asked: question ${n} about batch ${id}. The answer is in batch show ${id}.`,
        );
      },
    );

  batch
    .command('answer <batch> <number> <answer>')
    .description('answer a question about a batch')
    .inApp(async ({ app, out, actor }, name: string, number: string, answer: string) => {
      const id = readBatchId(name);
      if (!/^[1-9]\d{0,5}$/.test(number)) {
        throw misuse(`Expected the number of a question, found "${number}"; see batch show ${id}`);
      }
      const n = Number(number);
      await answerAboutBatch(app, actor, { batch: id, n, answer });
      out.result('batch answer', { batch: id, n }, () => `Question ${n} is answered.`);
    });
}

function required(option: string, value: string | undefined): string {
  if (value !== undefined) return value;
  throw misuse(`${option} is needed`);
}
