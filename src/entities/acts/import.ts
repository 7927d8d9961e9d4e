/** Brings a file of entities into the register: read, compare, seal, compute what is owed, report. */
import { type Actor, allow } from '../../access/index.ts';
import type { ColumnMapping } from '../../core/index.ts';
import { type Installation, sequenceAll } from '../../ledger/index.ts';
import {
  type GoodRow,
  type ImportCounts,
  type ImportRunReport,
  openRowFile,
  type RowReading,
  runImport,
} from '../../intake/index.ts';
import { noteOpened } from '../../people/index.ts';
import { readRecord } from '../rules/register/read-record.ts';
import { REGISTER_COLUMNS } from '../rules/register/columns.ts';
import type { EntityRecord } from '../rules/register/entity-record.ts';
import { RegisterWriter } from './register-writer.ts';
import { registerLaw, today } from './law.ts';
import { RowMemory } from './row-memory.ts';

export interface RegisterReport extends ImportRunReport {
  readonly obligations: {
    readonly created: number;
    readonly moved: number;
    readonly superseded: number;
    /** Entities whose date only the state can say. */
    readonly recordNeeded: number;
    /** Rules or record changed while a filing is under way. */
    readonly blocked: number;
  };
}

export interface RegisterImport {
  readonly path: string;
  readonly dryRun: boolean;
  readonly mapping?: ColumnMapping;
  readonly errorFile?: string;
  /** The day of the question; today in UTC unless given. */
  readonly asOf?: string;
  readonly onProgress?: (counts: ImportCounts) => void;
}

export async function importRegister(
  app: Installation,
  actor: Actor,
  input: RegisterImport,
): Promise<RegisterReport> {
  allow(actor, 'entity.import');
  await noteOpened(app, actor, 'entity.import', 'register');
  const file = await openRowFile(input.path, {
    mapping: input.mapping ?? {},
    columns: REGISTER_COLUMNS,
  });
  const writer = new RegisterWriter({
    app,
    person: actor,
    dryRun: input.dryRun,
    law: registerLaw(),
    today: input.asOf ?? today(app),
  });
  const memory = new RowMemory();
  const read = (row: GoodRow): RowReading<EntityRecord> => {
    const result = readRecord(row.row, writer.law.rules);
    if (!result.ok) return result;
    const again = memory.meet(result.record, row.line);
    return again === undefined ? { ok: true, item: result.record } : { ok: false, errors: [again] };
  };
  const errorFile =
    input.errorFile === undefined || input.dryRun
      ? undefined
      : { path: input.errorFile, unique: app.ids.next() };
  const report = await runImport(
    { ...file, read, admit: (rows) => writer.write(rows.map(({ item }) => item)) },
    { errorFile, onProgress: input.onProgress },
  );
  if (!input.dryRun) await sequenceAll(app);
  return { ...report, obligations: writer.counts() };
}
