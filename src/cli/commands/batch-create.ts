import type { Command } from '../command.ts';
import type { ObligationBatch } from '../../filings/index.ts';
import { EXIT } from '../../core/index.ts';
import { jurisdictionsOf, readDay } from './obligation-register.ts';

interface CreateOptions {
  readonly dueBefore: string;
  readonly jurisdiction?: readonly string[];
  readonly dryRun?: true;
  readonly resume?: string;
}

const SHOWN_MAX = 10;

export function addCreateCommand(batch: Command): void {
  batch
    .command('create')
    .description(
      'create a batch from the open obligations in the register that have no filing yet; they pass the same gates as imported rows',
    )
    .requiredOption('--due-before <day>', 'obligations due before this day')
    .option('--jurisdiction <codes...>', 'only these, for instance US-DE US-CA')
    .option('--dry-run', 'count what would be created and refused; write nothing')
    .option('--resume <batch>', 'continue a batch that was interrupted')
    .inApp(async ({ app, out, actor }, own: CreateOptions) => {
      const { createBatch } = await import('../../filings/index.ts');
      const report = await createBatch(app, actor, {
        dueBefore: readDay('--due-before', own.dueBefore),
        jurisdictions: jurisdictionsOf(own.jurisdiction),
        dryRun: own.dryRun === true,
        ...(own.resume === undefined ? {} : { resume: own.resume }),
      });
      const { lanes, errors: _byLine, ...rest } = report;
      const isDryRun = own.dryRun === true;
      out.result(
        'batch create',
        { ...rest, dryRun: isDryRun, lanes: Object.fromEntries(lanes) },
        () => words(report, isDryRun).join('\n'),
      );
      if (report.refused + report.changed > 0) process.exitCode = EXIT.conflict;
    });
}

function words(report: ObligationBatch, isDryRun: boolean): string[] {
  const notes: readonly (readonly [number, string])[] = [
    [report.opensLater, 'wait until their filing window opens'],
    [report.overdue, 'are past due and go to a person as soon as the batch runs'],
    [report.lowConfidence, 'have a due date of low confidence; check them with entity show'],
    [report.withoutFee, 'have no known fee'],
    [
      report.recordNeeded,
      'entities need their due date looked up with the state; see obligation list',
    ],
  ];
  return [
    `${isDryRun ? 'Would create' : 'Created'} ${report.created} filings, refused ${report.refused + report.changed} of ${report.rows} obligations.`,
    ...notes.filter(([count]) => count > 0).map(([count, text]) => `  ${count} ${text}`),
    ...report.refusals
      .slice(0, SHOWN_MAX)
      .map(({ entity, where, why }) => `  ${entity}: ${where}: ${why}`),
    ...(report.batch === undefined
      ? []
      : [
          `Batch ${report.batch}: ${report.count} filings, frozen as ${report.sha256}.`,
          `Next, as a second person: filewright batch show ${report.batch}`,
        ]),
  ];
}
