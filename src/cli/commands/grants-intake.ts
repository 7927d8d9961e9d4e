/** What comes in from outside: award documents and bank feeds. Each file is taken whole or not at all. */
import type { Command } from '../command.ts';
import type {
  AwardTable,
  BankTable,
  FeedReport,
  IngestionReport,
  Pipeline,
} from '../../grants/index.ts';
import type { SheetReport } from '../../intake/index.ts';
import { ERRORS, EXIT, FilewrightError } from '../../core/index.ts';
import type { Context } from '../context.ts';
import { requirePerson } from '../../people/index.ts';
import { actorOf, PERIOD_FORM, readBalance, readPeriod } from './grants-arguments.ts';
import { several } from '../row-import.ts';
import {
  addTableOptions,
  choicesOf,
  orAsk,
  type SheetOptions,
  sheetWords,
} from '../sheet-options.ts';

/** Digits of a feed's id that are enough to name it. */
const SHORT_ID = 8;

interface FormatOption {
  readonly format?: string;
}

type FileOutcome<Report> =
  | { readonly file: string; readonly report: Report }
  | { readonly file: string; readonly error: FilewrightError };

export function addGrantsIntake(grants: Command): void {
  const ingest = grants
    .command('ingest <files...>')
    .description(
      'import awards: documents in whole cents (JSON, NDJSON, CSV, XML), or your own table in dollars (CSV, XLSX); refused awards of documents become exceptions with every reason',
    )
    .option('--format <format>', 'format of all files, if their extensions do not show it')
    .option(
      '--set <value>',
      '"fiscal_year=2026": of a table, for every row that has nothing there',
      several,
    )
    .option('--map <pair>', 'of a table: "Their Column=our_column"; repeat for several', several);
  addTableOptions(ingest).inApp(async (context, files: string[], own: IngestOptions) =>
    ingestAction(context, files, own),
  );

  const feed = grants
    .command('feed <files...>')
    .description(
      'import bank feeds: camt.053, camt.052, camt.054, OFX, BAI2, MT940, NACHA, or the table of the bank as CSV or XLSX',
    )
    .option('--format <format>', 'format of all files, if the files do not show it')
    .option('--account <account>', 'of a table: the account, if no column names it')
    .option(
      '--days <period>',
      `of a table: the days that it covers (${PERIOD_FORM}); by default those of its rows`,
    )
    .option(
      '--opening <amount>',
      'of a table without a balance column: the balance before its days',
    )
    .option('--closing <amount>', 'the same: the balance after its days')
    .option('--map <pair>', 'of a table: "Their Column=our_column"; repeat for several', several);
  addTableOptions(feed).inApp(async (context, files: string[], own: FeedOptions) =>
    feedAction(context, files, own),
  );
}

interface FeedOptions extends SheetOptions, FormatOption {
  readonly account?: string;
  readonly days?: string;
  readonly opening?: string;
  readonly closing?: string;
}

type IngestOptions = SheetOptions & FormatOption;

async function ingestAction(
  context: Context,
  files: readonly string[],
  own: IngestOptions,
): Promise<void> {
  const { awardFile } = await import('../../grants/index.ts');
  const tables = await askedTables<AwardTable>(context, 'grants ingest', files, {
    asked: (file) => ({ file, own, sends: false }),
    open: async (file) => {
      const { isAwardTable, openAwardTable } = await import('../../grants/index.ts');
      if (!(await isAwardTable(file, own.format))) return undefined;
      return openAwardTable(context.app, context.actor, file, choicesOf(own));
    },
  });
  if (tables === undefined) return;
  const done = await eachFile(context, files, async (pipeline, file, by) => {
    const table = tables.get(file);
    if (table instanceof FilewrightError) throw table;
    const report = await pipeline.ingestAwards(table?.source ?? awardFile(file, own.format), by);
    await table?.remember();
    return report;
  });
  tell(context, 'grants ingest', done, (file, report) => [
    ...ingestionWords(file, report),
    ...readAs(tables.get(file)),
  ]);
  if (done.some((one) => 'report' in one && one.report.refused > 0)) {
    process.exitCode ??= EXIT.conflict;
  }
}

type Tables<Table> = ReadonlyMap<string, Table | FilewrightError>;

/** What tables need to know is asked before anything of any file is imported; undefined where a person must answer first. */
async function askedTables<Table>(
  { out }: Context,
  command: string,
  files: readonly string[],
  by: {
    readonly asked: (file: string) => Parameters<typeof orAsk>[2];
    /** Undefined for what is no table. */
    readonly open: (file: string) => Promise<Table | undefined>;
  },
): Promise<Tables<Table> | undefined> {
  const tables = new Map<string, Table | FilewrightError>();
  for (const file of files) {
    let isOpen = false;
    await orAsk(out, command, by.asked(file), async () => {
      const table = await orFault(() => by.open(file));
      if (table !== undefined) tables.set(file, table);
      isOpen = true;
    });
    if (!isOpen) return undefined;
  }
  return tables;
}

/** What is wrong with one file keeps no other out. */
async function orFault<Table>(open: () => Promise<Table>): Promise<Table | FilewrightError> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof FilewrightError) || !isOfFile(error)) throw error;
    return error;
  }
}

function readAs(table: { readonly sheet: SheetReport } | FilewrightError | undefined): string[] {
  const sheet = table instanceof FilewrightError ? undefined : table?.sheet;
  return sheetWords(sheet, false).map((line) => `  ${line}`);
}

