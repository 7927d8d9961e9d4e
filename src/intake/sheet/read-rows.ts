/** The rows of a table with their cells read as people write them, and an account of what was done. */
import type { InputRow, JsonValue, RowError } from '../../core/index.ts';
import { type ColumnRules, readValue } from './values/read-value.ts';

/** What was done to cells of one column: how often, and to which first. */
export interface SheetNote {
  readonly column: string;
  readonly note: string;
  readonly count: number;
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

interface RowRules {
  readonly columns: ReadonlyMap<string, ColumnRules>;
  /** For every row that has nothing there. */
  readonly set: Readonly<Record<string, string>>;
  readonly needed: readonly string[];
  /** The bytes of the header: some exports repeat it on every page. */
  readonly header: Uint8Array;
}

// What is said of a table must fit on a page; a column has at most a handful of notes.
const NOTES_MAX = 200;
const SKIPPED_SHOWN_MAX = 20;
const TOTAL = /^(?:grand |sub-?)?totals?\b/i;
/** Nothing but that word. */
const ONLY_TOTAL = /^(?:grand |sub-?)?totals?:?$/i;

export class RowsRead {
  /** Rows that are no rows: totals, repeated headers. */
  readonly skipped: { readonly line: number; readonly why: string }[] = [];
  skippedCount = 0;
  readonly #notes = new Map<string, { -readonly [K in keyof SheetNote]: SheetNote[K] }>();
  readonly #rules: RowRules;

  constructor(rules: RowRules) {
    this.#rules = rules;
  }

  notes(): readonly SheetNote[] {
    return [...this.#notes.values()];
  }

  async *read(rows: AsyncIterable<InputRow>): AsyncGenerator<InputRow> {
    for await (const row of rows) {
      const why = this.#noRow(row);
      if (why !== undefined) this.#skip(row.line, why);
      else yield row.kind === 'row' ? this.#values(row) : row;
    }
  }

  #values(row: Extract<InputRow, { readonly kind: 'row' }>): InputRow {
    const values: Record<string, JsonValue> = { ...row.row };
    const faults: RowError[] = [];
    for (const [name, rules] of this.#rules.columns) {
      const cell = Object.hasOwn(values, name) ? values[name] : undefined;
      if (typeof cell !== 'string' || cell === '') continue;
      const reading = readValue(cell, rules);
      if (!reading.ok) {
        faults.push({ where: name, why: reading.why, code: reading.code });
        continue;
      }
      values[name] = reading.text;
      if (reading.note !== undefined) this.#note(name, reading.note, row.line, cell, reading.text);
    }
    for (const [name, text] of Object.entries(this.#rules.set)) {
      if (values[name] === undefined || values[name] === '') values[name] = text;
    }
    return faults.length === 0 ? { ...row, row: values } : { ...row, row: values, faults };
  }

  #note(column: string, note: string, line: number, before: string, after: string): void {
    const key = `${column} ${note}`;
    const known = this.#notes.get(key);
    if (known !== undefined) known.count += 1;
    else if (this.#notes.size < NOTES_MAX) {
      this.#notes.set(key, { column, note, count: 1, line, before, after });
    }
  }

  #skip(line: number, why: string): void {
    this.skippedCount += 1;
    if (this.skipped.length < SKIPPED_SHOWN_MAX) this.skipped.push({ line, why });
  }

  /** A row with its own number or name is one, whatever else stands in it. */
  #noRow(row: InputRow): string | undefined {
    const { needed, header } = this.#rules;
    if (needed.length === 0) return undefined;
    // A footer of one cell is no broken row.
    if (row.kind !== 'row') return this.#isTotal(row) ? 'looks like a total' : undefined;
    if (Buffer.compare(row.raw, header) === 0) return 'repeats the header';
    const filled = needed.filter((name) => row.row[name] !== undefined && row.row[name] !== '');
    // A total stands where a name or a day would, with nothing in another column that every row needs.
    const isOnly = ONLY_TOTAL.test(this.#firstWord(row));
    if (isOnly && (filled.length < needed.length || needed.length === 1))
      return 'looks like a total';
    if (filled.length > needed.length / 2) return undefined;
    return this.#isTotal(row) ? 'looks like a total' : undefined;
  }

  #isTotal(row: InputRow): boolean {
    return TOTAL.test(this.#firstWord(row));
  }

  #firstWord({ raw }: InputRow): string {
    const words = Buffer.from(raw)
      .toString('utf8')
      .slice(0, 1000)
      .split(/[,;\t|"]+/);
    return (words.find((word) => word.trim() !== '') ?? '').trim();
  }
}
