/** One import, of whatever: rows are judged, admitted in chunks and counted; the bad ones go into a file of their own. */
import { FilewrightError, type InputRow, invariant, type RowError } from '../core/index.ts';
import { ErrorFile } from './error-file.ts';
import type { ErrorFormat } from './error-format.ts';
import { ErrorGroups } from './error-groups.ts';
import { CHUNK_BYTES_MAX, CHUNK_ROWS, REPORTED_ERRORS_MAX } from './limits.ts';
import type { ImportCounts, ImportRunReport, ReportedError } from './report.ts';

/** What a row says. Its errors name our columns; `remarks` are told beside those, and the row is brought in. */
export type RowReading<Item> =
  | { readonly ok: true; readonly item: Item; readonly remarks?: readonly RowError[] }
  | { readonly ok: false; readonly errors: readonly RowError[] };

/** What became of it. Whatever comes with errors is written to the error file. */
export interface RowOutcome {
  readonly kind: 'created' | 'changed' | 'unchanged' | 'refused';
  readonly errors?: readonly RowError[];
}

/** A row that is one, and not a fault. */
export type GoodRow = Extract<InputRow, { readonly kind: 'row' }>;

export interface ReadRow<Item> {
  readonly row: GoodRow;
  readonly item: Item;
}

/** What one kind of import has of its own. */
export interface Importer<Item> {
  readonly rows: AsyncIterable<InputRow>;
  /** Undefined where nobody corrects rows by hand. */
  readonly errorFormat: ErrorFormat | undefined;
  /** How the file calls one of our columns. */
  placeOf(ours: string): string;
  /** Asked once for each row, in their order. */
  read(row: GoodRow): RowReading<Item>;
  /** Commits them; gives one outcome for each, in order. What an earlier run has committed is `unchanged`. */
  admit(rows: readonly ReadRow<Item>[]): Promise<readonly RowOutcome[]>;
}

interface ImportRunOptions {
  /** Where bad rows are written; no file when there are none. `unique` keeps two imports out of each other's. */
  readonly errorFile: { readonly path: string; readonly unique: string } | undefined;
  /** Called after every chunk. */
  readonly onProgress?: ((counts: ImportCounts) => void) | undefined;
}

/**
 * Good rows are brought in whatever the others are like. Chunks are transactions of their own: an import that was cut
 * off is run again with the same file, finds what is there unchanged and goes on with the rest.
 *
 * Throws `INPUT_MALFORMED` where the file cannot be read on; the rows before that line are admitted.
 */
export async function runImport<Item>(
  importer: Importer<Item>,
  options: ImportRunOptions,
): Promise<ImportRunReport> {
  const { errorFormat: format } = importer;
  const errorFile =
    options.errorFile === undefined || format === undefined
      ? undefined
      : new ErrorFile({ ...options.errorFile, format });
  const run = new ImportRun(importer, errorFile, options.onProgress);
  try {
    await run.readAll();
    const path = await errorFile?.finish();
    return { ...run.counts(), groups: run.groups.result(), errors: run.errors, errorFile: path };
  } catch (error) {
    await errorFile?.abandon();
    throw error;
  }
}

type Judged<Item> =
  | (ReadRow<Item> & { readonly remarks: readonly RowError[]; readonly errors?: undefined })
  | { readonly row: InputRow; readonly errors: readonly RowError[] };

class ImportRun<Item> {
  readonly errors: ReportedError[] = [];
  readonly groups = new ErrorGroups();
  readonly #importer: Importer<Item>;
  readonly #errorFile: ErrorFile | undefined;
  readonly #onProgress: ImportRunOptions['onProgress'];
  readonly #tally = { created: 0, changed: 0, unchanged: 0, refused: 0 };
  #chunk: Judged<Item>[] = [];
  #chunkBytes = 0;

  constructor(
    importer: Importer<Item>,
    errorFile: ErrorFile | undefined,
    onProgress: ImportRunOptions['onProgress'],
  ) {
    this.#importer = importer;
    this.#errorFile = errorFile;
    this.#onProgress = onProgress;
  }

  /** The source is not read on while a chunk is being admitted: that is the back-pressure. */
  async readAll(): Promise<void> {
    try {
      for await (const row of this.#importer.rows) {
        this.#chunk.push(this.#judge(row));
        this.#chunkBytes += row.raw.length;
        if (this.#chunk.length >= CHUNK_ROWS || this.#chunkBytes >= CHUNK_BYTES_MAX) {
          await this.#admit();
        }
      }
    } catch (error) {
      // The file cannot be read on, but the rows before the break are good.
      if (error instanceof FilewrightError && error.code === 'INPUT_MALFORMED') await this.#admit();
      throw error;
    }
    await this.#admit();
  }

  counts(): ImportCounts {
    const { created, changed, unchanged, refused } = this.#tally;
    return { rows: created + changed + unchanged + refused, created, changed, unchanged, refused };
  }

  #judge(row: InputRow): Judged<Item> {
    if (row.kind === 'fault') return { row, errors: [row.error] };
    const reading = this.#importer.read(row);
    const { faults = [] } = row;
    if (faults.length > 0) return { row, errors: this.#placed(withFaults(reading, faults)) };
    if (!reading.ok) return { row, errors: this.#placed(reading.errors) };
    return { row, item: reading.item, remarks: this.#placed(reading.remarks ?? []) };
  }

  #placed(errors: readonly RowError[]): readonly RowError[] {
    return errors.map((error) => ({ ...error, where: this.#importer.placeOf(error.where) }));
  }

  async #admit(): Promise<void> {
    const chunk = this.#chunk;
    this.#chunk = [];
    this.#chunkBytes = 0;
    if (chunk.length === 0) return;
    const read = chunk.filter((one) => one.errors === undefined);
    const outcomes = read.length === 0 ? [] : await this.#importer.admit(read);
    invariant(outcomes.length === read.length, 'Expected one outcome for each row.', {
      rows: read.length,
      outcomes: outcomes.length,
    });
    const answers = outcomes.values();
    for (const one of chunk) {
      if (one.errors === undefined) {
        this.#note(one.row.line, one.remarks);
        await this.#count(one.row, answers.next().value);
      } else {
        await this.#count(one.row, { kind: 'refused', errors: one.errors });
      }
    }
    this.#onProgress?.(this.counts());
  }

  async #count(row: InputRow, outcome: RowOutcome | undefined): Promise<void> {
    invariant(outcome !== undefined, 'Expected an outcome for each row.');
    this.#tally[outcome.kind] += 1;
    if (outcome.errors === undefined) return;
    for (const error of outcome.errors) this.groups.add(row.line, error);
    this.#note(row.line, outcome.errors);
    await this.#errorFile?.add(row, outcome.errors);
  }

  #note(line: number, errors: readonly RowError[]): void {
    for (const error of errors) {
      if (this.errors.length >= REPORTED_ERRORS_MAX) return;
      this.errors.push({ line, ...error });
    }
  }
}

/** What is wrong with a cell says more than that the pack cannot use what stands in it. */
function withFaults(
  reading: RowReading<unknown>,
  faults: readonly RowError[],
): readonly RowError[] {
  const byPlace = new Map(faults.map((fault) => [fault.where, fault]));
  const errors = (reading.ok ? [] : reading.errors).map((error) => {
    const fault = byPlace.get(error.where);
    byPlace.delete(error.where);
    return fault ?? error;
  });
  return [...errors, ...byPlace.values()];
}
