/** Figures for returns and auditors, each with everything it is made of. */
import type { Command } from '../command.ts';
import type { ReportKind, ReportRow } from '../../grants/index.ts';
import { EXIT, type JsonValue } from '../../core/index.ts';
import { writeWhole } from '../../system/index.ts';
import { type Output, table } from '../output.ts';
import { actorOf, dollars } from './grants-arguments.ts';
import { type ReportInputs, reportRequest, withInputs } from './report-inputs.ts';
import { acting } from './grants-reconcile.ts';

interface ReportOptions extends ReportInputs {
  readonly csv?: string;
  readonly export?: string;
}

const KINDS: readonly (readonly [ReportKind, string])[] = [
  ['990', 'figures of Form 990 by their e-file element names'],
  ['schedule-b', 'contributors for Schedule B at or above the threshold, including noncash gifts'],
  ['schedule-i', 'rows of Schedule I: grants paid to organizations, and to individuals by type'],
  ['sf425', 'the federal financial report of one award'],
  ['sefa', 'federal expenditures by assistance listing'],
];

export function addCommands(report: Command): void {
  for (const [kind, description] of KINDS) {
    withInputs(report.command(kind).description(description), kind)
      .option('--csv <file>', 'write the figures as CSV; no cell can run as a formula')
      .option('--export <file>', 'write the figures with all their traces as JSON')
      .action(async (own: ReportOptions, command: Command) => reportAction(kind, own, command));
  }
  withInputs(
    report
      .command('trace <figure>')
      .description('trace one figure, for instance IRS990/GovernmentGrantsAmt, to its bank lines'),
  )
    .option('--csv <file>', 'write the trace as CSV')
    .action(async (figure: string, own: ReportOptions, command: Command) =>
      traceAction(figure, own, command),
    );
}

async function reportAction(kind: ReportKind, own: ReportOptions, command: Command): Promise<void> {
  await acting(command, async ({ out }, pipeline, person) => {
    const { columnsOf, exportDocument, figureView, reportRows, reportTable, scheduleCounts } =
      await import('../../grants/index.ts');
    const { request, leftOut } = await reportRequest(kind, own);
    const made = await pipeline.reportFigures(request, actorOf(person));
    if (own.csv !== undefined) writeWhole(own.csv, reportTable(made));
    if (own.export !== undefined) {
      writeWhole(own.export, `${JSON.stringify(exportDocument(made), null, 2)}\n`);
    }
    const { figures, remarks, hash } = made;
    const { from, to } = request;
    const rows = reportRows(made);
    const counts = scheduleCounts(made);
    out.result(
      `report ${kind}`,
      {
        kind,
        from,
        to,
        figures: figures.map(figureView),
        remarks,
        sha256: hash,
        leftOut,
        ...(rows === undefined ? {} : { rows }),
        ...(counts === undefined ? {} : { counts }),
      },
      () =>
        [
          table(
            ['figure', 'line', 'dollars', 'exactly', 'parts'],
            figures.map((one) => [
              one.name,
              one.line,
              String(one.dollars),
              dollars(one.cents),
              one.parts.length + one.from.length,
            ]),
          ),
          ...(rows === undefined || rows.length === 0
            ? []
            : ['', rowsTable(rows, columnsOf(rows)), '']),
          ...Object.entries(counts ?? {}).map(([name, count]) => `${name}: ${count}`),
          ...remarks.map((remark) => `note: ${remark}`),
          `recorded as ${hash}`,
        ].join('\n'),
    );
    sayWritten(out, own, leftOut);
    if (made.isNothingReleased === true) process.exitCode = EXIT.conflict;
  });
}

function rowsTable(rows: readonly ReportRow[], columns: readonly string[]): string {
  return table(
    columns,
    rows.map((row) => columns.map((name) => row[name] ?? '')),
  );
}

async function traceAction(figure: string, own: ReportOptions, command: Command): Promise<void> {
  await acting(command, async ({ out }, pipeline) => {
    const { reportOf, traceTable } = await import('../../grants/index.ts');
    const { request, leftOut } = await reportRequest(reportOf(figure), own);
    const trace = await pipeline.trace(request, figure);
    if (own.csv !== undefined) writeWhole(own.csv, traceTable(trace));
    out.result('report trace', { trace }, () => traceWords(trace).join('\n'));
    sayWritten(out, own, leftOut);
  });
}

/** The tree of a figure as an auditor reads it: the amount, its award, its bank lines. */
export function traceWords(trace: JsonValue): string[] {
  const root = membersOf(trace);
  const parts = listOf(root['parts']).map(membersOf);
  return [
    `${textOf(root['figure'])}: ${textOf(root['dollars'])} dollars, exactly ${dollars(textOf(root['cents']))}`,
    ...parts.flatMap((part) => [
      `  ${textOf(part['sign']) === '-1' ? 'less ' : ''}${dollars(textOf(part['cents']))}  ${listOf(part['path']).map(textOf).join(' > ')}`,
      `    record   ${textOf(part['idempotency_key'])}`,
      `    payload  sha256 ${textOf(part['payload_hash'])}`,
      ...listOf(part['bank'])
        .map(membersOf)
        .map(
          (line) =>
            `    bank     ${textOf(line['booked_on'])}  ${dollars(textOf(line['cents']))}  ${textOf(line['native_id'])}  feed ${textOf(line['feed'])} line ${textOf(line['feed_line'])}  (${textOf(part['match_rule'])})`,
        ),
    ]),
  ];
}

function membersOf(value: JsonValue | undefined): { readonly [name: string]: JsonValue } {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  // Neither a list nor null: an object of the trace.
  return isObject ? (value as { readonly [name: string]: JsonValue }) : {};
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function sayWritten(out: Output, own: ReportOptions, leftOut: number): void {
  if (leftOut > 0)
    out.say(`${leftOut} rows of the books are outside ${own.period} and are not counted`);
  for (const file of [own.csv, own.export]) if (file !== undefined) out.say(`written: ${file}`);
}
