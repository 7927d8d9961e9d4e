/** The nightly look: do the rows still say what the entries say? Nobody asks for it, so somebody must be told. */
import { type JobDeps, raiseAlert } from '../people/index.ts';
import { compareRows, type RowsReport } from './acts/audit-rows.ts';

/** In a letter; `audit verify --rows` shows the others. */
const TOLD_MAX = 10;

export async function watchRows(deps: JobDeps): Promise<void> {
  const { ok, differences, shown } = await compareRows(deps.session, deps.tenant);
  if (ok) return;
  await raiseAlert(deps, {
    kind: 'rows_differ',
    subject: 'database',
    severity: 'critical',
    text: [
      `${differences} differences between the database and the ledger. Run audit verify --rows.`,
      ...shown.slice(0, TOLD_MAX).map(toldText),
    ].join('\n'),
    dedup: 'rows_differ',
  });
}

/** Not everybody who hears of alerts may know of every docket. */
function toldText(one: RowsReport['shown'][number]): string {
  const isHidden = one.table === 'docket' || one.table === 'handoff';
  return isHidden ? `${one.reason} ${one.table}` : one.text;
}
