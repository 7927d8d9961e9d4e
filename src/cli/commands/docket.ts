import type { Command } from '../command.ts';
import type { DocketImportReport } from '../../dockets/index.ts';
import { EXIT, misuse, notFound, plainLines, ruledOut } from '../../core/index.ts';
import { readLimit } from '../arguments.ts';
import { asOperator, environment, type GlobalOptions, stopSignal, withApp } from '../context.ts';
import { iso } from '../output.ts';
import { moment } from '../shown.ts';
import {
  addRowImportOptions,
  countsLine,
  errorLines,
  mappingOf,
  rowImportOf,
  type RowImportOptions,
  rowsRead,
  RUN_AGAIN,
} from '../row-import.ts';
import { type CloseOptions, closingRequest } from './docket-close.ts';
import { addDocketDates } from './docket-dates.ts';
import { addDocketMoved } from './docket-moved.ts';
import { addDocketReport } from './docket-report.ts';

interface ImportOptions extends RowImportOptions {
  readonly mapping?: string;
}

interface ConsumeOptions {
  readonly rabbit?: string;
  readonly redis?: string;
  readonly group: string;
  readonly mapping?: string;
}

interface ListOptions {
  readonly closed?: true;
  readonly owner?: string;
  readonly client?: string;
  readonly matter?: string;
  readonly limit: string;
}

export function addCommands(docket: Command): void {
  addImport(docket);
  addConsume(docket);
  addList(docket);
  addShow(docket);
  addAck(docket);
  addGive(docket);
  addClose(docket);
  addDocketDates(docket);
  addDocketReport(docket);
  addDocketMoved(docket);
}

function addImport(docket: Command): void {
  const importing = docket
    .command('import <file>')
    .description(
      'import docket events from NDJSON, CSV or an office’s own document; importing the same event again changes nothing',
    );
  addRowImportOptions(importing)
    .option(
      '--mapping <name>',
      'import an office’s own document: uspto-file-wrapper, epo-register or a mapping file',
    )
    .action((file: string, own: ImportOptions, command: Command) =>
      importAction(file, own, command.optsWithGlobals()),
    );
}

function addConsume(docket: Command): void {
  docket
    .command('consume')
    .description(
      'read docket events from a broker until SIGTERM; each is acknowledged to the broker once it is stored',
    )
    .option('--rabbit <queue>', 'a RabbitMQ queue at FILEWRIGHT_RABBITMQ_URL')
    .option('--redis <stream>', 'a Redis stream at FILEWRIGHT_REDIS_URL')
    .option('--group <name>', 'consumer group of the stream', 'filewright')
    .option('--mapping <name>', 'each message is an office’s own document, read by this mapping')
    .action((own: ConsumeOptions, command: Command) =>
      consumeAction(own, command.optsWithGlobals()),
    );
}

function addList(docket: Command): void {
  docket
    .command('list')
    .description('open dockets that you may see, oldest first')
    .option('--closed', 'closed dockets instead')
    .option('--owner <party>', 'only dockets owned by this person or team')
    .option('--client <name>', 'only dockets of this client, in any spelling')
    .option('--matter <number>', 'only this application number or firm reference, in any spelling')
    .option('--limit <n>', 'how many', '50')
    .inApp(async ({ app, out, actor }, own: ListOptions) => {
      const { listDockets } = await import('../../dockets/index.ts');
      const { docketJson, docketsTable } = await import('./docket-text.ts');
      const found = await listDockets(app, actor, {
        closed: own.closed === true,
        limit: readLimit(own.limit),
        ...(own.owner === undefined ? {} : { owner: own.owner }),
        ...(own.client === undefined ? {} : { client: own.client }),
        ...(own.matter === undefined ? {} : { matter: own.matter }),
      });
      const data = { dockets: found.dockets.map(docketJson), total: found.total };
      out.result('docket list', data, () =>
        [docketsTable(found.dockets), ...rest(found)].join('\n'),
      );
    });
}

function addShow(docket: Command): void {
  docket
    .command('show <docket>')
    .description('one docket: dates with their reasons, status, every handoff attempt')
    .option('--payload', 'only the exact bytes received')
    .inApp(async ({ app, out, actor }, id: string, own: { payload?: true }) => {
      const { showDocket } = await import('../../dockets/index.ts');
      const { detailJson, detailText } = await import('./docket-text.ts');
      const found = await showDocket(app, actor, id);
      if (own.payload === true && found.isBlind === true) {
        throw ruledOut(
          `The content of docket "${id}" is not shown to you, because it waits for its second docketing: give that with docket second, or see it with docket reveal`,
        );
      }
      if (own.payload === true && found.payload === undefined) {
        throw notFound(
          `The content of docket "${id}" was destroyed with its client's data key at the end of its retention period`,
        );
      }
      if (own.payload === true && !out.json) {
        const payload = found.payload ?? '';
        // A program gets the exact text, a terminal one that cannot steer it.
        const isShown = process.stdout.isTTY && payload !== '';
        process.stdout.write(isShown ? plainLines(Buffer.from(payload).toString('utf8')) : payload);
        return;
      }
      const bytes = own.payload === true && found.payload !== undefined;
      const payload = bytes ? { payload: Buffer.from(found.payload).toString('base64') } : {};
      out.result('docket show', { ...detailJson(found), ...payload }, () => detailText(found));
    });
}

