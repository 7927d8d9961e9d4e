import type { Command } from '../command.ts';
import {
  type ApprovalTerms,
  approvalTerms,
  approve,
  type Batch,
  batchStatus,
  type Expectation,
  proposeAgain,
  readBatchId,
  totalCents,
} from '../../filings/index.ts';
import { APPROVAL_DAYS, APPROVAL_DAYS_MAX, misuse } from '../../core/index.ts';
import { table } from '../output.ts';
import { several } from '../row-import.ts';
import { moment } from '../shown.ts';

interface ApproveOptions {
  readonly dryRun?: true;
  readonly expectHash?: string;
  readonly expectCount?: string;
  readonly expectFees?: string;
  readonly expectProposal?: string;
  readonly validDays: string;
  readonly without?: readonly string[];
  readonly reason?: string;
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
    .option(
      '--expect-proposal <sha256>',
      'refuse unless the proposal, over the filings and where they are sent, has this hash',
    )
    .option(
      '--valid-days <n>',
      `how long the approval holds (1 to ${APPROVAL_DAYS_MAX})`,
      String(APPROVAL_DAYS),
    )
    .option('--without <filing>', 'hold this filing back; repeat for several', several)
    .option('--reason <text>', 'why they are held back (10 to 500 characters)')
    .option('--expect-fees <dollars>', 'refuse unless the fees total this amount, like 1250.00')
    .inApp(async ({ app, out, actor }, id: string, own: ApproveOptions) => {
      const batchId = readBatchId(id);
      const expected = expectationOf(own);
      const filings = own.without ?? [];
      const without = { filings, reason: own.reason };
      const terms =
        own.dryRun === true
          ? await approvalTerms(app, actor, batchId, new Set(filings))
          : await approve(app, actor, batchId, expected, Number(own.validDays), without);
      const { batch: found } = await batchStatus(app, actor, batchId);
      out.result(
        'batch approve',
        { ...found, dryRun: own.dryRun === true, approval: termsData(terms) },
        () =>
          [
            `${approvalWords(found, actor.name)}: ${terms.count - filings.length} filings of batch ${id}.`,
            ...(filings.length === 0 ? [] : [`held back: ${filings.length}`]),
            `hash  ${terms.sha256}`,
            ...(terms.proposal === undefined ? [] : [`proposal  ${terms.proposal.sha256}`]),
            destinationsTable(terms.lanes),
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
    : `Approved by ${approvedBy} at ${moment(approvedAt)}`;
}

function termsData(terms: ApprovalTerms) {
  return { ...terms, proposal: terms.proposal?.sha256 ?? null, totalCents: totalCents(terms.fees) };
}

/** Where it is sent, by what profile: the approval is for these and for no other. */
function destinationsTable(lanes: ApprovalTerms['lanes']): string {
  const rows = lanes.map(({ lane, origin, profile_sha256 }) => [lane, origin, profile_sha256]);
  return table(['lane', 'leads to', 'profile'], rows);
}

export function addProposeCommand(batch: Command): void {
  batch
    .command('propose <batch>')
    .description(
      'propose a batch again after a lane got another profile, or filings whose approval has ended',
    )
    .option('--reason <text>', 'why (10 to 500 characters)')
    .inApp(async ({ app, out, actor }, id: string, own: { reason?: string }) => {
      const proposed = await proposeAgain(app, actor, readBatchId(id), own.reason);
      out.result('batch propose', { batch: id, ...proposed }, () =>
        [
          `Proposed: ${proposed.count} filings of batch ${id}.`,
          `proposal  ${proposed.sha256}`,
          destinationsTable(proposed.lanes),
          `The second person: filewright batch approve ${id} --expect-proposal ${proposed.sha256}`,
        ].join('\n'),
      );
    });
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
  const { expectHash, expectCount, expectFees, expectProposal } = own;
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
    ...(expectProposal === undefined ? {} : { proposal: expectProposal.toLowerCase() }),
    ...(expectCount === undefined ? {} : { count: Number(expectCount) }),
    ...(expectFees === undefined ? {} : { totalCents: centsOf(expectFees) }),
  };
}

function centsOf(amount: string): number {
  return Number(amount.includes('.') ? amount.replace('.', '') : `${amount}00`);
}
