/** Brings a file of entities into the register: read, compare, seal, compute what is owed, report. */
import { createReadStream } from 'node:fs';
import { FilewrightError, type RowError } from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import {
  type ColumnMapping,
  CHUNK_ROWS,
  type InputRow,
  type ReportedError,
  ErrorFile,
  type Input,
  openInput,
} from '../../intake/index.ts';
import {
  readRecord,
  REGISTER_COLUMNS,
  type EntityRecord,
} from '../../packs/entity/register/index.ts';
import type { Person } from '../../store/index.ts';
import { sequenceAll } from '../sequence.ts';
import { readableFileBytes, rowFormatOf } from '../input-file.ts';
import { RegisterDesk, type RowOutcome } from './desk.ts';
import { registerLaw, today } from './law.ts';
import { RowMemory } from './row-memory.ts';

export interface RegisterCounts {
  readonly rows: number;
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly refused: number;
}

export interface RegisterReport extends RegisterCounts {
  /** The first hundred; all of them are in the error file. */
  readonly errors: readonly ReportedError[];
  readonly errorFile: string | undefined;
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
  readonly person: Person;
  readonly dryRun: boolean;
  readonly mapping?: ColumnMapping;
  readonly errorFile?: string;
  /** The day of the question; today in UTC unless given. */
  readonly asOf?: string;
  readonly onProgress?: (counts: RegisterCounts) => void;
}

const REPORTED_ERRORS_MAX = 100;
/** Rows may be as large as a megabyte; this keeps a chunk of them from being held at once. */
const CHUNK_BYTES_MAX = 8 * 1024 * 1024;

/**
 * Good rows are kept whatever the others are like. Chunks are transactions of their own: an import that was cut off is
 * run again with the same file, finds what is there unchanged and goes on with the rest.
 */
export async function importRegister(
  app: Filewright,
  input: RegisterImport,
): Promise<RegisterReport> {
  await readableFileBytes(input.path);
  const rows = await openInput(createReadStream(input.path), {
    format: rowFormatOf(input.path),
    mapping: input.mapping ?? {},
    columns: REGISTER_COLUMNS,
  });
  const errorFile =
    input.errorFile === undefined || input.dryRun
      ? undefined
      : new ErrorFile({ path: input.errorFile, unique: app.ids.next(), format: rows.errorFormat });
  const run = new RegisterRun(app, input, rows, errorFile);
  try {
    await run.readAll();
    const path = await errorFile?.finish();
    if (!input.dryRun) await sequenceAll(app);
    return run.report(path);
  } catch (error) {
    await errorFile?.abandon();
    throw error;
  }
}

interface Waiting {
  readonly row: InputRow;
  readonly result: { readonly record: EntityRecord } | { readonly errors: readonly RowError[] };
}

class RegisterRun {
  private readonly input: RegisterImport;
  private readonly rows: Input;
  private readonly errorFile: ErrorFile | undefined;
  private readonly desk: RegisterDesk;
  private readonly memory = new RowMemory();
  private readonly errors: ReportedError[] = [];
  private readonly tally = { created: 0, changed: 0, unchanged: 0, refused: 0 };
  private waiting: Waiting[] = [];
  private waitingBytes = 0;

  constructor(
    app: Filewright,
    input: RegisterImport,
    rows: Input,
    errorFile: ErrorFile | undefined,
  ) {
    this.input = input;
    this.rows = rows;
    this.errorFile = errorFile;
    this.desk = new RegisterDesk({
      app,
      person: input.person,
      dryRun: input.dryRun,
      law: registerLaw(),
      today: input.asOf ?? today(app),
    });
  }

  async readAll(): Promise<void> {
    try {
      for await (const row of this.rows.rows) {
        this.waiting.push({ row, result: this.read(row) });
        this.waitingBytes += row.raw.length;
        const isFull = this.waiting.length >= CHUNK_ROWS || this.waitingBytes >= CHUNK_BYTES_MAX;
        if (isFull) await this.bring();
      }
    } catch (error) {
      // The file cannot be read on, but the rows before the break are good.
      if (error instanceof FilewrightError && error.code === 'INPUT_MALFORMED') await this.bring();
      throw error;
    }
    await this.bring();
  }

  report(errorFile: string | undefined): RegisterReport {
    return { ...this.counts(), errors: this.errors, errorFile, obligations: this.desk.counts() };
  }

  private read(row: InputRow): Waiting['result'] {
    if (row.kind === 'fault') return { errors: [row.error] };
    const result = readRecord(row.row, this.desk.law.rules);
    if (!result.ok) {
      const errors = result.errors.map(({ where, why }) => ({
        where: this.rows.placeOf(where),
        why,
      }));
      return { errors };
    }
    const again = this.memory.meet(result.record, row.line);
    if (again === undefined) return { record: result.record };
    return { errors: [{ where: this.rows.placeOf(again.where), why: again.why }] };
  }

  /** The source is not read on meanwhile: that is the back-pressure. */
  private async bring(): Promise<void> {
    const { waiting } = this;
    this.waiting = [];
    this.waitingBytes = 0;
    if (waiting.length === 0) return;
    const records = waiting.flatMap(({ result }) => ('record' in result ? [result.record] : []));
    const outcomes = await this.desk.bring(records);
    for (const { row, result } of waiting) {
      const outcome: RowOutcome =
        'record' in result
          ? (outcomes.get(result.record) ?? { kind: 'unchanged' })
          : { kind: 'refused', errors: result.errors };
      this.tally[outcome.kind] += 1;
      if (outcome.kind === 'refused') await this.note(row, outcome.errors);
    }
    this.input.onProgress?.(this.counts());
  }

  private async note(row: InputRow, errors: readonly RowError[]): Promise<void> {
    for (const { where, why } of errors) {
      if (this.errors.length < REPORTED_ERRORS_MAX)
        this.errors.push({ line: row.line, where, why });
    }
    await this.errorFile?.add(row, errors);
  }

  private counts(): RegisterCounts {
    const { created, changed, unchanged, refused } = this.tally;
    return { rows: created + changed + unchanged + refused, created, changed, unchanged, refused };
  }
}
