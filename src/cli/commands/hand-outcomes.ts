/** Many outcomes from one table. */
import type { Command } from '../command.ts';
import { importOutcomes } from '../../filings/index.ts';
import { EXIT } from '../../core/index.ts';
import {
  addRowImportOptions,
  errorLines,
  mappingOf,
  rowImportOf,
  type RowImportOptions,
} from '../row-import.ts';

export function addOutcomes(hand: Command): void {
  addRowImportOptions(
    hand
      .command('outcomes <file>')
      .description(
        'record many filings as filed, from a CSV table: filing, receipt, filed_at, fee, fee_reason, confirmation or without_file',
      ),
  ).inApp(async ({ app, out, actor }, file: string, own: RowImportOptions) => {
    const report = await importOutcomes(app, actor, {
      ...rowImportOf(file, own),
      mapping: mappingOf(own),
    });
    const { rows, created, unchanged, refused } = report;
    const verb = own.dryRun === true ? 'Would record' : 'Recorded';
    out.result('hand outcomes', report, () =>
      [
        `${verb} ${created} of ${rows} rows as filed; ${unchanged} were on record, ${refused} refused.`,
        ...errorLines(report),
      ].join('\n'),
    );
    if (refused > 0) process.exitCode = EXIT.conflict;
  });
}
