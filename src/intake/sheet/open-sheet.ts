/**
 * A table as a person keeps it, as rows that can be judged: first it is found out how it is written, then what is not certain
 * is asked, and only then a row is read. The file is read twice, so that every row is read by what all of them say.
 */
import { open } from 'node:fs/promises';
import {
  badInput,
  columnLetters,
  type Delimiter,
  headings,
  isErrorColumn,
  misuse,
  originalCell,
  type Sha256Hex,
  type SheetColumns,
  type SheetValue,
} from '../../core/index.ts';
import { csvErrorFormat } from '../error-format.ts';
import { readableFileBytes } from '../input-file.ts';
import type { Input } from '../input.ts';
import { type ColumnMatch, headerScore, isCertain, matchColumns } from './columns/match.ts';
import { openCsvTable } from './csv-table.ts';
import type { Encoding } from './encoding.ts';
import { decimalOf, type Evidence, needsEvidence, orderOf, weigh } from './evidence.ts';
import { type Asked, SheetQuestion } from './question.ts';
import { RowsRead, type SheetNote } from './read-rows.ts';
import type { Table } from './table.ts';
import type { DateOrder } from './values/dates.ts';
import type { ColumnRules } from './values/read-value.ts';

/** The answers of a person, given with the command. */
export interface SheetChoices {
  readonly encoding?: Encoding;
  readonly separator?: Delimiter;
  readonly sheet?: string;
  readonly hiddenRows?: 'read' | 'skip';
  /** `{ ours: theirs }`. */
  readonly mapping?: Readonly<Record<string, string>>;
  readonly acceptMap?: boolean;
  readonly dates?: DateOrder;
  /** Unknown columns that go into the form all the same. */
  readonly extra?: readonly string[];
  /** `{ ours: text }` for every row that has nothing there. */
  readonly set?: Readonly<Record<string, string>>;
}

/** What a person confirmed for a set of names, `{ theirs: ours }`; null: left out. */
export type ConfirmedColumns = Readonly<Record<string, string | null>>;

interface SheetRules {
  readonly sheet: SheetColumns;
  readonly choices: SheetChoices;
  readonly confirmed: (headers: readonly string[]) => Promise<ConfirmedColumns | undefined>;
  readonly year: number;
}

/** How a table was read. Notes and skipped rows are complete once its rows are. */
export interface SheetReport {
  readonly form: readonly string[];
  readonly remarks: readonly string[];
  readonly columns: readonly ColumnMatch[];
  readonly rowWord: 'line' | 'row';
  notes(): readonly SheetNote[];
  skipped(): { readonly count: number; readonly first: RowsRead['skipped'] };
  /** What is to be remembered: set where a person accepted a proposal with this command. */
  readonly accepted:
    | { readonly headers: readonly string[]; readonly columns: ConfirmedColumns }
    | undefined;
}

export interface OpenedSheet {
  readonly input: Input;
  readonly report: SheetReport;
  inputSha256(): Promise<Sha256Hex>;
  close(): void;
}

export async function openSheet(path: string, rules: SheetRules): Promise<OpenedSheet> {
  await readableFileBytes(path);
  const table = await openTable(path, rules.choices);
  try {
    return await read(table, rules);
  } catch (error) {
    table.close();
    throw error;
  }
}

const ZIP = '504b0304';
/** Excel before 2007, and every workbook with a password. */
const OLE = 'd0cf11e0';

async function openTable(path: string, choices: SheetChoices): Promise<Table> {
  const file = await open(path, 'r');
  const start = Buffer.alloc(4);
  try {
    await file.read(start, 0, start.length, 0);
  } finally {
    await file.close();
  }
  const magic = start.toString('hex');
  if (magic === OLE) {
    throw badInput(
      `${path} is a workbook of an older kind (.xls), or has a password. Open it in your spreadsheet program and save it as .xlsx without a password, or as CSV.`,
    );
  }
  if (magic !== ZIP) return openCsvTable(path, choices);
  const { openXlsxTable } = await import('./xlsx/table.ts');
  return openXlsxTable(path, choices);
}