function addAck(docket: Command): void {
  docket
    .command('ack <docket>')
    .description('acknowledge a docket that was handed off to you; it goes no further')
    .inApp(async ({ app, out, actor }, id: string) => {
      const { acknowledgeDocket } = await import('../../dockets/index.ts');
      const done = await acknowledgeDocket(app, actor, id);
      out.result(
        'docket ack',
        { docket: id, isFirst: done.isFirst, by: done.by, at: iso(done.at) },
        () =>
          done.isFirst
            ? `Acknowledged by ${done.by}; it goes no further.`
            : `Already acknowledged by ${done.by} at ${moment(done.at)}; nothing was changed.`,
      );
    });
}

function addGive(docket: Command): void {
  docket
    .command('give <docket>')
    .description('give a docket that you have to a colleague who may see it; they must acknowledge')
    .requiredOption('--to <person>', 'an id or a name in the people file')
    .requiredOption('--reason <text>', 'why (10 to 500 characters)')
    .inApp(async ({ app, out, actor }, id: string, own: { to: string; reason: string }) => {
      const { giveDocket } = await import('../../dockets/index.ts');
      const done = await giveDocket(app, actor, id, own);
      out.result(
        'docket give',
        done,
        () =>
          `Given to ${done.to}, who is being notified. Until they acknowledge, the usual clock runs and the docket goes on if no one does.`,
      );
    });
}

function addClose(docket: Command): void {
  docket
    .command('close <docket>')
    .description('close a docket; a hard date needs proof of filing, or an override with a reason')
    .option('--filing <id>', 'proof: an accepted filing of this installation')
    .option('--receipt <text>', 'proof: the office’s receipt; with --filed-at')
    .option('--document <file>', 'proof: a filed document, by its SHA-256; with --filed-at')
    .option('--filed-at <instant>', 'when it was filed, RFC 3339')
    .option('--override <reason>', 'close it without proof; your name and the reason are recorded')
    .option('--seen', 'for a docket that needs no action: you have seen it')
    .inApp(async ({ app, out, actor }, id: string, own: CloseOptions) => {
      const { closeDocket } = await import('../../dockets/index.ts');
      const request = await closingRequest(app, actor, own);
      const closed = await closeDocket(app, actor, id, request);
      out.result('docket close', { docket: id, ...closed, at: iso(closed.at) }, () => {
        if (!closed.isFirst) {
          return `Already closed by ${closed.by} (${closed.how}) at ${moment(closed.at)}; nothing was changed.`;
        }
        return closed.inTime === false
          ? `Closed. The filing is later than the due date; that is recorded.`
          : `Closed by ${closed.how}.`;
      });
    });
}

function rest(found: { readonly dockets: readonly object[]; readonly total: number }): string[] {
  const more = found.total - found.dockets.length;
  return more > 0 ? [`... and ${more} more`] : [];
}

async function importAction(
  file: string,
  own: ImportOptions,
  options: GlobalOptions,
): Promise<void> {
  if (own.mapping !== undefined && (own.map ?? own.mapFile) !== undefined) {
    throw misuse('use --mapping for documents or --map for rows, not both');
  }
  await withApp(options, async ({ app, out, actor }) => {
    const { importDocketFile } = await import('../../dockets/index.ts');
    const report = await importDocketFile(app, actor, {
      ...rowImportOf(file, own),
      ...(own.mapping === undefined ? {} : { mapping: own.mapping }),
      columns: mappingOf(own),
      onProgress: rowsRead(out, own.dryRun === true, RUN_AGAIN),
    });
    out.result('docket import', { ...report, dryRun: own.dryRun === true }, () =>
      importWords(report, own.dryRun === true).join('\n'),
    );
    if (report.refused + report.drift + report.changed > 0) process.exitCode = EXIT.conflict;
  });
}

function importWords(report: DocketImportReport, isDryRun: boolean): string[] {
  return [
    countsLine(report, isDryRun),
    ...(report.drift === 0
      ? []
      : [
          `${report.drift} of them have a changed schema and are routed as they are, for a person to review.`,
        ]),
    ...(report.toOthers === 0
      ? []
      : [
          `${report.toOthers} of the rows ${isDryRun ? 'would go' : 'went'} to people with the right to see them. You do not see these dockets: do not import them again.`,
        ]),
    ...errorLines(report),
    ...report.skipped.map(({ code, count }) => `  skipped by the mapping: ${code} (${count})`),
  ];
}

async function consumeAction(own: ConsumeOptions, options: GlobalOptions): Promise<void> {
  if ((own.rabbit === undefined) === (own.redis === undefined)) {
    throw misuse('Expected one of --rabbit QUEUE and --redis STREAM');
  }
  const signal = stopSignal();
  const { jsonLog } = await import('../../system/index.ts');
  await withApp(
    asOperator(options),
    async ({ app, actor }) => {
      const { consumeDockets } = await import('../../dockets/index.ts');
      const from =
        own.rabbit === undefined
          ? { kind: 'redis' as const, stream: own.redis ?? '', group: own.group }
          : { kind: 'rabbit' as const, queue: own.rabbit };
      const mapping = own.mapping === undefined ? {} : { mapping: own.mapping };
      await consumeDockets(app, actor, { ...from, ...mapping }, environment, signal);
    },
    jsonLog(),
  );
}
