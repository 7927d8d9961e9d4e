/** A sheet of a workbook as a table. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import {
  COLUMNS_MAX,
  columnLetters,
  csvLine,
  type CsvHeader,
  type HeadRecord,
  type InputRow,
  type JsonValue,
  misuse,
  noRows,
  badInput,
  quoteField,
  RECORD_BYTES_MAX,
  readNames,
  type Sha256Hex,
  sha256Hex,
  WHOLE_ROW,
} from '../../../core/index.ts';
import { changedMeanwhile } from '../csv-table.ts';
import { SheetQuestion } from '../question.ts';
import type { Table, TableReading } from '../table.ts';
import type { DayCount } from './cell-text.ts';
import { type Merge, type SheetRow, sheetRows } from './rows.ts';
import { openWorkbook, type Workbook, type WorkbookSheet } from './workbook.ts';

const HEAD_ROWS = 60;

export async function openXlsxTable(
  path: string,
  choice: { readonly sheet?: string; readonly hiddenRows?: 'read' | 'skip' },
): Promise<Table> {
  const before = await stat(path);
  const book = await openWorkbook(path);
  try {
    const sheet = await chosenSheet(book, choice.sheet);
    const seen = await survey(book, sheet);
    if (seen.hiddenRows > 0 && choice.hiddenRows === undefined) {
      throw new SheetQuestion({ hiddenRows: { sheet: sheet.name, count: seen.hiddenRows } });
    }
    return new XlsxTable({
      path,
      before,
      book,
      sheet,
      seen,
      skipHidden: choice.hiddenRows === 'skip',
    });
  } catch (error) {
    book.package.close();
    throw error;
  }
}

async function chosenSheet(book: Workbook, name: string | undefined): Promise<WorkbookSheet> {
  if (name !== undefined) {
    const found = book.sheets.find((sheet) => sheet.name === name);
    if (found !== undefined) return found;
    const names = book.sheets.map((sheet) => JSON.stringify(sheet.name)).join(', ');
    throw misuse(`--sheet: expected one of ${names}, found ${JSON.stringify(name)}`);
  }
  const filled: WorkbookSheet[] = [];
  for (const sheet of book.sheets) {
    if (!sheet.isHidden && (await hasRows(book, sheet))) filled.push(sheet);
  }
  const [only, ...others] = filled;
  if (only === undefined) {
    throw badInput('Expected a sheet with rows in the workbook, found none that is shown.');
  }
  if (others.length > 0) throw new SheetQuestion({ sheets: filled.map((sheet) => sheet.name) });
  return only;
}

async function hasRows(book: Workbook, sheet: WorkbookSheet): Promise<boolean> {
  for await (const row of sheetRows(book, sheet, { merges: [], hiddenColumns: false })) {
    if (!isBlank(row)) return true;
  }
  return false;
}

interface Seen {
  readonly head: readonly HeadRecord[];
  readonly width: number;
  readonly hiddenRows: number;
  readonly merges: readonly Merge[];
  readonly hiddenColumns: boolean;
}

/** One pass for what stands at the end of a sheet and must be known at its beginning. */
async function survey(book: Workbook, sheet: WorkbookSheet): Promise<Seen> {
  const end: { merges: Merge[]; hiddenColumns: boolean } = { merges: [], hiddenColumns: false };
  const head: HeadRecord[] = [];
  let width = 0;
  let hiddenRows = 0;
  for await (const row of sheetRows(book, sheet, end)) {
    if (isBlank(row)) continue;
    width = Math.max(width, row.cells.length);
    if (row.isHidden) hiddenRows += 1;
    if (head.length < HEAD_ROWS) head.push({ line: row.number, cells: row.cells });
  }
  return { head, width, hiddenRows, ...end };
}

class XlsxTable implements Table {
  readonly form: readonly string[];
  readonly remarks: readonly string[];
  readonly head: readonly HeadRecord[];
  readonly days: DayCount;
  readonly rowWord = 'row';
  readonly #path: string;
  readonly #before: { readonly mtimeMs: number; readonly size: number };
  readonly #book: Workbook;
  readonly #sheet: WorkbookSheet;
  readonly #seen: Seen;
  readonly #skipHidden: boolean;

  constructor(by: {
    readonly path: string;
    readonly before: { readonly mtimeMs: number; readonly size: number };
    readonly book: Workbook;
    readonly sheet: WorkbookSheet;
    readonly seen: Seen;
    readonly skipHidden: boolean;
  }) {
    this.#path = by.path;
    this.#before = by.before;
    this.#book = by.book;
    this.#sheet = by.sheet;
    this.#seen = by.seen;
    this.#skipHidden = by.skipHidden;
    this.head = by.seen.head;
    this.days = by.book.days;
    this.form = ['XLSX', `sheet ${JSON.stringify(by.sheet.name)}`];
    this.remarks = [...by.book.remarks, ...remarksOn(by.seen, by.skipHidden)];
  }