async function read(table: Table, rules: SheetRules): Promise<OpenedSheet> {
  const { sheet, choices } = rules;
  const above = headerPlace(table, sheet);
  const theirs = headings(originalNames(table.head[above]?.cells ?? []));
  const matches = await matched(theirs, rules);
  const mapping: Record<string, string> = {};
  for (const { theirs: name, ours, by } of matches) {
    if (ours !== undefined && by !== 'exact' && by !== 'extra') mapping[ours] = name;
  }
  const kept = new Set(
    matches.filter(({ by }) => by === 'exact' || by === 'extra').map((one) => one.theirs),
  );
  const needed = sheet.columns.filter((one) => one.needed).map((one) => one.name);
  const set = choices.set ?? {};
  const open = {
    above,
    mapping,
    kept,
    needed: needed.filter((name) => !Object.hasOwn(set, name)),
  };
  const values = valuesOf(matches, sheet);
  const weighed = new Map([...values].filter(([, value]) => needsEvidence(value)));
  const missing = open.needed.filter((name) => !matches.some((one) => one.ours === name));
  const isProposal = !matches.every(isCertain) && choices.acceptMap !== true;
  // Where everything is certain, what is missing is told with all that was found, as of any table.
  const questions: Asked = {
    ...(isProposal ? { columns: matches } : {}),
    ...(isProposal && missing.length > 0 ? { missing } : {}),
  };
  const evidence =
    missing.length > 0 || weighed.size === 0
      ? new Map<string, Evidence>()
      : await weigh((await table.open(open)).rows, weighed);
  const dates = openDates(matches, evidence, choices.dates);
  if (isProposal || dates !== undefined) {
    throw new SheetQuestion({ ...questions, ...(dates === undefined ? {} : { dates }) });
  }
  const opened = await table.open(open);
  const rows = new RowsRead({
    columns: columnRules(values, evidence, table, rules),
    set,
    needed,
    header: Buffer.from(opened.header.raw.toString('utf8').replace(/\r?\n$/, '')),
  });
  const report: SheetReport = {
    form: table.form,
    remarks: [
      ...table.remarks,
      ...aboveWords(table, above),
      ...(choices.dates === undefined ? orderWords(matches, evidence) : []),
    ],
    columns: matches,
    rowWord: table.rowWord,
    notes: () => rows.notes(),
    skipped: () => ({ count: rows.skippedCount, first: rows.skipped }),
    accepted:
      choices.acceptMap === true ? { headers: theirs, columns: confirmedBy(matches) } : undefined,
  };
  const placeOf = (ours: string): string => mapping[ours] ?? ours;
  const input: Input = {
    rows: rows.read(opened.rows),
    errorFormat: csvErrorFormat(opened.header),
    header: opened.header.raw,
    placeOf,
  };
  return { input, report, inputSha256: () => table.inputSha256(), close: () => table.close() };
}

async function matched(
  theirs: readonly string[],
  { sheet, choices, confirmed }: SheetRules,
): Promise<readonly ColumnMatch[]> {
  const given = choices.mapping ?? {};
  const known = new Set(sheet.columns.map(({ name }) => name));
  for (const name of Object.keys({ ...given, ...choices.set })) {
    if (!known.has(name) && sheet.own(name) === undefined) {
      throw misuse(
        `${JSON.stringify(name)} is no column of ours; there are ${[...known].join(', ')}`,
      );
    }
  }
  for (const name of [...Object.values(given), ...(choices.extra ?? [])]) {
    if (theirs.includes(name)) continue;
    const all = theirs.map((one) => JSON.stringify(one)).join(', ');
    throw misuse(`The table has no column ${JSON.stringify(name)}; it has ${all}`);
  }
  return matchColumns(theirs, {
    sheet,
    given,
    confirmed: await confirmed(theirs),
    extra: new Set(choices.extra),
  }).map((one) => (isErrorColumn(one.theirs) ? { ...one, ours: undefined, by: 'left out' } : one));
}

