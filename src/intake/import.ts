/** Brings a file of rows into a batch: the pack checks them, `Admissions` freezes them. */
import { createHash, type Hash } from 'node:crypto';
import {
  type BatchId,
  type ColumnMapping,
  FilewrightError,
  type RowReader,
  sha256Hex,
} from '../core/index.ts';
import { BatchAdmissions, type BatchAdmissionsOptions } from './admissions.ts';
import { FilingRows } from './filing-rows.ts';
import { runImport } from './import-run.ts';
import { type InputFormat, openInput } from './input.ts';
import { PreviewAdmissions } from './preview-admissions.ts';
import type { ImportCounts, ImportReport } from './report.ts';
import type { OpenedSheet } from './sheet/open-sheet.ts';

/** Rows that are opened already, or the bytes they stand in. */
export type RowSource =
  | { readonly opened: Pick<OpenedSheet, 'input' | 'inputSha256'> }
  | {
      readonly source: AsyncIterable<Uint8Array>;
      readonly format: InputFormat;
      /** `{ "<our name>": "<their header>" }`; every other column keeps its name. */
      readonly mapping?: ColumnMapping;
    };

export type ImportOptions = RowSource & ImportTerms;

interface ImportTerms extends Omit<BatchAdmissionsOptions, 'resume'> {
  readonly reader: RowReader;
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
 * A refused row, or one that conflicts with a filing that exists, is counted, reported and written to the error file,
 * which can be corrected and imported in its turn. Where the file cannot be read on, `details.batch` names the batch
 * that is still open. A batch is opened with the first row that is a filing.
 */
export async function importRows(options: ImportOptions): Promise<ImportReport> {
  const { input, inputSha256: hash } = await openedRows(options);
  const isDryRun = options.dryRun === true;
  const admissions = isDryRun
    ? new PreviewAdmissions(options)
    : new BatchAdmissions({ ...options, resume: options.resume });
  const filings = new FilingRows(input, options.reader, admissions);
  const errorFile =
    options.errorFile === undefined || isDryRun
      ? undefined
      : { path: options.errorFile, unique: options.ids.next() };
  try {
    // The error file comes first: when the batch can be approved, what is missing from it is already known.
    const report = await runImport(filings, { errorFile, onProgress: options.onProgress });
    const inputSha256 = await hash();
    const { rows, created, changed, unchanged, refused } = report;
    const counts = { rows, created, changed, unchanged, refused };
    const closed = await admissions.close(counts, inputSha256);
    return {
      ...report,
      ...filings.tally.result(),
      batch: admissions.batch,
      count: closed?.count,
      sha256: closed?.sha256,
      inputSha256,
    };
  } catch (error) {
    throw withBatch(error, admissions.batch);
  }
}

async function openedRows(
  options: ImportOptions,
): Promise<Pick<OpenedSheet, 'input' | 'inputSha256'>> {
  if ('opened' in options) return options.opened;
  const digest = createHash('sha256');
  const input = await openInput(hashed(options.source, digest), {
    format: options.format,
    mapping: options.mapping ?? {},
    columns: options.reader.columns,
  });
  return { input, inputSha256: async () => sha256Hex(digest.digest('hex')) };
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
    `${error.message} Batch ${batch} is still open, and nothing in it is sent. When the problem is fixed, continue with --resume ${batch}.`,
    { cause: error, details: { ...error.details, batch } },
  );
}
