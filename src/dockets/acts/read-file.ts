/** A file of docket events, row by row, each with the exact bytes that are routed for it. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  badInput,
  type ColumnMapping,
  FilewrightError,
  type InputRow,
  invariant,
  overLimit,
  parseStrictJson,
} from '../../core/index.ts';
import { type GoodRow, type Input, openRowFile, readableFileBytes } from '../../intake/index.ts';
import type { DocketMapping } from '../rules/docket/mapping-file.ts';
import { type DocketReading, readDocketRow } from '../rules/docket/read-row.ts';
import { eventRow } from '../rules/docket/event-row.ts';
import { readDocketDocument } from '../rules/docket/map-document.ts';

export interface DocketFile {
  readonly rows: AsyncIterable<InputRow>;
  /** Undefined for the document of an office: nobody corrects it by hand. */
  readonly errorFormat: Input['errorFormat'] | undefined;
  placeOf(column: string): string;
  readingOf(row: GoodRow): DocketReading;
  payloadOf(row: GoodRow): { readonly payload: Uint8Array; readonly contentType: string };
  /** Events of a document that its mapping leaves out, by code; complete once the records are read. */
  readonly skipped: ReadonlyMap<string, number>;
}

/** A file wrapper of many hundred events has a few megabytes. */
const DOCUMENT_BYTES_MAX = 32 * 1024 * 1024;

export async function openDocketFile(
  path: string,
  how: { readonly mapping?: DocketMapping; readonly columns?: ColumnMapping },
): Promise<DocketFile> {
  if (how.mapping !== undefined) return openDocument(path, how.mapping);
  // A mandatory column that is gone or renamed is drift, told row by row; it does not end the import.
  const input = await openRowFile(path, { mapping: how.columns ?? {}, columns: [] });
  const { header } = input;
  return {
    ...input,
    readingOf: ({ row }) => readDocketRow(row),
    // A row of a table says nothing without its header, so both are the payload: a table of one row.
    payloadOf: ({ raw }) =>
      header === undefined
        ? { payload: raw, contentType: 'application/json' }
        : {
            payload: Buffer.concat([header, raw]),
            contentType: 'text/csv; header=present',
          },
    skipped: new Map(),
  };
}

/**
 * One document holds many events, and tomorrow's holds one more. Each event's payload is what the mapping took from the
 * document, in canonical form, so that the same event of a later document is known to be the same.
 */
async function openDocument(path: string, mapping: DocketMapping): Promise<DocketFile> {
  const size = await readableFileBytes(path);
  if (size > DOCUMENT_BYTES_MAX) {
    throw overLimit(`${path}: expected at most ${DOCUMENT_BYTES_MAX} bytes, found ${size}`);
  }
  const bytes = await readFile(path);
  const { readings, skipped } = readDocketDocument(parseDocument(path, bytes), mapping);
  return {
    rows: inOrder(
      readings.map((reading, at) => ({
        kind: 'row',
        line: at + 1,
        // What could not be read is kept whole.
        raw: reading.kind === 'event' ? eventRow(reading.event) : bytes,
        row: {},
      })),
    ),
    errorFormat: undefined,
    placeOf: (column) => mapping.fields.get(column)?.at ?? column,
    readingOf: ({ line }) => {
      const reading = readings[line - 1];
      invariant(reading !== undefined, 'Expected a reading for each record.');
      return reading;
    },
    payloadOf: ({ raw }) => ({ payload: raw, contentType: 'application/json' }),
    skipped,
  };
}

async function* inOrder(rows: readonly InputRow[]): AsyncGenerator<InputRow> {
  yield* rows;
}

function parseDocument(path: string, bytes: Uint8Array): ReturnType<typeof parseStrictJson> {
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    const message = `${basename(path)}: ${error.message}`;
    throw badInput(message, { cause: error });
  }
}
