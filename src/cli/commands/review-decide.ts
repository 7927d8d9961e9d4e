/** The half of `review` that changes something. What sends again is proposed here and approved by another person. */
import { basename } from 'node:path';
import type { Command } from '../command.ts';
import {
  acceptFiling,
  approveReview,
  type Evidence,
  type FieldEdit,
  assignFiling,
  openProposal,
  proposeBulkReplay,
  proposeCorrection,
  type Proposed,
  proposeReplay,
  rejectFiling,
  REVIEW_FILTERS,
  type ReviewFilter,
  withdrawReview,
} from '../../filings/index.ts';
import { checkReason, type JsonValue, misuse } from '../../core/index.ts';
import { checkUuid, parseJsonFile, readNamedFile } from '../arguments.ts';
import { addFieldOptions, fieldEdits, type FieldOptions, pairOf } from '../field-edits.ts';
import type { Output } from '../output.ts';
import { proposalText } from './review-text.ts';

const REASON = ['--reason <text>', 'reason; recorded in the ledger'] as const;
const NOT_FILED = [
  '--not-filed <evidence>',
  'how you know that an earlier send was not accepted; recorded in the ledger',
] as const;
const SHA256 = /^[0-9a-f]{64}$/i;

interface CorrectOptions extends FieldOptions {
  readonly reason: string;
  readonly payload?: string;
  readonly notFiled?: string;
}

interface ReplayOptions {
  readonly reason: string;
  readonly notFiled?: string;
  readonly filter: readonly string[];
  readonly expectCount?: string;
}

export function addReviewDecisions(review: Command): void {
  addReplay(review);
  addCorrect(review);
  addApprove(review);
  addWithdraw(review);
  addProposal(review);
  addClosing(review);
}

function addReplay(review: Command): void {
  review
    .command('replay [filing]')
    .description(
      'propose to send the same payload again under the same key; the portal is checked first if needed',
    )
    .requiredOption(...REASON)
    .option(...NOT_FILED)
    .option(
      '--filter <name=value>',
      `several filings at once: ${REVIEW_FILTERS.join(', ')}; may be repeated`,
      collect,
      [],
    )
    .option('--expect-count <n>', 'number of filings that the filter must match')
    .inApp(async ({ app, out, actor }, id: string | undefined, own: ReplayOptions) => {
      const reason = checkReason('--reason', own.reason);
      if ((id === undefined) === (own.filter.length === 0)) {
        throw misuse('Expected either a filing or --filter, not both');
      }
      if (id === undefined) {
        const filter = filterOf(own.filter);
        const expectCount = countOf(own.expectCount);
        const made = await proposeBulkReplay(app, actor, { filter, expectCount, reason });
        proposed(out, 'review replay', made, {});
        return;
      }
      const notFiled = evidenceOf(own.notFiled);
      const made = await proposeReplay(app, actor, { id, reason, notFiled });
      proposed(out, 'review replay', made, {});
    });
}

function addCorrect(review: Command): void {
  const correcting = review
    .command('correct <filing>')
    .description(
      'propose a corrected payload as the next revision, with a new key; the original is kept',
    )
    .requiredOption(...REASON);
  addFieldOptions(correcting)
    .option('--payload <file>', 'the whole payload as JSON instead')
    .option(...NOT_FILED)
    .inApp(async ({ app, out, actor }, id: string, own: CorrectOptions) => {
      const made = await proposeCorrection(app, actor, {
        id,
        reason: checkReason('--reason', own.reason),
        notFiled: evidenceOf(own.notFiled),
        wanted: wantedOf(own),
      });
      const { changes, gateChanges } = made;
      for (const { code, field, why } of gateChanges) out.say(`gate ${code} at ${field}: ${why}`);
      proposed(out, 'review correct', made, { changes, gateChanges });
    });
}

function addApprove(review: Command): void {
  review
    .command('approve <proposal>')
    .description('approve another person’s proposal; its filings join the queue')
    .requiredOption('--expect-hash <sha256>', 'the hash that review proposal shows')
    .inApp(async ({ app, out, actor }, id: string, own: { expectHash: string }) => {
      if (!SHA256.test(own.expectHash)) throw misuse('--expect-hash: expected 64 hex digits');
      const proposal = await approveReview(app, actor, {
        id,
        expectHash: own.expectHash,
      });
      const { kind, count, sha256 } = proposal;
      out.result('review approve', { proposal: id, kind, count, sha256 }, () =>
        count === 1 ? 'The filing is pending again.' : `${count} filings are pending again.`,
      );
    });
}

function addWithdraw(review: Command): void {
  review
    .command('withdraw <proposal>')
    .description('withdraw a proposal without running it')
    .requiredOption(...REASON)
    .inApp(async ({ app, out, actor }, id: string, own: { reason: string }) => {
      const reason = checkReason('--reason', own.reason);
      await withdrawReview(app, actor, { id, reason });
      out.result('review withdraw', { proposal: id }, () => `Proposal ${id} is withdrawn.`);
    });
}

function addProposal(review: Command): void {
  review
    .command('proposal <proposal>')
    .description('show a proposal: its hash, its filings, and a correction field by field')
    .inApp(async ({ app, out, actor }, id: string) => {
      const opened = await openProposal(app, actor, id);
      out.result('review proposal', opened, () => proposalText(opened));
    });
}

