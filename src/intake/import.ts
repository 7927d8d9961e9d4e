/** Brings a file of rows into a batch: read, let the pack judge, freeze in chunks, report. */
import { createHash, type Hash } from 'node:crypto';
import {
  FilewrightError,
  invariant,
  sha256Hex,
  type BatchId,
  type Clock,
  type Ids,
  type IntakeStore,
  type PersonId,
  type RowError,
  type RowReader,
  type Vault,
} from '../core/index.ts';
import { BatchDesk, type AdmissionDesk } from './admission-desk.ts';
import { Chunk } from './chunk.ts';
import { ErrorFile } from './error-file.ts';
import { openInput, type Input, type InputFormat } from './input.ts';
import type { ColumnMapping, InputRow } from './input-row.ts';
import { PreviewDesk } from './preview-desk.ts';
import { Tally, type ImportCounts, type ImportReport } from './report.ts';

export interface ImportOptions {
  readonly source: AsyncIterable<Uint8Array>;
  readonly format: InputFormat;
  /** `{ "<our name>": "<their header>" }`; every other column keeps its name. */
  readonly mapping?: ColumnMapping;
  readonly reader: RowReader;
  readonly store: IntakeStore;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Who prepares the batch; another person must approve it. */
  readonly person: PersonId;
  /** What the batch is called, usually the name of the file. */
  readonly batchName: string;
  /** Goes on with a batch that an interrupted import left open, instead of opening one. */
  readonly resume?: BatchId;
  /** Says what would happen and writes nothing, not even an error file. */
  readonly dryRun?: boolean;
  /** Where refused rows and conflicts are written; no file when there are none. */
  readonly errorFile?: string;
  /** Called after every chunk. */
  readonly onProgress?: (counts: ImportCounts) => void;
}

/**
 * Good rows are imported whatever the others are like. A refused row, or one that conflicts with a filing that exists,
 * is counted, reported and written to the error file, which can be corrected and imported in its turn.
 *
 * Throws `INPUT_MALFORMED` where the file cannot be read on; the rows before that line are admitted, and
 * `details.batch` names the batch that is still open. A batch is opened with the first row that is a filing.
 */
export async function importRows(options: ImportOptions): Promise<ImportReport> {
  const digest = createHash('sha256');
  const input = await openInput(hashed(options.source, digest), {
    format: options.format,
    mapping: options.mapping ?? {},
    columns: options.reader.columns,
  });
  const isDryRun = options.dryRun === true;
  const desk = isDryRun
    ? new PreviewDesk(options.store, options.vault)
    : new BatchDesk({ ...options, resume: options.resume });
  const errorFile =
    options.errorFile === undefined || isDryRun
      ? undefined
      : new ErrorFile({
          path: options.errorFile,
          unique: options.ids.next(),
          format: input.errorFormat,
        });
  const run = new ImportRun({ desk, errorFile, input, options });
  try {
    await run.readAll();
    const inputSha256 = sha256Hex(digest.digest('hex'));
    // The error file first: when the batch can be approved, what is missing from it is already known.
    const errorPath = await errorFile?.finish();
    const closed = await desk.close(run.tally.counts(), inputSha256);
    return {
      ...run.tally.result(),
      batch: desk.batch,
      count: closed?.count,
      sha256: closed?.sha256,
      inputSha256,
      errorFile: errorPath,
    };
  } catch (error) {
    await errorFile?.abandon();
    throw withBatch(error, desk.batch);
  }
}

class ImportRun {
  readonly tally = new Tally();
  private readonly desk: AdmissionDesk;
  private readonly errorFile: ErrorFile | undefined;
  private readonly input: Input;
  private readonly options: ImportOptions;
  private chunk = new Chunk();

  constructor(parts: {
    readonly desk: AdmissionDesk;
    readonly errorFile: ErrorFile | undefined;
    readonly input: Input;
    readonly options: ImportOptions;
  }) {
    this.desk = parts.desk;
    this.errorFile = parts.errorFile;
    this.input = parts.input;
    this.options = parts.options;
  }

  /** The source is not read on while a chunk is being admitted: that is the back-pressure. */
  async readAll(): Promise<void> {
    try {
      for await (const row of this.input.rows) {
        await this.take(row);
        if (this.chunk.isFull) await this.admit();
      }
    } catch (error) {
      // The file cannot be read on, but the rows before the break are good.
      if (error instanceof FilewrightError && error.code === 'INPUT_MALFORMED') await this.admit();
      throw error;
    }
    await this.admit();
  }

  private async take(row: InputRow): Promise<void> {
    if (row.kind === 'fault') {
      this.chunk.refuse(row, [row.error]);
      return;
    }
    const result = this.options.reader.read(row.row);
    if (!result.ok) {
      const errors = result.errors.map((error) => ({
        ...error,
        where: this.input.placeOf(error.where),
      }));
      this.chunk.refuse(row, errors);
      return;
    }
    if (result.notes !== undefined) {
      const notes = result.notes.map((note) => ({
        ...note,
        where: this.input.placeOf(note.where),
      }));
      this.tally.gated(row.line, notes);
    }
    if (this.chunk.add(row, result.draft)) return;
    // The file contradicts itself: the first of the two rows counts, so it must be in the store before this one.
    await this.admit();
    this.chunk.add(row, result.draft);
  }

  private async admit(): Promise<void> {
    const { items, drafts } = this.chunk;
    this.chunk = new Chunk();
    if (items.length === 0) return;
    const lines = items.filter((item) => item.kind === 'draft').map((item) => item.row.line);
    const outcomes = await this.desk.admit(drafts, lines);
    for (const item of items) {
      if (item.kind === 'refused') {
        this.tally.refuse();
        await this.report(item.row, item.errors);
        continue;
      }
      const outcome = outcomes[item.at];
      const draft = drafts[item.at];
      invariant(outcome !== undefined && draft !== undefined, 'Expected an outcome for each row.');
      const isSecond = item.kind === 'copy' && outcome.kind === 'created';
      this.tally.count(draft.lane, isSecond ? 'unchanged' : outcome.kind);
      if (outcome.kind === 'changed') await this.report(item.row, [outcome.error]);
      if (outcome.kind === 'unchanged' && outcome.openIn !== this.desk.batch)
        this.tally.unfinishedIn(outcome.openIn);
    }
    this.options.onProgress?.(this.tally.counts());
  }

  private async report(row: InputRow, errors: readonly RowError[]): Promise<void> {
    for (const error of errors) this.tally.note({ line: row.line, ...error });
    await this.errorFile?.add(row, errors);
  }
}

async function* hashed(
  source: AsyncIterable<Uint8Array>,
  digest: Hash,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    digest.update(chunk);
    yield chunk;
  }
}

function withBatch(error: unknown, batch: BatchId | undefined): unknown {
  if (batch === undefined || !(error instanceof FilewrightError)) return error;
  // Noticed after the batch was closed, by this import or by another one; it needs a person, not another try.
  if (error.code === 'BROKEN_INVARIANT' || error.code === 'REFUSED_BY_RULE') return error;
  return new FilewrightError(
    error.code,
    `${error.message} Batch ${batch} is still open: nothing of it is sent. When the cause is gone, go on with --resume ${batch}.`,
    { cause: error, details: { ...error.details, batch } },
  );
}
