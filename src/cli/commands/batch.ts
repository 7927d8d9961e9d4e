import type { Command } from '../command.ts';
import {
  batchStatus,
  countBatches,
  forecastFilings,
  importFile,
  listBatches,
  listReviews,
  readBatchId,
  runBatch,
  type Wait,
} from '../../filings/index.ts';
import type { LaneCounts } from '../../lanes/index.ts';
import { forecastLine } from './forecast.ts';
import { EXIT } from '../../core/index.ts';
import { jsonLog } from '../../system/index.ts';
import { checkUuid, readLimit } from '../arguments.ts';
import { type GlobalOptions, stopSignal, withApp } from '../context.ts';
import { span, table } from '../output.ts';
import { moment } from '../shown.ts';
import { doneOf, Progress, totalOf } from '../progress.ts';
import { pageOf, pageWords } from '../page.ts';
import {
  addRowImportOptions,
  countsLine,
  errorLines,
  rowImportOf,
  rowsRead,
} from '../row-import.ts';
import {
  addSheetOptions,
  choicesOf,
  orAsk,
  sheetData,
  type SheetOptions,
  sheetWords,
} from '../sheet-options.ts';
import { addApproveCommand, addProposeCommand } from './batch-approve.ts';
import { addChangeCommands } from './batch-change.ts';
import { addCreateCommand } from './batch-create.ts';
import { addShowCommand } from './batch-show.ts';

export function addCommands(batch: Command): void {
  const importing = batch
    .command('import <file>')
    .description(
      'import a spreadsheet (CSV or XLSX) or NDJSON file as a new batch; bad rows go to an error file',
    );
  addSheetOptions(addRowImportOptions(importing))
    .option('--resume <batch>', 'continue a batch whose import was interrupted')
    .option(
      '--correct',
      'put rows that differ from filings no one has approved in their place; the batch is proposed anew',
    )
    .option('--reason <text>', 'why they are corrected (10 to 500 characters)')
    .action(async (file: string, own: ImportOptions, command: Command) =>
      importAction(file, own, command.optsWithGlobals()),
    );

  addCreateCommand(batch);
  addShowCommand(batch);
  addApproveCommand(batch);
  addProposeCommand(batch);
  addChangeCommands(batch);

  batch
    .command('run <batch>')
    .description('send a batch: run a worker here until every filing has an outcome')
    .option('--log', 'write the JSON log to stderr instead of progress')
    .action(async (id: string, own: { log?: boolean }, command: Command) =>
      runAction(id, own, command.optsWithGlobals()),
    );

  batch
    .command('status [batch]')
    .description('counts per lane, for one batch or for everything')
    .inApp(async ({ app, out, actor }, id: string | undefined) => {
      const batchId = id === undefined ? undefined : readBatchId(id);
      const { batch: found, lanes } = await batchStatus(app, actor, batchId);
      out.result('batch status', { batch: found ?? null, lanes }, () => countsTable(lanes));
    });
  addListCommand(batch);
}

function addListCommand(batch: Command): void {
  batch
    .command('list')
    .description('the newest batches')
    .option('--after <batch>', 'start after this batch')
    .option('--limit <n>', 'how many', '20')
    .inApp(async ({ app, out, actor }, own: { after?: string; limit: string }) => {
      checkUuid('--after', own.after);
      const limit = readLimit(own.limit);
      const batches = await listBatches(app, actor, limit, own.after);
      const total = await countBatches(app, actor);
      const page = pageOf(
        batches.map(({ id }) => id),
        { limit, total },
      );
      out.result('batch list', { batches, ...page }, () =>
        [
          table(
            ['source', 'state', 'filings', 'prepared by', 'at', 'approved by', 'batch'],
            batches.map((b) => [
              b.source,
              b.state,
              b.count ?? 0,
              b.preparedBy,
              moment(b.preparedAt),
              b.approvedBy ?? '',
              b.id,
            ]),
          ),
          ...pageWords(batches.length, page, 'batches'),
        ].join('\n'),
      );
    });
}

type Report = Awaited<ReturnType<typeof importFile>>;

interface ImportOptions extends SheetOptions {
  readonly resume?: string;
  readonly correct?: true;
  readonly reason?: string;
}

