/** Which columns of a table people have confirmed, so that the same table is not asked about twice. */
import type { PersonActor } from '../../access/index.ts';
import { sha256Of } from '../../core/index.ts';
import type { ConfirmedColumns, SheetReport } from '../../intake/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { type SheetOf, readConfirmed, writeConfirmed } from '../store/sheet-columns.ts';

/** The set of names, in whatever order they stand. */
function nameOf(headers: readonly string[]): string {
  return sha256Of(Buffer.from(JSON.stringify([...headers].sort())));
}

export function confirmedColumns(
  app: Installation,
  of: SheetOf,
): (headers: readonly string[]) => Promise<ConfirmedColumns | undefined> {
  return (headers) => readConfirmed(app.session, app.tenant, { of, headers: nameOf(headers) });
}

/** After an import for which a person accepted the proposal; a later word replaces an earlier one. */
export async function rememberColumns(
  app: Installation,
  of: SheetOf,
  by: PersonActor,
  report: Pick<SheetReport, 'accepted'>,
): Promise<void> {
  const { accepted } = report;
  if (accepted === undefined) return;
  await writeConfirmed(app.session, app.tenant, {
    of,
    headers: nameOf(accepted.headers),
    columns: accepted.columns,
    by: by.id,
  });
}
