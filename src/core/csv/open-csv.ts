/** Reads CSV as a stream: never more than one record and one chunk in memory, never a good row lost to a bad one. */
import { isUtf8 } from 'node:buffer';
import type { JsonValue } from '../canonical-json.ts';
import { originalCell } from './cells.ts';
import { splitFields } from './fields.ts';
import { type CsvHeader, malformed, readHeader } from './header.ts';
import type { Delimiter } from './quotes.ts';
import { type CsvRecord, isBlankRecord, RecordCutter } from './records.ts';
import { type ColumnMapping, type InputRow, noRows, WHOLE_ROW } from './input-row.ts';
import { LINE_BYTES_MAX } from './limits.ts';
import { LineSplitter, withoutLineEnd } from './lines.ts';

export interface CsvOptions {
  /** A comma unless told. */
  readonly delimiter?: Delimiter;
  readonly mapping?: ColumnMapping;
  /** Our names of the columns that must be there. */
  readonly needed?: readonly string[];
  /** Records above the header: a title, a date. Blank ones do not count. */
  readonly above?: number;
  /** Of the columns that no mapping names, the only ones that are kept; all unless told. */
  readonly kept?: ReadonlySet<string>;
}

/**
 * Reads the header, then gives the rows. A problem of the header, an empty file, a file with nothing but a header and
 * a quote that swallows the rest of the file throw `INPUT_MALFORMED` with `details.line`; every other problem is a
 * row of its own kind, and reading goes on behind it. Lines may end in LF or CR LF, also mixed.
 */
export async function openCsv(
  source: AsyncIterable<Uint8Array>,
  options: CsvOptions = {},
): Promise<{ readonly header: CsvHeader; readonly rows: AsyncIterable<InputRow> }> {
  const delimiter = options.delimiter ?? ',';
  const splitter = new LineSplitter(LINE_BYTES_MAX);
  const cutter = new RecordCutter(delimiter);
  const records = cutRecords(source, { splitter, cutter, delimiter });
  try {
    for (let above = options.above ?? 0; above > 0; above -= 1) await records.next();
    const first = await records.next();
    if (first.done === true) throw malformed(1, 'the file is empty');
    const header = readHeader(first.value, {
      delimiter,
      mapping: options.mapping ?? {},
      needed: options.needed ?? [],
      ...(options.kept === undefined ? {} : { kept: options.kept }),
      hasByteOrderMark: splitter.hasByteOrderMark,
    });
    cutter.setWidth(header.theirs.length);
    return { header, rows: readRows(records, header) };
  } catch (error) {
    // Nobody will read on, so the source must be told: it may hold a file open.
    await records.return(undefined);
    throw error;
  }
}

async function* cutRecords(
  source: AsyncIterable<Uint8Array>,
  by: {
    readonly splitter: LineSplitter;
    readonly cutter: RecordCutter;
    readonly delimiter: Delimiter;
  },
): AsyncGenerator<CsvRecord> {
  const { splitter, cutter, delimiter } = by;
  for await (const chunk of source) {
    for (const part of splitter.push(chunk)) {
      for (const record of cutter.push(part)) if (!isBlankRecord(record, delimiter)) yield record;
    }
  }
  for (const part of splitter.end()) {
    for (const record of cutter.push(part)) if (!isBlankRecord(record, delimiter)) yield record;
  }
  for (const record of cutter.end()) if (!isBlankRecord(record, delimiter)) yield record;
}

async function* readRows(
  records: AsyncIterable<CsvRecord>,
  header: CsvHeader,
): AsyncGenerator<InputRow> {
  let isEmpty = true;
  for await (const record of records) {
    isEmpty = false;
    yield readRecord(record, header);
  }
  // An export that failed quietly looks like this. Saying "0 rows imported" would pass for success.
  if (isEmpty) throw noRows(1);
}

function readRecord(record: CsvRecord, header: CsvHeader): InputRow {
  const { line } = record;
  const raw = withoutLineEnd(record.bytes);
  const fault = (at: number | undefined, why: string, verbatim: boolean): InputRow => {
    const where = (at === undefined ? undefined : header.theirs[at]) ?? WHOLE_ROW;
    return { kind: 'fault', line, raw, error: { where, why }, verbatim };
  };
  if (record.kind === 'broken') return fault(record.field, record.why, false);
  if (!isUtf8(raw)) {
    // Latin-1 gives one character to each byte, so the fields can be told apart although the text cannot be read.
    const fields = splitFields(raw.toString('latin1'), header.delimiter);
    const at = fields.findIndex((field) => !isUtf8(Buffer.from(field, 'latin1')));
    return fault(at, 'has bytes that are not UTF-8; save the file as UTF-8', true);
  }
  const fields = splitFields(raw.toString('utf8'), header.delimiter);
  const nul = raw.includes(0) ? fields.findIndex((field) => field.includes('\0')) : -1;
  if (nul !== -1) return fault(nul, 'holds a NUL character; remove it in the source file', true);
  if (fields.length !== header.theirs.length) {
    const why = `expected ${header.theirs.length} fields, found ${fields.length}; is a delimiter unquoted or a field missing?`;
    return fault(undefined, why, true);
  }
  const row: Record<string, JsonValue> = {};
  for (const { name, at } of header.ours) {
    const cell = fields[at] ?? '';
    row[name] = header.isErrorFile ? originalCell(cell) : cell;
  }
  return { kind: 'row', line, raw, row };
}
