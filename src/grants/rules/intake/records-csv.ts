/** CSV awards; the first row names the fields by path. */
import {
  badInput,
  COLUMNS_MAX,
  type CsvRow,
  type JsonValue,
  StrictCsv,
} from '../../../core/index.ts';
import { type AwardRecord, cutOff, type Violation, violation } from './award-record.ts';

export class CsvAwards {
  readonly #rows = new StrictCsv();
  #header: readonly string[] | undefined;
  #ordinal = 0;
  #lastCells = Number.POSITIVE_INFINITY;
  #lastLine = 1;

  *push(chunk: Uint8Array): Generator<AwardRecord> {
    for (const row of this.#rows.push(chunk)) yield* this.#take(row);
  }

  *finish(): Generator<AwardRecord> {
    for (const row of this.#rows.finish()) yield* this.#take(row);
    if (this.#header === undefined) refuse(1, 'the file is empty');
    // Rows that are too short elsewhere are faults of theirs; the last one is where a download breaks off.
    else if (this.#lastCells < this.#header.length) throw cutOff(this.#lastLine);
  }

  *#take({ line, cells }: CsvRow): Generator<AwardRecord> {
    if (this.#header === undefined) {
      this.#header = headerOf(cells, line);
      return;
    }
    this.#ordinal += 1;
    this.#lastCells = cells.length;
    this.#lastLine = line;
    yield recordOf(this.#header, cells, { ordinal: this.#ordinal, line });
  }
}

function headerOf(cells: readonly string[], line: number): readonly string[] {
  const names = cells.map((name) => name.trim());
  if (names.length > COLUMNS_MAX) refuse(line, `it has more than ${COLUMNS_MAX}`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) refuse(line, `column ${JSON.stringify(twice)} appears twice`);
  return names;
}

function refuse(line: number, found: string): never {
  throw badInput(
    `Expected a header with the names of the columns in line ${line}, but ${found.slice(0, 200)}.`,
    { details: { line } },
  );
}

function recordOf(
  header: readonly string[],
  row: readonly string[],
  place: { readonly ordinal: number; readonly line: number },
): AwardRecord {
  const values = new Map<string, JsonValue>();
  const violations: Violation[] = [];
  for (const [index, name] of header.entries()) {
    const cell = row[index] ?? '';
    // An empty cell says nothing, but a column of tags says that tags were thought of.
    if (name.startsWith('compliance_tags') && !values.has('compliance_tags')) {
      values.set('compliance_tags', {});
    }
    if (cell !== '') values.set(name, cell);
  }
  if (row.length !== header.length) {
    const message = `expected ${header.length} cells, found ${row.length}`;
    violations.push(violation('MALFORMED', '', message));
  }
  const original = Object.fromEntries(header.map((name, index) => [name, row[index] ?? '']));
  return { ...place, spelling: 'text', values, violations, original };
}
