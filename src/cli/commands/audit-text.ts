/** What `audit verify` tells a person. */
import type { OfflineReport } from '../../ledger/index.ts';
import type { AuditReport } from '../../oversight/index.ts';
import { table } from '../output.ts';

export function reportText(report: AuditReport): string {
  return [
    table(
      ['log', 'entries', 'bodies', 'verdict', 'root'],
      report.logs.map((log) => [
        log.log,
        log.entries,
        log.bodies,
        log.ok ? 'verified' : `${log.reason} at ${log.seq ?? '-'}`,
        log.root,
      ]),
    ),
    ...report.logs.flatMap((log) =>
      log.message === undefined ? [] : [`${log.log}: ${log.message}`],
    ),
    ...rowLines(report.rows),
    ...stampLines(report.stamps),
    ...report.problems.map(({ reason, message }) => `${reason}: ${message}`),
    ...report.notices.map((notice) => `Note: ${notice}`),
    report.ok ? 'The ledger verifies.' : 'THE LEDGER DOES NOT VERIFY.',
    ...(report.setAside === 0
      ? []
      : [`${report.setAside} facts are recorded by hash only; see audit set-aside.`]),
  ].join('\n');
}

function stampLines({ count, newest }: AuditReport['stamps']): string[] {
  if (newest === undefined) return [];
  const { size, at, authority } = newest;
  return [
    `${count} time stamps; the newest, of ${authority}, shows that ${size} entries of the spine existed at ${at}.`,
  ];
}

function rowLines(rows: AuditReport['rows']): string[] {
  if (rows === undefined) return [];
  if (rows.ok) return [`${rows.rows} rows agree with the entries.`];
  const more = rows.differences - rows.shown.length;
  return [
    ...rows.shown.map(({ text }) => text),
    ...(more > 0 ? [`and ${more} more`] : []),
    `${rows.differences} differences between rows and entries.`,
  ];
}

export function offlineText(report: OfflineReport): string {
  return [
    ...report.warnings.map((warning) => `warning: ${warning}`),
    ...report.logs.map(
      (log) => `OK ${log.origin} size=${log.size} root=${log.root} entries=${log.entries}`,
    ),
    ...(report.ok
      ? report.stamps.map(
          ({ origin, size, at, authority }) =>
            `${authority} saw ${size} entries of ${origin} at ${at}`,
        )
      : []),
    ...(report.ok ? [] : [`FAILED ${report.reason} ${report.message}`]),
  ].join('\n');
}
