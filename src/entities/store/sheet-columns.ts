/** What people confirmed of the columns of their tables, by the set of their names. */
import type { PersonId } from '../../core/index.ts';
import { type Session, sql } from '../../postgres/index.ts';

export type SheetOf = 'filings' | 'entities' | 'bank' | 'awards' | 'outcomes';

type Columns = Readonly<Record<string, string | null>>;

const READ = sql('sheet-columns-read')`
select columns from sheet_columns where tenant = $1 and of_rows = $2 and headers = $3`;

export async function readConfirmed(
  session: Session,
  tenant: string,
  sheet: { readonly of: SheetOf; readonly headers: string },
): Promise<Columns | undefined> {
  const [row] = await session.run(READ, [tenant, sheet.of, Buffer.from(sheet.headers, 'hex')]);
  // Written below, and checked by the table to be an object.
  return row?.['columns'] as Columns | undefined;
}

const WRITE = sql('sheet-columns-write')`
insert into sheet_columns (tenant, of_rows, headers, columns, confirmed_by) values ($1, $2, $3, $4, $5)
on conflict (tenant, of_rows, headers) do update
  set columns = excluded.columns, confirmed_by = excluded.confirmed_by, confirmed_at = now()`;

export async function writeConfirmed(
  session: Session,
  tenant: string,
  sheet: {
    readonly of: SheetOf;
    readonly headers: string;
    readonly columns: Columns;
    readonly by: PersonId;
  },
): Promise<void> {
  const { of, headers, columns, by } = sheet;
  const values = [tenant, of, Buffer.from(headers, 'hex'), JSON.stringify(columns), by];
  await session.run(WRITE, values);
}
