/** The docket report on the screen, as table, on paper and as calendar: four drawings of the same rows. */
import type { Command } from '../command.ts';
import { misuse } from '../../core/index.ts';
import { writeWhole } from '../../system/index.ts';
import type { Context } from '../context.ts';
import { readDay } from './obligation-register.ts';

interface ReportOptions {
  readonly dueBefore?: string;
  readonly owner?: string;
  readonly client?: string;
  readonly matter?: string;
  readonly csv?: string;
  readonly pdf?: string;
  readonly ics?: string;
}

export function addDocketReport(docket: Command): void {
  docket
    .command('report')
    .description(
      'open dockets that you may see, by due date and owner; unverified dates are marked',
    )
    .option('--due-before <day>', 'due before this day; dockets without a date are always shown')
    .option('--owner <party>', 'only dockets owned by this person or team')
    .option('--client <name>', 'only dockets of this client, in any spelling')
    .option('--matter <number>', 'only this application number or firm reference, in any spelling')
    .option('--csv <file>', 'write a CSV file; no cell can run as a formula')
    .option('--pdf <file>', 'write a PDF to print')
    .option('--ics <file>', 'write a calendar; later issues update or cancel earlier entries')
    .inApp(async (context, own: ReportOptions) => reportAction(own, context));
}

async function reportAction(own: ReportOptions, { app, out, actor }: Context): Promise<void> {
  const narrowed = (['dueBefore', 'client', 'matter'] as const).find(
    (name) => own[name] !== undefined,
  );
  if (own.ics !== undefined && narrowed !== undefined) {
    // What leaves a calendar is cancelled in it, although it would still be owed.
    const option = narrowed === 'dueBefore' ? '--due-before' : `--${narrowed}`;
    throw misuse(`--ics covers every open docket; omit ${option}`);
  }
  const { docketReport, issueDocketIcs, reportCsv, reportPdf } = await import(
    '../../dockets/index.ts'
  );
  const { reportTable } = await import('./docket-text.ts');
  const report = await docketReport(app, actor, {
    ...(own.dueBefore === undefined ? {} : { dueBefore: readDay('--due-before', own.dueBefore) }),
    ...(own.owner === undefined ? {} : { owner: own.owner }),
    ...(own.client === undefined ? {} : { client: own.client }),
    ...(own.matter === undefined ? {} : { matter: own.matter }),
  });
  const { rows, marks, at, viewer } = report;
  if (own.csv !== undefined) writeWhole(own.csv, reportCsv(rows));
  if (own.pdf !== undefined) {
    writeWhole(own.pdf, await reportPdf(rows, { tenant: app.tenant, viewer: viewer.name, at }));
  }
  // Each choice is a calendar of its own: another owner's dockets must not be cancelled in this one.
  const name = ['Dockets for', viewer.id, ...(own.owner === undefined ? [] : ['with', own.owner])];
  const ics =
    own.ics === undefined ? undefined : await issueDocketIcs(app, actor, rows, name.join(' '));
  if (own.ics !== undefined && ics !== undefined) writeWhole(own.ics, ics.text);
  out.result(
    'docket report',
    { rows, marks, ...(ics === undefined ? {} : { ics: { name: ics.name, ...ics.counts } }) },
    () =>
      [
        reportTable(rows),
        ...rows
          .filter(({ unverified }) => unverified.length > 0)
          .map((row) => `* ${row.applicationNumber ?? row.docket}: ${row.unverified.join('; ')}`),
        '',
        `${rows.length} open: ${Object.entries(marks)
          .map(([mark, count]) => `${mark} ${count}`)
          .join(', ')}`,
      ].join('\n'),
  );
}
