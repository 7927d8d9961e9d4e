import type { Command } from '../command.ts';
import {
  type ApprovalTerms,
  approvalTerms,
  approve,
  type Batch,
  batchStatus,
  type Expectation,
  readBatchId,
  totalCents,
} from '../../filings/index.ts';
import { misuse } from '../../core/index.ts';
import { iso, table } from '../output.ts';

interface ApproveOptions {
  readonly dryRun?: true;
  readonly expectHash?: string;
  readonly expectCount?: string;
  readonly expectFees?: string;
}

export function addApproveCommand(batch: Command): void {
  batch
    .command('approve <batch>')
    .description(
      'approve a batch as the second person: its frozen hash, count and fees; nothing is sent before that',
    )
    .option('--dry-run', 'show what would be approved; approve nothing')
    .option('--expect-hash <sha256>', 'refuse unless the batch was frozen with this hash')
    .option('--expect-count <n>', 'refuse unless the batch has this number of filings')
    .option('--expect-fees <dollars>', 'refuse unless the fees total this amount, like 1250.00')
    .inApp(async ({ app, out, actor }, id: string, own: ApproveOptions) => {
      const batchId = readBatchId(id);
      const expected = expectationOf(own);
      const terms =
        own.dryRun === true
          ? await approvalTerms(app, actor, batchId)
          : await approve(app, actor, batchId, expected);
      const { batch: found } = await batchStatus(app, actor, batchId);
      out.result(
        'batch approve',
        { ...found, dryRun: own.dryRun === true, approval: termsData(terms) },
        () =>
          [
            `${approvalWords(found, actor.name)}: ${terms.count} filings of batch ${id}.`,
            `hash  ${terms.sha256}`,
            termsTable(terms),
          ].join('\n'),
      );
    });
}

/** As it is recorded: who comes second to an approval has approved nothing. */
function approvalWords(batch: Batch | undefined, name: string): string {
  const { approvedBy, approvedAt } = batch ?? {};
  return approvedBy === undefined
    ? `Would be approved by ${name}`
    : `Approved by ${approvedBy} at ${iso(approvedAt)}`;
}

function termsData(terms: ApprovalTerms) {
  return { ...terms, totalCents: totalCents(terms.fees) };
}

function termsTable(terms: ApprovalTerms): string {
  const rows = [
    ...terms.fees.map(({ rail, filings, cents }) => [rail, filings, dollars(cents)] as const),
    ['all', terms.count, dollars(totalCents(terms.fees))] as const,
  ];
  return table(['payment method', 'filings', 'fees'], rows);
}

function dollars(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`;
}

function expectationOf(own: ApproveOptions): Expectation {
  const refuse = (option: string, expected: string, found: string): never => {
    throw misuse(`${option}: expected ${expected}, found "${found}"`);
  };
  const { expectHash, expectCount, expectFees } = own;
  if (expectHash !== undefined && !/^[0-9a-f]{64}$/.test(expectHash)) {
    refuse('--expect-hash', 'a SHA-256 in 64 hex digits', expectHash);
  }
  if (expectCount !== undefined && !/^\d{1,9}$/.test(expectCount)) {
    refuse('--expect-count', 'a number of filings', expectCount);
  }
  if (expectFees !== undefined && !/^\d{1,12}(?:\.\d{2})?$/.test(expectFees)) {
    refuse('--expect-fees', 'dollars like 1250 or 1250.00', expectFees);
  }
  return {
    ...(expectHash === undefined ? {} : { sha256: expectHash }),
    ...(expectCount === undefined ? {} : { count: Number(expectCount) }),
    ...(expectFees === undefined ? {} : { totalCents: centsOf(expectFees) }),
  };
}

function centsOf(amount: string): number {
  return Number(amount.includes('.') ? amount.replace('.', '') : `${amount}00`);
}
