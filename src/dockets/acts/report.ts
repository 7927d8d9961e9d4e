/** The docket report: one query, drawn as table, pages and calendar. */
import { type Actor, allow } from '../../access/index.ts';
import type { Installation } from '../../ledger/index.ts';
import type { Instant } from '../../core/index.ts';
import type { Party } from '../rules/access/people.ts';
import { finder } from '../rules/docket/search.ts';
import { marksOf, type ReportRow, reportRows } from '../rules/docket/report.ts';
import { openDockets } from '../routing/docket-acts.ts';
import { routingDeps } from './deps.ts';
import { viewerFor } from './sight.ts';

interface ReportQuestion {
  /** What has no date is shown whatever day is asked for: it may be due before it. */
  readonly dueBefore?: string;
  readonly owner?: string;
  /** However it is spelled, there and here. */
  readonly client?: string;
  readonly matter?: string;
}

interface DocketReport {
  readonly rows: readonly ReportRow[];
  readonly marks: ReturnType<typeof marksOf>;
  readonly at: Instant;
  readonly viewer: Party;
}

export async function docketReport(
  app: Installation,
  person: Actor,
  question: ReportQuestion,
): Promise<DocketReport> {
  allow(person, 'docket.report');
  const deps = routingDeps(app);
  const viewer = await viewerFor(app, person);
  const at = app.clock.now();
  const open = await openDockets(deps, viewer);
  const { dueBefore, owner } = question;
  const isWanted = finder(question);
  const rows = reportRows(open, { law: deps.law(), now: at, viewer }).filter(
    (row) =>
      (owner === undefined || row.owner === owner) &&
      isWanted(row) &&
      (dueBefore === undefined || row.due === undefined || row.due < dueBefore),
  );
  return { rows, marks: marksOf(rows), at, viewer: viewer.party };
}
