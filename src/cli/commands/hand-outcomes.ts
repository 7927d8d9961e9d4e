/** Many outcomes from one table. */
import type { Command } from '../command.ts';
import { importOutcomes } from '../../filings/index.ts';
import { EXIT } from '../../core/index.ts';
import { addRowImportOptions, errorLines, rowImportOf } from '../row-import.ts';
import {
  addTableOptions,
  choicesOf,
  orAsk,
  sheetData,
  type SheetOptions,
  sheetWords,
} from '../sheet-options.ts';

export function addOutcomes(hand: Command): void {
  addTableOptions(
    addRowImportOptions(
      hand
        .command('outcomes <file>')
        .description(
          'record many filings as filed, from a table (CSV or XLSX): filing, receipt, filed_at, fee, fee_reason, confirmation or without_file, shared',
        ),
    ),
  ).inApp(async ({ app, out, actor }, file: string, own: SheetOptions) =>
    orAsk(out, 'hand outcomes', { file, own, sends: false }, async () => {
      const choices = choicesOf(own);
      const report = await importOutcomes(app, actor, { ...rowImportOf(file, own), choices });
      const { rows, created, unchanged, refused, sheet } = report;
      const verb = own.dryRun === true ? 'Would record' : 'Recorded';
      out.result('hand outcomes', { ...report, sheet: sheetData(sheet) }, () =>
        [
          ...sheetWords(sheet, false),
          `${verb} ${created} of ${rows} rows as filed; ${unchanged} were on record, ${refused} refused.`,
          ...errorLines(report, sheet),
        ].join('\n'),
      );
      if (refused > 0) process.exitCode = EXIT.conflict;
    }),
  );
}