function addClosing(review: Command): void {
  review
    .command('accept-as-filed <filing>')
    .description(
      'record that a filing was made manually, or by a send whose answer was lost; needs evidence',
    )
    .requiredOption(...REASON)
    .requiredOption('--receipt <number>', 'the number on the receipt or confirmation')
    .option('--shared-receipt', 'the office gave the same receipt, or file, for another filing')
    .option('--evidence <text>', 'how you know')
    .option('--evidence-file <path>', 'a confirmation page or letter; kept sealed with the ledger')
    .inApp(
      async (
        { app, out, actor },
        id: string,
        own: {
          reason: string;
          receipt: string;
          sharedReceipt?: boolean;
          evidence?: string;
          evidenceFile?: string;
        },
      ) => {
        const reason = checkReason('--reason', own.reason);
        const evidence = evidenceFor(own);
        const { receipt } = own;
        const isShared = own.sharedReceipt === true;
        const act = { id, reason, receipt, evidence, isShared };
        const done = await acceptFiling(app, actor, act);
        const { evidenceSha256 } = done;
        out.result('review accept-as-filed', { filing: id, receipt, evidenceSha256 }, () =>
          [`Filing ${id} is accepted as filed.`, `evidence sha256  ${evidenceSha256}`].join('\n'),
        );
      },
    );

  review
    .command('reject <filing>')
    .description('close a filing as rejected or withdrawn; it is not sent again')
    .requiredOption(...REASON)
    .option(...NOT_FILED)
    .inApp(async ({ app, out, actor }, id: string, own: { reason: string; notFiled?: string }) => {
      const reason = checkReason('--reason', own.reason);
      const notFiled = evidenceOf(own.notFiled);
      const done = await rejectFiling(app, actor, { id, reason, notFiled });
      const from = done.filing.status;
      out.result('review reject', { filing: id, from }, () => `Filing ${id} is rejected.`);
    });

  review
    .command('assign <filing>')
    .description('assign an exception to a person')
    .requiredOption('--to <name>', 'name of the person; see user list')
    .requiredOption(...REASON)
    .inApp(async ({ app, out, actor }, id: string, own: { reason: string; to: string }) => {
      const reason = checkReason('--reason', own.reason);
      await assignFiling(app, actor, { id, reason, to: own.to });
      out.result(
        'review assign',
        { filing: id, to: own.to },
        () => `Filing ${id} is assigned to ${own.to}.`,
      );
    });
}

function proposed(out: Output, command: string, made: Proposed, more: object): void {
  const { id, sha256, items } = made;
  const filings = items.map((item) => item.filing);
  out.result(command, { proposal: id, sha256, count: items.length, filings, ...more }, () =>
    [
      `Proposed for ${items.length === 1 ? 'one filing' : `${items.length} filings`}; nothing is sent before a second person approves it:`,
      `  filewright review approve ${id} --expect-hash ${sha256}`,
    ].join('\n'),
  );
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function filterOf(texts: readonly string[]): ReviewFilter {
  const filter: Record<string, string> = {};
  for (const each of texts) {
    const [name, value] = pairOf('--filter', each);
    if (!REVIEW_FILTERS.some((known) => known === name) || value === '') {
      throw misuse(
        `--filter: expected one of ${REVIEW_FILTERS.join(', ')} with a value, found "${each}"`,
      );
    }
    if (Object.hasOwn(filter, name)) throw misuse(`--filter: ${name} is given twice`);
    filter[name] = value;
  }
  checkUuid('--filter batch', filter['batch']);
  return filter;
}

function countOf(text: string | undefined): number {
  const count = Number(text ?? Number.NaN);
  if (Number.isInteger(count) && count > 0) return count;
  throw misuse(
    '--expect-count: with --filter, enter the number of filings to replay; review list shows them',
  );
}

function wantedOf(
  own: CorrectOptions,
): { readonly payload: Readonly<Record<string, JsonValue>> } | { readonly edits: FieldEdit[] } {
  const edits = fieldEdits(own);
  if ((own.payload === undefined) === (edits.length === 0)) {
    throw misuse('Expected either --payload or some of --set, --set-json and --unset');
  }
  if (own.payload === undefined) return { edits };
  const payload = parseJsonFile(own.payload, readNamedFile('payload', own.payload));
  if (typeof payload === 'object' && payload !== null && !Array.isArray(payload)) {
    // Neither null nor a list, so an object of the JSON reader.
    return { payload: payload as Readonly<Record<string, JsonValue>> };
  }
  throw misuse(`${own.payload}: expected a JSON object`);
}

function evidenceOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : checkReason('--not-filed', text);
}

function evidenceFor(own: { evidence?: string; evidenceFile?: string }): Evidence {
  if (own.evidenceFile !== undefined && own.evidence === undefined) {
    const bytes = readNamedFile('evidence', own.evidenceFile);
    return { kind: 'file', name: basename(own.evidenceFile), bytes };
  }
  if (own.evidence !== undefined && own.evidence.trim() !== '' && own.evidenceFile === undefined) {
    return { kind: 'text', text: own.evidence };
  }
  throw misuse(
    'Expected evidence: --evidence "<how you know>" or --evidence-file PATH, one of the two',
  );
}
