/** The docket report as a table for spreadsheets. */
import { csvLine } from '../../core/index.ts';
import type { ReportRow } from '../rules/docket/report.ts';

const COLUMNS: readonly (readonly [string, (row: ReportRow) => string | undefined])[] = [
  ['due', (row) => row.due],
  ['final', (row) => row.final],
  ['soft', (row) => row.soft],
  ['owner', (row) => row.owner],
  ['mark', (row) => row.mark],
  ['unverified', (row) => row.unverified.join('; ')],
  ['office', (row) => row.office],
  ['application_number', (row) => row.applicationNumber],
  ['event_code', (row) => row.eventCode],
  ['title', (row) => row.title],
  ['client', (row) => row.client],
  ['matter', (row) => row.matter],
  ['rule', (row) => row.rule],
  ['state', (row) => row.state],
  ['classification', (row) => row.labels.classification.join(';')],
  ['privilege', (row) => row.labels.privilege.join(';')],
  ['docket', (row) => row.docket],
];

export function reportCsv(rows: readonly ReportRow[]): string {
  const lines = [
    COLUMNS.map(([name]) => name),
    ...rows.map((row) => COLUMNS.map(([, of]) => of(row))),
  ];
  return lines.map((cells) => csvLine(cells)).join('');
}
