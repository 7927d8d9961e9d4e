/** The docket report on the screen, as table, on paper and as calendar: four drawings of the same rows. */
import type { Command } from '../command.ts';
import type { ReportRow } from '../../dockets/index.ts';
import { type Instant, misuse, toRfc3339 } from '../../core/index.ts';
import { writeWhole } from '../../system/index.ts';
import { type Context, environment } from '../context.ts';
import { readDay } from './obligation-register.ts';

interface ReportOptions {
  readonly dueBefore?: string;
  readonly owner?: string;
  readonly client?: string;
  readonly matter?: string;
  readonly week?: string | true;
  readonly by?: string;
  readonly paper: string;
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
    .option('--week [day]', 'due within seven days from this day (default: today), or late')
    .option('--by <part>', 'a part for each attorney or client, with its total')
    .option('--paper <size>', 'of the PDF: letter or a4', 'letter')
    .option('--csv <file>', 'write a CSV file; no cell can run as a formula')
    .option('--pdf <file>', 'write a PDF to print')
    .option('--ics <file>', 'write a calendar; later issues update or cancel earlier entries')
    .inApp(async (context, own: ReportOptions) => reportAction(own, context));
}

function partOf(by: string | undefined): 'attorney' | 'client' | undefined {
  if (by === undefined || by === 'attorney' || by === 'client') return by;
  throw misuse(`--by: expected attorney or client, found "${by}"`);
}

/** A week is all that is due before it ends: what is late already, too. */
async function weekOf(own: ReportOptions, now: Instant): Promise<ReportOptions> {
  const { week } = own;
  if (week === undefined) return own;
  if (own.dueBefore !== undefined) throw misuse('use --week or --due-before, not both');
  const { addDays, formatDay, parseDay } = await import('../../calendar/index.ts');
  const first = parseDay(week === true ? toRfc3339(now).slice(0, 10) : readDay('--week', week));
  if (first === undefined) throw misuse(`--week: expected a day, found "${String(week)}"`);
  return { ...own, dueBefore: formatDay(addDays(first, 7)) };
}

/** Where `filewright serve` can be reached; without it entries have no link. */
function publicUrl(): string | undefined {
  return environment['FILEWRIGHT_PUBLIC_URL'] || undefined;
}

async function reportAction(given: ReportOptions, { app, out, actor }: Context): Promise<void> {
  const by = partOf(given.by);
  const paper = paperOf(given.paper);
  const own = await weekOf(given, app.clock.now());
  const narrowed = (['dueBefore', 'client', 'matter'] as const).find(
    (name) => own[name] !== undefined,
  );
  if (own.ics !== undefined && narrowed !== undefined) {
    // What leaves a calendar is cancelled in it, although it would still be owed.
    const dueBefore = given.week === undefined ? '--due-before' : '--week';
    const option = narrowed === 'dueBefore' ? dueBefore : `--${narrowed}`;
    throw misuse(`--ics covers every open docket; omit ${option}`);
  }
  const { docketReport, groupsOf, issueDocketIcs, reportCsv, reportPdf } = await import(
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
    writeWhole(
      own.pdf,
      await reportPdf(rows, {
        tenant: app.tenant,
        viewer: viewer.name,
        at,
        paper,
        ...(by === undefined ? {} : { by }),
        ...(own.dueBefore === undefined ? {} : { span: `due before ${own.dueBefore}` }),
      }),
    );
  }
  // Each choice is a calendar of its own: another owner's dockets must not be cancelled in this one.
  const name = ['Dockets for', viewer.id, ...(own.owner === undefined ? [] : ['with', own.owner])];
  const ics =
    own.ics === undefined
      ? undefined
      : await issueDocketIcs(app, actor, rows, name.join(' '), publicUrl());
  if (own.ics !== undefined && ics !== undefined) writeWhole(own.ics, ics.text);
  const parts = by === undefined ? [] : groupsOf(rows, by);
  const groups = parts.map(({ name: of, rows: listed }) => ({ name: of, count: listed.length }));
  out.result(
    'docket report',
    {
      rows,
      marks,
      ...(by === undefined ? {} : { groups }),
      ...(ics === undefined ? {} : { ics: { name: ics.name, ...ics.counts } }),
    },
    () =>
      [
        ...(by === undefined
          ? [reportTable(rows)]
          : parts.map((part) => `${part.name}: ${part.rows.length}\n${reportTable(part.rows)}\n`)),
        ...notesOf(rows),
        '',
        `${rows.length} open: ${Object.entries(marks)
          .map(([mark, count]) => `${mark} ${count}`)
          .join(', ')}`,
      ].join('\n'),
  );
}

function paperOf(paper: string): 'letter' | 'a4' {
  if (paper === 'letter' || paper === 'a4') return paper;
  throw misuse(`--paper: expected letter or a4, found "${paper}"`);
}

/** The reason for each asterisk. */
function notesOf(rows: readonly ReportRow[]): string[] {
  return rows
    .filter(({ unverified }) => unverified.length > 0)
    .map((row) => `* ${row.applicationNumber ?? row.docket}: ${row.unverified.join('; ')}`);
}
