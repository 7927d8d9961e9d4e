/** The first record of a CSV file: which column is which. Whatever is wrong with it stops the import. */
import { isUtf8 } from 'node:buffer';
import type { FilewrightError } from '../errors.ts';
import { originalCell } from './cells.ts';
import { splitFields } from './fields.ts';
import type { Delimiter } from './quotes.ts';
import type { CsvRecord } from './records.ts';
import { type ColumnMapping, isErrorColumn } from './input-row.ts';
import { COLUMNS_MAX } from './limits.ts';
import { withoutLineEnd } from './lines.ts';
import { badInput, overLimit } from '../refusals.ts';

export interface CsvHeader {
  /** With its line end, as the error file repeats it. */
  readonly raw: Buffer;
  readonly hasByteOrderMark: boolean;
  readonly delimiter: Delimiter;
  /** The names in the file, in its order. */
  readonly theirs: readonly string[];
  /** Our names and the places of their values. */
  readonly ours: readonly { readonly name: string; readonly at: number }[];
  /** Written by an earlier import: its cells are neutralised against spreadsheets. */
  readonly isErrorFile: boolean;
}

interface HeaderRules {
  readonly delimiter: Delimiter;
  readonly mapping: ColumnMapping;
  readonly needed: readonly string[];
  readonly hasByteOrderMark: boolean;
  readonly kept?: ReadonlySet<string>;
}

export function readHeader(record: CsvRecord, rules: HeaderRules): CsvHeader {
  const { line } = record;
  const bytes = withoutLineEnd(record.bytes);
  if (record.kind === 'broken') throw malformed(line, `its field ${record.why}`);
  if (!isUtf8(bytes)) throw malformed(line, utf8Fault(bytes));
  const names = splitFields(bytes.toString('utf8'), rules.delimiter);
  checkDelimiter(bytes.toString('utf8'), rules, line);
  const { theirs, ours, isErrorFile } = readNames(names, rules, line);
  const { delimiter, hasByteOrderMark } = rules;
  return { raw: record.bytes, hasByteOrderMark, delimiter, theirs, ours, isErrorFile };
}

/** The names of a table, wherever it is kept: which of its columns are ours. */
export function readNames(
  names: readonly string[],
  rules: Pick<HeaderRules, 'mapping' | 'needed' | 'kept'>,
  line: number,
): Pick<CsvHeader, 'theirs' | 'ours' | 'isErrorFile'> {
  const isErrorFile = names.some((name) => isErrorColumn(name));
  const plain = isErrorFile ? names.map((name) => originalCell(name)) : names;
  // Where only some columns are read, one without a name is none of them.
  const theirs = rules.kept === undefined ? plain : headings(plain);
  checkNames(theirs, line);
  const all = mapColumns(theirs, rules.mapping, line);
  const { kept } = rules;
  const ours =
    kept === undefined
      ? all
      : all.filter(({ name }) => Object.hasOwn(rules.mapping, name) || kept.has(name));
  const missing = rules.needed.filter((name) => !ours.some((column) => column.name === name));
  if (missing.length > 0) {
    throw malformed(
      line,
      `column ${listed(missing)} is missing; found ${listed(theirs)}; rename it, map it, or check the delimiter`,
    );
  }
  return { theirs, ours, isErrorFile };
}

/** Names as a person wrote them into a spreadsheet: on one line, without space at the ends; `(column F)` where there is none. */
export function headings(names: readonly string[]): readonly string[] {
  return names.map(
    (name, at) => name.replaceAll(/\s+/g, ' ').trim() || `(column ${columnLetters(at)})`,
  );
}

/** Column 26 of a spreadsheet, counted from 0, is AA. */
export function columnLetters(column: number): string {
  let letters = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

/** Spreadsheets of many countries save "CSV" with semicolons; the columns are then all in one name. */
const OTHER_DELIMITERS = [
  { sign: ';', name: 'semicolons' },
  { sign: '\t', name: 'tabs' },
] as const;

function checkDelimiter(text: string, rules: HeaderRules, line: number): void {
  const { delimiter, needed } = rules;
  const holdsAll = (sign: Delimiter): boolean => {
    const names = splitFields(text, sign);
    return needed.every((name) => names.includes(name));
  };
  // Quoted names can be told apart whatever stands between them, so the delimiter that is expected is asked first.
  if (needed.length < 2 || holdsAll(delimiter)) return;
  const other = OTHER_DELIMITERS.find(({ sign }) => holdsAll(sign));
  if (other === undefined) return;
  throw malformed(line, `its names are separated by ${other.name}; save the file with commas`);
}

function checkNames(theirs: readonly string[], line: number): void {
  if (theirs.length > COLUMNS_MAX) {
    throw overLimit(
      `Expected at most ${COLUMNS_MAX} columns in line ${line}, found ${theirs.length}. Check the delimiter.`,
      { details: { line, columns: theirs.length } },
    );
  }
  const unnamed = theirs.indexOf('');
  if (unnamed !== -1) throw malformed(line, `column ${unnamed + 1} has no name; give it one`);
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for.
  const strange = theirs.find((name) => /[\u0000-\u001f\u007f-\u009f]/.test(name));
  if (strange !== undefined) {
    throw malformed(line, `the name ${JSON.stringify(strange)} holds a control character`);
  }
  const twice = theirs.filter((name, at) => theirs.indexOf(name) !== at);
  if (twice.length > 0) throw malformed(line, `column ${listed(twice)} appears twice`);
  // It would change an object's prototype instead of naming a value.
  if (theirs.includes('__proto__')) throw malformed(line, 'no column may be called "__proto__"');
}

function mapColumns(
  theirs: readonly string[],
  mapping: ColumnMapping,
  line: number,
): CsvHeader['ours'] {
  const mapped = Object.entries(mapping).map(([name, their]) => ({
    name,
    their,
    at: theirs.indexOf(their),
  }));
  const unknown = mapped.filter((column) => column.at === -1).map((column) => column.their);
  if (unknown.length > 0) {
    throw malformed(
      line,
      `the mapping names ${listed(unknown)}, which is not in ${listed(theirs)}`,
    );
  }
  const used = new Set(mapped.map((column) => column.their));
  const kept = theirs
    .map((name, at) => ({ name, at }))
    .filter((column) => !used.has(column.name) && !isErrorColumn(column.name));
  const both = kept.filter((column) => Object.hasOwn(mapping, column.name));
  if (both.length > 0) {
    const names = listed(both.map((column) => column.name));
    throw malformed(line, `the column ${names} is in the file and also mapped from another one`);
  }
  return [...mapped.map(({ name, at }) => ({ name, at })), ...kept];
}

function utf8Fault(bytes: Buffer): string {
  const mark = bytes.subarray(0, 2).toString('hex');
  const isUtf16 = mark === 'fffe' || mark === 'feff';
  return isUtf16
    ? 'the file is UTF-16; save it as UTF-8'
    : 'its bytes are not UTF-8; save the file as UTF-8';
}

function listed(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ');
}

export function malformed(line: number, found: string): FilewrightError {
  return badInput(
    `Expected a header with the names of the columns in line ${line}, but ${found}.`,
    { details: { line } },
  );
}
