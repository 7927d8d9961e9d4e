/** What comes in from outside: award documents and bank feeds. Each file is taken whole or not at all. */
import type { Command } from '../command.ts';
import type { FeedReport, IngestionReport, Pipeline } from '../../grants/index.ts';
import { ERRORS, EXIT, FilewrightError } from '../../core/index.ts';
import type { Context } from '../context.ts';
import { requirePerson } from '../../people/index.ts';
import { actorOf } from './grants-arguments.ts';

/** Digits of a feed's id that are enough to name it. */
const SHORT_ID = 8;

interface FormatOption {
  readonly format?: string;
}

type FileOutcome<Report> =
  | { readonly file: string; readonly report: Report }
  | { readonly file: string; readonly error: FilewrightError };

export function addGrantsIntake(grants: Command): void {
  grants
    .command('ingest <files...>')
    .description(
      'import award documents (JSON, NDJSON, CSV, XML); refused awards become exceptions with every reason',
    )
    .option('--format <format>', 'format of all files, if their extensions do not show it')
    .inApp(async (context, files: string[], own: FormatOption) => {
      const { awardFile } = await import('../../grants/index.ts');
      const done = await eachFile(context, files, (pipeline, file, actor) =>
        pipeline.ingestAwards(awardFile(file, own.format), actor),
      );
      tell(context, 'grants ingest', done, ingestionWords);
      if (done.some((one) => 'report' in one && one.report.refused > 0)) {
        process.exitCode ??= EXIT.conflict;
      }
    });

  grants
    .command('feed <files...>')
    .description('import bank feeds: camt.053, camt.052, camt.054, OFX, BAI2, MT940, NACHA')
    .option('--format <format>', 'format of all files, if the files do not show it')
    .inApp(async (context, files: string[], own: FormatOption) => {
      const { feedFile } = await import('../../grants/index.ts');
      const done = await eachFile(context, files, (pipeline, file, actor) =>
        pipeline.ingestFeed(feedFile(file, own.format), actor),
      );
      tell(context, 'grants feed', done, feedWords);
    });
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
