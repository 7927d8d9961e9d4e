/** A file of docket events, record by record, each with the exact bytes that are routed for it. */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { FilewrightError, parseStrictJson, type RowError } from '../../core/index.ts';
import {
  type ColumnMapping,
  type Input,
  type InputRow,
  openCsv,
  openInput,
} from '../../intake/index.ts';
import {
  type DocketMapping,
  type DocketReading,
  eventRow,
  readDocketDocument,
  readDocketRow,
} from '../../packs/patent/docket/index.ts';
import { readableFileBytes } from '../input-file.ts';

export interface FileRecord {
  readonly line: number;
  readonly payload: Uint8Array;
  readonly contentType: string;
  /** `fault`: the bytes are no record at all. */
  readonly reading:
    | DocketReading
    | { readonly kind: 'fault'; readonly errors: readonly RowError[] };
  /** For the error file; a document of an office has none, since nobody corrects it by hand. */
  readonly row: InputRow | undefined;
}

export interface DocketFile {
  readonly records: AsyncIterable<FileRecord>;
  readonly errorFormat: Input['errorFormat'] | undefined;
  placeOf(column: string): string;
  /** Events of a document that its mapping leaves out, by code; complete once the records are read. */
  readonly skipped: ReadonlyMap<string, number>;
}

/** A file wrapper of many hundred events has a few megabytes. */
const DOCUMENT_BYTES_MAX = 32 * 1024 * 1024;

export async function openDocketFile(
  path: string,
  how: { readonly mapping?: DocketMapping; readonly columns?: ColumnMapping },
): Promise<DocketFile> {
  const size = await readableFileBytes(path);
  if (how.mapping !== undefined) return openDocument(path, size, how.mapping);
  const isNdjson = /\.(ndjson|jsonl)$/i.test(path);
  const mapping = how.columns ?? {};
  const input = await openInput(createReadStream(path), {
    format: { kind: isNdjson ? 'ndjson' : 'csv' },
    mapping,
    // A mandatory column that is gone or renamed is drift, told row by row; it does not end the import.
    columns: [],
  });
  const head = isNdjson ? undefined : await headerOf(path);
  return {
    records: rowsOf(input.rows, head),
    errorFormat: input.errorFormat,
    placeOf: (column) => input.placeOf(column),
    skipped: new Map(),
  };
}

/** A row of a table says nothing without its header, so both are the payload: a table of one row. */
async function* rowsOf(
  rows: AsyncIterable<InputRow>,
  head: Uint8Array | undefined,
): AsyncGenerator<FileRecord> {
  for await (const row of rows) {
    yield {
      line: row.line,
      payload: head === undefined ? row.raw : Buffer.concat([head, row.raw]),
      contentType: head === undefined ? 'application/json' : 'text/csv; header=present',
      reading:
        row.kind === 'fault' ? { kind: 'fault', errors: [row.error] } : readDocketRow(row.row),
      row,
    };
  }
}

async function headerOf(path: string): Promise<Uint8Array> {
  const { header, rows } = await openCsv(createReadStream(path));
  // Nothing behind the header is read here; the stream must still be told.
  await rows[Symbol.asyncIterator]().return?.();
  return header.raw;
}

/**
 * One document holds many events, and tomorrow's holds one more. Each event's payload is what the mapping took from the
 * document, in canonical form, so that the same event of a later document is known to be the same.
 */
async function openDocument(
  path: string,
  size: number,
  mapping: DocketMapping,
): Promise<DocketFile> {
  if (size > DOCUMENT_BYTES_MAX) {
    throw new FilewrightError(
      'INPUT_LIMIT',
      `${path}: at most ${DOCUMENT_BYTES_MAX} bytes were expected, found ${size}`,
    );
  }
  const bytes = await readFile(path);
  const { readings, skipped } = readDocketDocument(parseDocument(path, bytes), mapping);
  return {
    records: inOrder(
      readings.map((reading, at) => ({
        line: at + 1,
        // What could not be read is kept whole.
        payload: reading.kind === 'event' ? eventRow(reading.event) : bytes,
        contentType: 'application/json',
        reading,
        row: undefined,
      })),
    ),
    errorFormat: undefined,
    placeOf: (column) => mapping.fields.get(column)?.at ?? column,
    skipped,
  };
}

async function* inOrder(records: readonly FileRecord[]): AsyncGenerator<FileRecord> {
  yield* records;
}

function parseDocument(path: string, bytes: Uint8Array): ReturnType<typeof parseStrictJson> {
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    const message = `${basename(path)}: ${error.message}`;
    throw new FilewrightError('INPUT_MALFORMED', message, { cause: error });
  }
}
