/** Reports as people and auditors get them: a table, CSV that no spreadsheet runs, and JSON with every trace. */
import { csvLine, type JsonValue, misuse } from '../../core/index.ts';
import type { Figure } from '../rules/reporting/figure.ts';
import { figureRows } from '../rules/reporting/export.ts';
import { type ReportRow, reportRows } from '../rules/reporting/report-rows.ts';
import type { Sefa, SefaTotals } from '../rules/reporting/sefa.ts';
import type { Sf425Item } from '../rules/reporting/sf425-items.ts';
import type { ReportFigures, ReportKind } from '../pipeline/contracts.ts';

interface FigureView {
  readonly name: string;
  readonly line: string;
  readonly xpath: string | undefined;
  /** As text: a sum of many may be larger than a number is exact. */
  readonly dollars: string;
  readonly cents: string;
}

export function figureView({ name, line, xpath, dollars, cents }: Figure): FigureView {
  return { name, line, xpath, dollars: String(dollars), cents: String(cents) };
}

/** The rows of a schedule, or the figures. */
export function reportTable(made: ReportFigures): string {
  if (made.items !== undefined) return sf425Table(made.figures, made.items);
  const rows = made.sefa === undefined ? reportRows(made) : sefaRows(made.sefa);
  if (rows === undefined) {
    return figureRows(made.figures)
      .map((cells) => csvLine(cells))
      .join('');
  }
  const columns = columnsOf(rows);
  return [columns, ...rows.map((row) => columns.map((name) => row[name] ?? ''))]
    .map((cells) => csvLine(cells))
    .join('');
}

/** The figures of section 10, then the items around it, each with its words and who fills it in. */
function sf425Table(figures: readonly Figure[], items: readonly Sf425Item[]): string {
  const [header = [], ...rows] = figureRows(figures);
  return [
    [...header, 'title', 'value', 'from'],
    ...rows.map((cells) => [...cells, '', '', '']),
    ...items.map(({ item, title, value, from }) => [
      `SF425/${item}`,
      item,
      '',
      '',
      '',
      title,
      value,
      from,
    ]),
  ]
    .map((cells) => csvLine(cells))
    .join('');
}

/** Of all rows: organisations and individuals have some of their own. */
export function columnsOf(rows: readonly ReportRow[]): readonly string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

/** With its totals, which 2 CFR 200.510(b) asks for; the first column tells them from what they add up. */
function sefaRows(sefa: Sefa): readonly ReportRow[] {
  const totalRow = (row: ReportRow, { expended, toSubrecipients }: SefaTotals): ReportRow => ({
    ...row,
    expended: String(expended.dollars),
    to_subrecipients: String(toSubrecipients.dollars),
  });
  return [
    ...(reportRows({ sefa }) ?? []).map((row) => ({ row: 'program', ...row })),
    ...[...sefa.programTotals].map(([listing, totals]) =>
      totalRow({ row: 'total of program', assistance_listing: listing }, totals),
    ),
    ...[...sefa.agencyTotals].map(([agency, totals]) =>
      totalRow({ row: 'total of agency', agency }, totals),
    ),
    ...[...sefa.clusterTotals].map(([cluster, totals]) =>
      totalRow({ row: 'total of cluster', cluster }, totals),
    ),
    totalRow({ row: 'total' }, sefa.total),
  ];
}

/** The structured export: `sha256` is that of `document` in canonical JSON, and the reporting log has the same. */
export function exportDocument(made: ReportFigures): JsonValue {
  return { sha256: made.hash, document: made.document };
}

const PREFIXES: readonly (readonly [string, ReportKind])[] = [
  ['IRS990ScheduleI/', 'schedule-i'],
  ['IRS990ScheduleB/', 'schedule-b'],
  ['IRS990/', '990'],
  ['SF425/', 'sf425'],
  ['SEFA/', 'sefa'],
];

/** In which report a figure stands; its name begins with it. */
export function reportOf(figure: string): ReportKind {
  const found = PREFIXES.find(([prefix]) => figure.startsWith(prefix));
  if (found !== undefined) return found[1];
  throw misuse(
    `Expected a figure like IRS990/GovernmentGrantsAmt, beginning with one of ${PREFIXES.map(([prefix]) => prefix).join(', ')}, found "${figure}"`,
  );
}

const TRACE_COLUMNS = [
  'path',
  'part',
  'sign',
  'cents',
  'rule',
  'payload_hash',
  'idempotency_key',
  'bank_line',
  'native_id',
  'booked_on',
  'bank_cents',
  'feed',
  'feed_line',
] as const;

/** One row for each part and bank line; the cents of a part stand only in its first row, so that the column adds up. */
export function traceTable(trace: JsonValue): string {
  const rows: (readonly (string | undefined)[])[] = [TRACE_COLUMNS];
  for (const part of listOf(objectOf(trace)['parts']).map(objectOf)) {
    const bank = listOf(part['bank']).map(objectOf);
    for (const [index, line] of (bank.length === 0 ? [{}] : bank).entries()) {
      const isFirst = index === 0;
      const own = isFirst ? [cell(part['sign']), cell(part['cents'])] : [undefined, undefined];
      const path = listOf(part['path']).map(cell).join(' > ');
      const names = ['match_rule', 'payload_hash', 'idempotency_key'].map((name) =>
        cell(part[name]),
      );
      const place = ['line', 'native_id', 'booked_on', 'cents', 'feed', 'feed_line'].map((name) =>
        cell(line[name]),
      );
      rows.push([path, cell(part['id']), ...own, ...names, ...place]);
    }
  }
  return rows.map((cells) => csvLine(cells)).join('');
}

type JsonObject = { readonly [name: string]: JsonValue };

function objectOf(value: JsonValue | undefined): JsonObject {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  // Neither a list nor null: the object that the reports write.
  return isObject ? (value as JsonObject) : {};
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function cell(value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
