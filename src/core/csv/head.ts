/** The first records of a table, to find out how it is written before it is read. */
import { isUtf8 } from 'node:buffer';
import { splitFields } from './fields.ts';
import { LINE_BYTES_MAX } from './limits.ts';
import { LineSplitter, withoutLineEnd } from './lines.ts';
import type { Delimiter } from './quotes.ts';
import { isBlankRecord, RecordCutter } from './records.ts';

export interface HeadRecord {
  readonly line: number;
  /** None where the record is broken. */
  readonly cells: readonly string[];
}

// A title, an address, a date, a legend: nobody writes more above a table.
const RECORDS_MAX = 60;

/** Records of delimiters only are left out, as they are when the table is read. The last one is, if it may be cut. */
export function headOfCsv(head: Buffer, delimiter: Delimiter, isWhole: boolean): HeadRecord[] {
  const lines = new LineSplitter(LINE_BYTES_MAX);
  const cutter = new RecordCutter(delimiter);
  const records: HeadRecord[] = [];
  const parts = isWhole ? [...lines.push(head), ...lines.end()] : [...lines.push(head)];
  for (const part of parts) {
    for (const record of cutter.push(part)) {
      if (isBlankRecord(record, delimiter)) continue;
      const bytes = withoutLineEnd(record.bytes);
      const isRead = record.kind === 'whole' && isUtf8(bytes);
      const cells = isRead ? splitFields(bytes.toString('utf8'), delimiter) : [];
      records.push({ line: record.line, cells });
      if (records.length >= RECORDS_MAX) return records;
    }
  }
  return records;
}

const DELIMITERS: readonly Delimiter[] = [',', ';', '\t', '|'];

/**
 * The sign by which most of the first records have one width; of two, the one that makes more columns. A comma where none
 * makes any.
 */
export function findDelimiter(head: Buffer, isWhole: boolean): Delimiter {
  let best: { readonly delimiter: Delimiter; readonly rows: number; readonly width: number } = {
    delimiter: ',',
    rows: 0,
    width: 1,
  };
  for (const delimiter of DELIMITERS) {
    const widths = new Map<number, number>();
    for (const { cells } of headOfCsv(head, delimiter, isWhole)) {
      if (cells.length > 1) widths.set(cells.length, (widths.get(cells.length) ?? 0) + 1);
    }
    for (const [width, rows] of widths) {
      const isMore = rows > best.rows || (rows === best.rows && width > best.width);
      if (isMore) best = { delimiter, rows, width };
    }
  }
  return best.delimiter;
}
