/** What the cells of a column say together of how they are written. */
import { FilewrightError, type InputRow, type SheetValue } from '../../core/index.ts';
import { decimalVote, type DecimalSign } from './values/amounts.ts';
import { type DateOrder, orderVote } from './values/dates.ts';

export interface Evidence {
  readonly order: {
    readonly monthFirst: number;
    readonly dayFirst: number;
    readonly either: number;
  };
  /** The first date that can be read in both ways. */
  readonly example: string | undefined;
  readonly decimal: { readonly point: number; readonly comma: number };
}

type Counts = {
  -readonly [K in keyof Evidence]: Evidence[K] extends object
    ? { -readonly [J in keyof Evidence[K]]: number }
    : Evidence[K];
};

const DATED: ReadonlySet<SheetValue> = new Set(['day', 'past-day']);
const COUNTED: ReadonlySet<SheetValue> = new Set(['money', 'signed-money', 'figure']);

/** Asked of the columns in which something can be written in two ways. */
export function needsEvidence(value: SheetValue): boolean {
  return DATED.has(value) || COUNTED.has(value);
}

export async function weigh(
  rows: AsyncIterable<InputRow>,
  columns: ReadonlyMap<string, SheetValue>,
): Promise<ReadonlyMap<string, Evidence>> {
  const found = new Map<string, Counts>();
  for (const name of columns.keys()) {
    found.set(name, {
      order: { monthFirst: 0, dayFirst: 0, either: 0 },
      example: undefined,
      decimal: { point: 0, comma: 0 },
    });
  }
  try {
    for await (const row of rows) countRow(row, columns, found);
  } catch (error) {
    // The file cannot be read on. That is told where its rows are read, and those before the break are good.
    if (!(error instanceof FilewrightError) || error.code !== 'INPUT_MALFORMED') throw error;
  }
  return found;
}

function countRow(
  row: InputRow,
  columns: ReadonlyMap<string, SheetValue>,
  found: ReadonlyMap<string, Counts>,
): void {
  if (row.kind !== 'row') return;
  for (const [name, counts] of found) {
    const cell = row.row[name];
    if (typeof cell !== 'string' || cell === '') continue;
    if (DATED.has(columns.get(name) ?? 'text')) countDate(counts, cell);
    else countDecimal(counts, cell);
  }
}

function countDate(counts: Counts, cell: string): void {
  const vote = orderVote(cell);
  if (vote === 'month-first') counts.order.monthFirst += 1;
  else if (vote === 'day-first') counts.order.dayFirst += 1;
  else if (vote === 'either') {
    counts.order.either += 1;
    counts.example ??= cell;
  }
}

function countDecimal(counts: Counts, cell: string): void {
  const vote = decimalVote(cell);
  if (vote === '.') counts.decimal.point += 1;
  else if (vote === ',') counts.decimal.comma += 1;
}

/** Undefined where only a person can say. */
export function orderOf(
  { order }: Evidence,
  told: DateOrder | undefined,
): DateOrder | 'nothing to order' | undefined {
  if (told !== undefined) return told;
  const { monthFirst, dayFirst, either } = order;
  if (monthFirst > 0 && dayFirst === 0) return 'month-first';
  if (dayFirst > 0 && monthFirst === 0) return 'day-first';
  return monthFirst + dayFirst + either === 0 ? 'nothing to order' : undefined;
}

/** The sign of the most cells; where there are as many of both, none is sure. */
export function decimalOf({ decimal }: Evidence): DecimalSign | undefined {
  if (decimal.point === decimal.comma) return undefined;
  return decimal.point > decimal.comma ? '.' : ',';
}