async function importAction(
  file: string,
  own: ImportOptions,
  options: GlobalOptions,
): Promise<void> {
  await withApp(options, async ({ app, out, actor }) => {
    await orAsk(out, 'batch import', { file, own }, async () => {
      const report = await importFile(app, actor, {
        ...rowImportOf(file, own),
        choices: choicesOf(own),
        ...(own.resume === undefined ? {} : { resume: own.resume }),
        ...(own.correct === true ? { correct: own.reason ?? CORRECTED } : {}),
        // The error itself names the batch, and how to go on with it.
        onProgress: rowsRead(out, own.dryRun === true, ''),
      });
      const { lanes, sheet, ...rest } = report;
      out.result(
        'batch import',
        {
          ...rest,
          sheet: sheetData(sheet),
          dryRun: own.dryRun === true,
          lanes: Object.fromEntries(lanes),
        },
        () => {
          const lines = [
            countsLine(report, own.dryRun === true),
            ...correctedLine(report, own.dryRun === true),
            ...sheetWords(sheet),
            ...errorLines(report, sheet),
            ...gateLines(report.gates),
          ];
          for (const { batch, rows } of report.unfinished)
            lines.push(
              `${rows} of the unchanged rows belong to batch ${batch}, whose import did not finish; they are not sent. Finish it with: filewright batch import FILE --resume ${batch}`,
            );
          if (report.batch !== undefined) {
            lines.push(
              `Batch ${report.batch}: ${report.count} filings, frozen as ${report.sha256}.`,
            );
            if ((report.count ?? 0) > 0)
              lines.push(`Next, as a second person: filewright batch show ${report.batch}`);
          }
          return lines.join('\n');
        },
      );
      const conflicts = report.changed - report.corrected;
      if (report.refused + conflicts + report.unfinished.length > 0)
        process.exitCode = EXIT.conflict;
    });
  });
}

const CORRECTED = 'corrected rows were imported';

function correctedLine({ corrected }: Report, isDryRun: boolean): string[] {
  if (corrected === 0) return [];
  const rows = corrected === 1 ? '1 row' : `${corrected} rows`;
  return isDryRun
    ? [
        `${rows} would take the place of filings that no one has approved; their batches would be proposed anew.`,
      ]
    : [
        `${rows} took the place of filings that no one had approved. Their batches were proposed anew: see batch list.`,
      ];
}

/** What the gates changed or noticed, by code, each with its first row; `--json` has a hundred. */
function gateLines({ counts, changes, notices }: Report['gates']): string[] {
  return Object.entries(counts).map(([code, count]) => {
    const first = [...changes, ...notices].find((note) => note.code === code);
    const example =
      first === undefined ? '' : `, first in line ${first.line}: ${first.where}: ${first.why}`;
    return `  ${code} ${count === 1 ? 'once' : `${count} times`}${example}`;
  });
}

async function runAction(
  id: string,
  own: { log?: boolean },
  options: GlobalOptions,
): Promise<void> {
  const signal = stopSignal();
  const quiet = own.log === true || options.json === true;
  await withApp(
    options,
    async ({ app, out, actor }) => {
      const progress = new Progress();
      const outlook = await forecastFilings(app, actor, { batch: id }, { levers: false });
      for (const lane of outlook.forecasts) out.say(forecastLine(lane));
      const { counts, waits } = await runBatch(app, actor, readBatchId(id), {
        signal,
        ...(quiet ? {} : { onProgress: (lanes) => progress.show(lanes) }),
      });
      const late = await listReviews(app, actor, { batch: id, limit: 1000 });
      const hasLate = late.some((exception) => exception.reason === 'SLACK_GONE');
      out.result('batch run', { batch: id, lanes: counts, waits }, () =>
        [
          countsTable(counts),
          ...waits.map(waitText),
          ...(signal.aborted ? [stoppedWords(id, counts)] : []),
        ].join('\n'),
      );
      process.exitCode = runExitCode(counts, hasLate);
    },
    own.log === true ? jsonLog() : undefined,
  );
}

/** After Ctrl-C: every answer that came is recorded, and what was not sent waits. */
function stoppedWords(id: string, counts: readonly LaneCounts[]): string {
  const done = counts.reduce((sum, lane) => sum + doneOf(lane), 0);
  const total = counts.reduce((sum, lane) => sum + totalOf(lane), 0);
  return `Stopped. ${done} of ${total} filings have an outcome, and it is recorded. To continue: filewright batch run ${id}`;
}

function waitText(wait: Wait): string {
  const until = wait.until === undefined ? '' : ` ${moment(wait.until)}`;
  return `${wait.open} filings on ${wait.lane} are waiting: ${wait.reason}${until}`;
}

/** Partly successful runs: the most urgent reason for a person to look decides (docs/reference/exit-codes.md). */
function runExitCode(counts: readonly LaneCounts[], hasLate: boolean): number {
  const sum = (pick: (lane: LaneCounts) => number): number =>
    counts.reduce((all, lane) => all + pick(lane), 0);
  if (sum((lane) => lane.pending + lane.submitted) > 0) return EXIT.tryLater;
  if (hasLate) return EXIT.late;
  if (sum((lane) => lane.fallout) > 0) return EXIT.conflict;
  if (sum((lane) => lane.rejected) > 0) return EXIT.refused;
  return EXIT.done;
}

export function countsTable(counts: readonly LaneCounts[]): string {
  return table(
    ['lane', 'done', 'total', 'accepted', 'rejected', 'fallout', 'open', 'least slack'],
    counts.map((lane) => [
      lane.lane,
      doneOf(lane),
      totalOf(lane),
      lane.accepted,
      lane.rejected,
      lane.fallout,
      lane.pending + lane.submitted,
      span(lane.leastSlackMs),
    ]),
  );
}