  async open({ above, mapping, needed, kept }: TableReading): Promise<{
    readonly header: CsvHeader;
    readonly rows: AsyncIterable<InputRow>;
  }> {
    const top = this.head[above];
    if (top === undefined) throw noRows(0);
    const names = Array.from({ length: this.#seen.width }, (_, at) => top.cells[at] ?? '');
    const read = readNames(names, { mapping, needed, kept }, top.line);
    const header: CsvHeader = {
      ...read,
      raw: Buffer.from(csvLine(read.theirs)),
      // A spreadsheet that opens the error file takes it for UTF-8 by its mark.
      hasByteOrderMark: true,
      delimiter: ',',
    };
    return { header, rows: this.#rows(header, top.line) };
  }

  async inputSha256(): Promise<Sha256Hex> {
    const digest = createHash('sha256');
    // A stream without an encoding gives bytes.
    for await (const chunk of createReadStream(this.#path)) digest.update(chunk as Uint8Array);
    const now = await stat(this.#path);
    if (now.mtimeMs !== this.#before.mtimeMs || now.size !== this.#before.size) {
      throw changedMeanwhile(this.#path);
    }
    return sha256Hex(digest.digest('hex'));
  }

  close(): void {
    this.#book.package.close();
  }

  async *#rows(header: CsvHeader, top: number): AsyncGenerator<InputRow> {
    const merged = new MergedDown(this.#seen.merges);
    const end = { merges: [], hiddenColumns: false };
    let isEmpty = true;
    for await (const row of sheetRows(this.#book, this.#sheet, end)) {
      if (row.number <= top) continue;
      const cells = merged.fill(row);
      if (isBlank(row) || (this.#skipHidden && row.isHidden)) continue;
      isEmpty = false;
      yield row.isTooLarge ? tooLarge(row.number) : inputRow(row.number, cells, header);
    }
    if (isEmpty) throw noRows(top);
  }
}

function inputRow(line: number, cells: readonly string[], header: CsvHeader): InputRow {
  const width = header.theirs.length;
  const fields = Array.from({ length: width }, (_, at) => cells[at] ?? '');
  const raw = Buffer.from(fields.map((cell) => quoteField(cell, ',')).join(','));
  const nul = fields.findIndex((field) => field.includes('\0'));
  if (nul !== -1) {
    const error = {
      where: header.theirs[nul] ?? WHOLE_ROW,
      why: 'holds a NUL character; remove it',
    };
    return { kind: 'fault', line, raw, error, verbatim: true };
  }
  const row: Record<string, JsonValue> = {};
  for (const { name, at } of header.ours) row[name] = fields[at] ?? '';
  return { kind: 'row', line, raw, row };
}

function tooLarge(line: number): InputRow {
  const error = { where: WHOLE_ROW, why: `is larger than ${RECORD_BYTES_MAX} bytes` };
  return { kind: 'fault', line, raw: Buffer.alloc(0), error, verbatim: true };
}

/** Of cells that are merged downwards only the first holds the value; people see it in all of them. */
class MergedDown {
  readonly #byTop = new Map<number, Merge[]>();
  #active: { readonly merge: Merge; readonly value: string }[] = [];

  constructor(merges: readonly Merge[]) {
    for (const merge of merges) {
      if (merge.bottom === merge.top || merge.left < 0 || merge.left >= COLUMNS_MAX) continue;
      this.#byTop.set(merge.top, [...(this.#byTop.get(merge.top) ?? []), merge]);
    }
  }

  fill(row: SheetRow): readonly string[] {
    if (this.#byTop.size === 0) return row.cells;
    this.#active = this.#active.filter(({ merge }) => merge.bottom >= row.number);
    for (const merge of this.#byTop.get(row.number) ?? []) {
      this.#active.push({ merge, value: row.cells[merge.left] ?? '' });
    }
    if (this.#active.length === 0) return row.cells;
    const cells = [...row.cells];
    for (const { merge, value } of this.#active) {
      while (cells.length <= merge.left) cells.push('');
      if (merge.top !== row.number) cells[merge.left] = value;
    }
    return cells;
  }
}

function isBlank(row: SheetRow): boolean {
  return !row.isTooLarge && row.cells.every((cell) => cell === '' || cell === undefined);
}

function remarksOn(seen: Seen, skipHidden: boolean): readonly string[] {
  const down = seen.merges.filter((merge) => merge.bottom > merge.top);
  const [first] = down;
  return [
    ...(first === undefined
      ? []
      : [
          `${down.length} merged ${down.length === 1 ? 'cell goes' : 'cells go'} over several rows, the first from ${columnLetters(first.left)}${first.top} to ${columnLetters(first.left)}${first.bottom}; each row gets its value.`,
        ]),
    ...(seen.hiddenRows === 0
      ? []
      : [`${seen.hiddenRows} hidden rows were ${skipHidden ? 'left out' : 'read too'}.`]),
    ...(seen.hiddenColumns ? ['The sheet has hidden columns; they are read like the others.'] : []),
  ];
}
