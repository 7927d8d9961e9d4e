/** Files that people name as input: looked at before anything is opened, refused with the reason. */
import { constants, createReadStream } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import {
  type ColumnMapping,
  type FilewrightError,
  misuse,
  notFound,
  type RowReader,
  whyUnreadable,
} from '../core/index.ts';
import { type Input, openInput } from './input.ts';

/**
 * The size of a file that this user may read. Asked before a stream is made of it: a stream tells of a fault when nobody
 * listens yet, and that ends the process.
 */
export async function readableFileBytes(path: string): Promise<number> {
  const known = await stat(path)
    .then(async (found) => {
      await access(path, constants.R_OK);
      return found;
    })
    .catch((error: unknown) => {
      throw unreadableFile(path, error);
    });
  if (!known.isFile()) throw notFound(`${path} is not a file`);
  return known.size;
}

/** A file of rows; the ending of its name says how they are written. */
export async function openRowFile(
  path: string,
  by: { readonly mapping: ColumnMapping; readonly columns: RowReader['columns'] },
): Promise<Input> {
  await readableFileBytes(path);
  const format = rowFormatOf(path);
  return openInput(createReadStream(path), { format, ...by });
}

/** Rows are CSV unless the name says otherwise. One JSON document has no rows, and as CSV only a puzzling header. */
export function rowFormatOf(path: string): { readonly kind: 'csv' | 'ndjson' } {
  if (/\.json$/i.test(path)) {
    throw misuse(
      `${path} ends with .json; rows are read from CSV, or from JSON with one object on each line in a file that ends with .ndjson or .jsonl`,
    );
  }
  return { kind: /\.(ndjson|jsonl)$/i.test(path) ? 'ndjson' : 'csv' };
}

export function unreadableFile(path: string, error: unknown): FilewrightError {
  return notFound(`The file ${path} cannot be read: ${whyUnreadable(error)}`, { cause: error });
}