/** Those of an error file are neutralized against spreadsheets, as its cells are. */
function originalNames(names: readonly string[]): readonly string[] {
  return names.some(isErrorColumn) ? names.map((name) => originalCell(name)) : names;
}

/** The row with the most names that are known; the first one where there is none. */
function headerPlace(table: Table, sheet: SheetColumns): number {
  let best = { at: 0, score: 0 };
  for (const [at, { cells }] of table.head.entries()) {
    const score = headerScore(cells, sheet);
    if (score > best.score) best = { at, score };
  }
  return best.score >= 2 ? best.at : 0;
}

function aboveWords(table: Table, above: number): readonly string[] {
  if (above === 0) return [];
  const [title] = (table.head[0]?.cells ?? []).filter((cell) => cell.trim() !== '');
  const header = table.head[above]?.line ?? 0;
  return [
    `The header is in ${table.rowWord} ${header}; what stands above it was left out, beginning with ${JSON.stringify((title ?? '').slice(0, 60))}.`,
  ];
}

function valuesOf(
  matches: readonly ColumnMatch[],
  sheet: SheetColumns,
): ReadonlyMap<string, SheetValue> {
  const values = new Map<string, SheetValue>();
  for (const { ours, by } of matches) {
    if (ours === undefined || by === 'extra') continue;
    const column = sheet.columns.find((one) => one.name === ours);
    values.set(ours, column?.value ?? sheet.own(ours) ?? 'text');
  }
  return values;
}

function openDates(
  matches: readonly ColumnMatch[],
  evidence: ReadonlyMap<string, Evidence>,
  told: DateOrder | undefined,
): Asked['dates'] {
  for (const { ours, theirs, at } of matches) {
    const found = ours === undefined ? undefined : evidence.get(ours);
    if (found === undefined || orderOf(found, told) !== undefined) continue;
    const { monthFirst, dayFirst, either } = found.order;
    return {
      column: theirs,
      letter: columnLetters(at),
      count: monthFirst + dayFirst + either,
      example: found.example ?? '',
      isMixed: monthFirst > 0 && dayFirst > 0,
    };
  }
  return undefined;
}

/** Said only where the column decided it: an order that a person gave needs no telling. */
function orderWords(
  matches: readonly ColumnMatch[],
  evidence: ReadonlyMap<string, Evidence>,
): readonly string[] {
  return matches.flatMap(({ ours, theirs, at }) => {
    const found = ours === undefined ? undefined : evidence.get(ours);
    if (found === undefined || found.order.either === 0) return [];
    const { monthFirst, dayFirst, either } = found.order;
    if (monthFirst + dayFirst === 0) return [];
    const words = monthFirst > 0 ? 'month/day/year' : 'day/month/year';
    return [
      `Dates in "${theirs}" (${columnLetters(at)}): ${monthFirst + dayFirst} can only be ${words}, so ${either} others are read in the same way.`,
    ];
  });
}

function columnRules(
  values: ReadonlyMap<string, SheetValue>,
  evidence: ReadonlyMap<string, Evidence>,
  table: Table,
  { sheet, choices, year }: SheetRules,
): ReadonlyMap<string, ColumnRules> {
  const rules = new Map<string, ColumnRules>();
  for (const [name, value] of values) {
    const found = evidence.get(name);
    const order = found === undefined ? undefined : orderOf(found, choices.dates);
    rules.set(name, {
      value,
      order: order === 'nothing to order' ? undefined : order,
      decimal: found === undefined ? undefined : decimalOf(found),
      days: table.days,
      year,
      jurisdictions: sheet.jurisdictions,
    });
  }
  return rules;
}

function confirmedBy(matches: readonly ColumnMatch[]): ConfirmedColumns {
  return Object.fromEntries(
    matches
      .filter(({ by }) => by !== 'exact' && by !== 'extra')
      .map(({ theirs, ours }) => [theirs, ours ?? null]),
  );
}
