/** Brings a file of entities into the register: read, compare, seal, compute what is owed, report. */
import { type Actor, allow, type PersonActor } from '../../access/index.ts';
import { type Installation, sequenceAll } from '../../ledger/index.ts';
import {
  type GoodRow,
  type ImportCounts,
  type ImportRunReport,
  type Input,
  type OpenedSheet,
  openRowFile,
  openSheet,
  rowFormatOf,
  type RowReading,
  runImport,
  type SheetChoices,
  type SheetReport,
} from '../../intake/index.ts';
import { noteOpened } from '../../people/index.ts';
import { lanes } from '../../lanes/index.ts';
import { readRecord } from '../rules/register/read-record.ts';
import { REGISTER_COLUMNS } from '../rules/register/columns.ts';
import type { EntityRecord } from '../rules/register/entity-record.ts';
import type { RegisterLaw } from '../rules/register/owed.ts';
import { fieldsNamedBy } from '../rules/row-reader.ts';
import { registerSheet } from '../rules/sheet-columns.ts';
import { RegisterWriter } from './register-writer.ts';
import type { LaterDate } from './later-dates.ts';
import { registerLaw, today } from './law.ts';
import { RowMemory } from './row-memory.ts';
import { confirmedColumns, rememberColumns } from './sheet-memory.ts';

export interface RegisterReport extends ImportRunReport {
  /** Undefined for NDJSON. */
  readonly sheet: SheetReport | undefined;
  readonly obligations: {
    readonly created: number;
    readonly moved: number;
    readonly superseded: number;
    /** Entities whose date only the state can say. */
    readonly recordNeeded: number;
    /** Rules or record changed while a filing is under way. */
    readonly blocked: number;
    /** Whose date on the state's record is later than the law's. */
    readonly recordLater: number;
  };
  /** The first hundred of those. */
  readonly later: readonly LaterDate[];
}

export interface RegisterImport {
  readonly path: string;
  readonly dryRun: boolean;
  /** How a table is read; of NDJSON the mapping alone. */
  readonly choices?: SheetChoices;
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
  const law = registerLaw();
  const day = input.asOf ?? today(app);
  const file = await openRegisterFile(app, input, law, Number(day.slice(0, 4)));
  try {
    return await importOpened(app, actor, input, { file, law, day });
  } finally {
    file.opened?.close();
  }
}

interface RegisterFile {
  readonly input: Input;
  readonly opened: OpenedSheet | undefined;
}

async function openRegisterFile(
  app: Installation,
  { path, choices = {} }: RegisterImport,
  law: RegisterLaw,
  year: number,
): Promise<RegisterFile> {
  if (rowFormatOf(path).kind === 'ndjson') {
    const mapping = choices.mapping ?? {};
    return {
      input: await openRowFile(path, { mapping, columns: REGISTER_COLUMNS }),
      opened: undefined,
    };
  }
  const all = await lanes(app);
  const sheet = registerSheet({
    jurisdictions: law.rules.jurisdictions,
    fields: all.flatMap(({ profile }) => fieldsNamedBy(profile)),
  });
  const confirmed = confirmedColumns(app, 'entities');
  const opened = await openSheet(path, { sheet, choices, confirmed, year });
  return { input: opened.input, opened };
}

async function importOpened(
  app: Installation,
  actor: PersonActor,
  input: RegisterImport,
  {
    file,
    law,
    day,
  }: { readonly file: RegisterFile; readonly law: RegisterLaw; readonly day: string },
): Promise<RegisterReport> {
  const writer = new RegisterWriter({
    app,
    person: actor,
    dryRun: input.dryRun,
    law,
    today: day,
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
    { ...file.input, read, admit: (rows) => writer.write(rows.map(({ item }) => item)) },
    { errorFile, onProgress: input.onProgress },
  );
  const sheet = file.opened?.report;
  if (!input.dryRun) {
    if (sheet !== undefined) await rememberColumns(app, 'entities', actor, sheet);
    await sequenceAll(app);
  }
  return { ...report, sheet, obligations: writer.counts(), later: writer.later };
}