async function feedAction(
  context: Context,
  files: readonly string[],
  own: FeedOptions,
): Promise<void> {
  const { feedFile } = await import('../../grants/index.ts');
  const set = own.account === undefined ? [] : [`account=${own.account}`];
  const how = { choices: choicesOf({ ...own, set }), given: givenOf(own) };
  const tables = await askedTables<BankTable>(context, 'grants feed', files, {
    asked: (file) => ({ file, own, also: optionsOf(own), sends: false }),
    open: async (file) => {
      const { isBankTable, openBankTable } = await import('../../grants/index.ts');
      if (!(await isBankTable(file, own.format))) return undefined;
      return openBankTable(context.app, context.actor, file, how);
    },
  });
  if (tables === undefined) return;
  const done = await eachFile(context, files, async (pipeline, file, by) => {
    const table = tables.get(file);
    if (table instanceof FilewrightError) throw table;
    const report = await pipeline.ingestFeed(table?.source ?? feedFile(file, own.format), by);
    await table?.remember();
    return report;
  });
  tell(context, 'grants feed', done, (file, report) => [
    ...feedWords(file, report),
    ...readAs(tables.get(file)),
  ]);
}

function givenOf({ days, opening, closing }: FeedOptions) {
  return {
    ...(days !== undefined && readPeriod(days)),
    ...(opening !== undefined && { openingCents: readBalance('--opening', opening) }),
    ...(closing !== undefined && { closingCents: readBalance('--closing', closing) }),
  };
}

/** So that the command that is shown as the answer says all of it again. */
function optionsOf({ account, days, opening, closing }: FeedOptions): readonly string[] {
  const given = [
    ['--account', account],
    ['--days', days],
    ['--opening', opening],
    ['--closing', closing],
  ] as const;
  return given.flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
}

/** A file that cannot be read does not keep the others out: all faults are told at once. */
async function eachFile<Report>(
  { app, actor }: Context,
  files: readonly string[],
  take: (pipeline: Pipeline, file: string, by: ReturnType<typeof actorOf>) => Promise<Report>,
): Promise<readonly FileOutcome<Report>[]> {
  const { openGrants } = await import('../../grants/index.ts');
  const { sequenceAll } = await import('../../ledger/index.ts');
  const person = requirePerson(actor);
  const by = actorOf(person);
  const pipeline = openGrants(app, person);
  const done: FileOutcome<Report>[] = [];
  for (const file of files) {
    try {
      done.push({ file, report: await take(pipeline, file, by) });
    } catch (error) {
      if (!(error instanceof FilewrightError) || !isOfFile(error)) throw error;
      done.push({ file, error });
    }
  }
  await sequenceAll(app);
  return done;
}

/** What lies in the file, not in the installation: with these the next file may still be good. */
function isOfFile({ code }: FilewrightError): boolean {
  return (
    code.startsWith('FEED_') ||
    code.startsWith('INPUT_') ||
    code === 'JSON_MALFORMED' ||
    code === 'NOT_FOUND' ||
    code === 'USAGE' ||
    code === 'REFUSED_BY_RULE'
  );
}

function tell<Report extends object>(
  { out }: Context,
  command: string,
  done: readonly FileOutcome<Report>[],
  words: (file: string, report: Report) => readonly string[],
): void {
  const files = done.map((one) =>
    'report' in one
      ? { file: one.file, ...one.report }
      : {
          file: one.file,
          error: {
            code: one.error.code,
            message: one.error.message,
            remedy: ERRORS[one.error.code].remedy,
          },
        },
  );
  out.result(command, { files }, () =>
    done
      .flatMap((one) =>
        'report' in one
          ? words(one.file, one.report)
          : [
              `${one.file}: NOT IMPORTED: ${one.error.message}`,
              `  code:   ${one.error.code}`,
              `  remedy: ${ERRORS[one.error.code].remedy}`,
            ],
      )
      .join('\n'),
  );
  const codes = done.flatMap((one) => ('error' in one ? [one.error.exitCode] : []));
  if (codes.length > 0) process.exitCode = codes.length === 1 ? codes[0] : EXIT.failed;
}

export function ingestionWords(file: string, report: IngestionReport): readonly string[] {
  const { records, accepted, repeated, refused, refusals } = report;
  if (report.isRepeatedDocument) return [`${file}: already imported; nothing was changed`];
  const untold = refused - refusals.length;
  return [
    `${file}: ${accepted} of ${records} awards accepted, ${repeated} already known, ${refused} refused`,
    ...refusals.flatMap(({ line, ordinal, kind, exception, violations }) => [
      `  award ${ordinal}, line ${line}: ${kind}; exception ${exception}`,
      ...violations.map(
        ({ code, field, message }) => `    ${field === '' ? 'record' : field}: ${code}: ${message}`,
      ),
    ]),
    ...(untold > 0 ? [`  and ${untold} more; see grants exceptions list`] : []),
  ];
}

function feedWords(file: string, report: FeedReport): readonly string[] {
  const { feed, format, statements, lines, gaps, late } = report;
  if (report.isRepeatedFeed) return [`${file}: already imported; nothing was changed`];
  return [
    `${file}: ${format}, ${lines} lines in ${statements} statements, feed ${feed.slice(0, SHORT_ID)}`,
    ...gaps.map((gap) => `  GAP ${gap}`),
    ...late.map((line) => `  CLOSED ${line}`),
  ];
}
