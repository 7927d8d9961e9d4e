/** How a refused row is written again: as it came, with two columns more. */
import {
  BYTE_ORDER_MARK,
  type CsvHeader,
  ERROR_COLUMNS,
  type InputRow,
  isErrorColumn,
  type JsonValue,
  neutralCell,
  originalCell,
  quoteField,
  type RowError,
  splitFields,
  withoutLineEnd,
} from '../core/index.ts';

/** The bytes of an error file. */
export interface ErrorFormat {
  readonly head: Uint8Array;
  row(row: InputRow, errors: readonly RowError[]): Uint8Array;
}

/** All errors of a row as two texts. The line is that of the file that was imported. */
function errorTexts(
  line: number,
  errors: readonly RowError[],
): { readonly where: string; readonly why: string } {
  return {
    where: `line ${line}: ${errors.map((error) => error.where).join(', ')}`,
    why: errors.map((error) => `${error.where}: ${error.why}`).join('; '),
  };
}

/**
 * CSV with the header, delimiter, line ends and byte order mark of the input. A row whose quotes are in order is
 * repeated byte for byte; of any other the whole text stands in the first column, because unbalanced quotes would
 * swallow the rows after it. People open this file in a spreadsheet, so a cell that would run as a formula is
 * neutralised (core/csv/cells.ts); the two columns at the end tell the next import to take that back.
 */
export function csvErrorFormat(header: CsvHeader): ErrorFormat {
  const { delimiter, theirs } = header;
  const lineEnd = header.raw.toString('latin1').endsWith('\r\n') ? '\r\n' : '\n';
  const hadErrorColumns = header.isErrorFile;
  // The bytes are handled as Latin-1, one character each, so that even those that are not UTF-8 stay as they are.
  const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
  // An error file's own cells are neutral already; what somebody typed into one of them is not.
  const safe = (cell: string): string =>
    neutralCell(hadErrorColumns ? originalCell(cell, 'bytes') : cell, 'bytes');
  const line = (front: string, texts: readonly string[]): Buffer => {
    const last = texts.map((text) => `"${safe(latin1(text)).replaceAll('"', '""')}"`);
    return Buffer.from(`${[front, ...last].join(delimiter)}${lineEnd}`, 'latin1');
  };
  const front = (raw: Uint8Array): string => {
    const text = Buffer.from(raw).toString('latin1');
    const fields = splitFields(text, delimiter);
    const spell = (cells: readonly string[]): string =>
      cells.map((cell) => quoteField(safe(cell), delimiter)).join(delimiter);
    if (!hadErrorColumns) return fields.every((cell) => safe(cell) === cell) ? text : spell(fields);
    // A row of another width cannot be matched with the header; an earlier import wrote the two at its end.
    const kept =
      fields.length === theirs.length
        ? fields.filter((_, at) => !isErrorColumn(theirs[at] ?? ''))
        : fields.slice(0, -ERROR_COLUMNS.length);
    return spell(kept);
  };
  const emptyRest = delimiter.repeat(theirs.filter((name) => !isErrorColumn(name)).length - 1);
  const mark = header.hasByteOrderMark ? BYTE_ORDER_MARK : Buffer.alloc(0);
  return {
    head: Buffer.concat([mark, line(front(withoutLineEnd(header.raw)), ERROR_COLUMNS)]),
    row: (row, errors) => {
      const { where, why } = errorTexts(row.line, errors);
      const isVerbatim = row.kind === 'row' || row.verbatim;
      const broken = safe(Buffer.from(row.raw).toString('latin1')).replaceAll('"', '""');
      return line(isVerbatim ? front(row.raw) : `"${broken}"${emptyRest}`, [where, why]);
    },
  };
}

/**
 * NDJSON with two members more. A line that is no JSON object becomes one with the text as `raw_text`, or with its
 * bytes as `raw_base64` where they are no text.
 */
export const ndjsonErrorFormat: ErrorFormat = {
  head: Buffer.alloc(0),
  row: (row, errors) => {
    const { where, why } = errorTexts(row.line, errors);
    const last = `"${ERROR_COLUMNS[0]}":${JSON.stringify(where)},"${ERROR_COLUMNS[1]}":${JSON.stringify(why)}}`;
    const isVerbatim = row.kind === 'row' || row.verbatim;
    const front = isVerbatim ? objectFront(row.raw) : `{${rawMember(row.raw)},`;
    return Buffer.from(`${front}${last}\n`, 'utf8');
  },
};

/** The object up to its closing brace, with a comma if anything stands before it. */
function objectFront(raw: Uint8Array): string {
  const text = Buffer.from(raw).toString('utf8').trim();
  const value: unknown = JSON.parse(text);
  // The reader has seen a JSON object here; anything else is a fault that is not repeated verbatim.
  const object = value as Readonly<Record<string, JsonValue>>;
  const names = Object.keys(object);
  const hadErrors = names.some((name) => isErrorColumn(name));
  const kept = Object.fromEntries(Object.entries(object).filter(([name]) => !isErrorColumn(name)));
  // Untouched text keeps the spelling of numbers; only a second error file needs a new one.
  const front = (hadErrors ? JSON.stringify(kept) : text).slice(0, -1).trimEnd();
  return front === '{' ? front : `${front},`;
}

function rawMember(raw: Uint8Array): string {
  const bytes = Buffer.from(raw);
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes)
    ? `"raw_text":${JSON.stringify(text)}`
    : `"raw_base64":"${bytes.toString('base64')}"`;
}
