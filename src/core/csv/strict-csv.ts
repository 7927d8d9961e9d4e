/** CSV of a document that is taken whole or not at all: the first fault is thrown, with its line. */
import { isUtf8 } from 'node:buffer';
import type { FilewrightError } from '../errors.ts';
import { splitFields } from './fields.ts';
import { LINE_BYTES_MAX } from './limits.ts';
import { type LinePart, LineSplitter, withoutLineEnd } from './lines.ts';
import { type CsvRecord, isBlankRecord, RecordCutter } from './records.ts';
import { badInput } from '../refusals.ts';

export interface CsvRow {
  /** On which the record begins. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Pushed in pieces of any size. The names of its columns are a row like any other. */
export class StrictCsv {
  readonly #lines = new LineSplitter(LINE_BYTES_MAX);
  // It is told no width, so it never looks for a row behind a fault.
  readonly #records = new RecordCutter(',');

  *push(chunk: Uint8Array): Generator<CsvRow> {
    for (const part of this.#lines.push(chunk)) yield* this.#rows(part);
  }

  *finish(): Generator<CsvRow> {
    for (const part of this.#lines.end()) yield* this.#rows(part);
    for (const record of this.#records.end()) yield rowOf(record);
  }

  *#rows(part: LinePart): Generator<CsvRow> {
    for (const record of this.#records.push(part)) {
      if (!isBlankRecord(record, ',')) yield rowOf(record);
    }
  }
}

function rowOf(record: CsvRecord): CsvRow {
  const { line } = record;
  const bytes = withoutLineEnd(record.bytes);
  if (record.kind === 'broken') {
    const field = record.field === undefined ? 'the row' : `field ${record.field + 1}`;
    throw malformed(line, `${field} ${record.why}`);
  }
  if (!isUtf8(bytes)) throw malformed(line, 'it has bytes that are not UTF-8; save it as UTF-8');
  return { line, cells: splitFields(bytes.toString('utf8'), ',') };
}

function malformed(line: number, found: string): FilewrightError {
  return badInput(`Expected a row of CSV in line ${line}, but ${found}.`, { details: { line } });
}
