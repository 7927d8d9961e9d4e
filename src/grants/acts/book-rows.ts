/** Tables that the bookkeeping gives: amounts that were paid or spent, each with its day and its number at the bank. */
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { parseDay } from '../../calendar/index.ts';
import {
  badInput,
  canonicalBytes,
  type JsonValue,
  openCsv,
  overLimit,
  sha256Of,
} from '../../core/index.ts';
import type { FigurePart } from '../rules/reporting/figure.ts';

export type Cells = Readonly<Record<string, string>>;

interface BookColumns {
  /** The column that names a row; it stands once in a table. */
  readonly id: string;
  readonly day: string;
  readonly others: readonly string[];
  readonly optional: readonly string[];
  /** Whole cents, where they are given. */
  readonly cents: readonly string[];
  /** What else must hold of a row, in words. */
  readonly check?: (cells: Cells) => readonly string[];
}

interface BookRow {
  readonly cells: Cells;
  readonly part: FigurePart;
}

const AMOUNT = 'amount';
const REFERENCE = 'bank_reference';
/** Fifteen digits, as in a return; below zero what came back. */
const CENTS = /^(0|-?[1-9]\d{0,14})$/;
const ROWS_MAX = 100_000;
const FAULTS_TOLD_MAX = 20;

/** Throws with every fault at once, each with its line: nothing of a table with a fault is used. */
export async function readBookRows(
  path: string,
  columns: BookColumns,
): Promise<readonly BookRow[]> {
  const needed = [columns.id, AMOUNT, columns.day, REFERENCE, ...columns.others];
  const { header, rows } = await openCsv(createReadStream(path));
  const known = new Set([...needed, ...columns.optional, ...columns.cents]);
  const faults = [
    ...needed
      .filter((name) => !header.theirs.includes(name))
      .map((name) => `line 1: column ${name} is missing`),
    ...header.theirs
      .filter((name) => !known.has(name))
      .map((name) => `line 1: there is no column ${JSON.stringify(name)}`),
  ];
  const found: BookRow[] = [];
  const seen = new Set<string>();
  for await (const each of rows) {
    const { line } = each;
    if (each.kind === 'fault') {
      faults.push(`line ${line}: ${each.error.where}: ${each.error.why}`);
      continue;
    }
    const cells = textsOf(each.row);
    const id = cells[columns.id] ?? '';
    const wrong = faultsOf(cells, needed, columns);
    // A row that stands twice would be counted twice.
    if (seen.has(id)) wrong.push(`${columns.id} ${JSON.stringify(id)} appears twice`);
    seen.add(id);
    faults.push(...wrong.map((fault) => `line ${line}: ${fault}`));
    found.push({ cells, part: partOf(cells, columns, { feed: basename(path), line }) });
    if (found.length > ROWS_MAX) throw overLimit(`${path}: expected at most ${ROWS_MAX} rows`);
  }
  if (faults.length > 0) refuse(path, faults);
  return found;
}

function refuse(path: string, faults: readonly string[]): never {
  const untold = faults.length - FAULTS_TOLD_MAX;
  const told = faults.slice(0, FAULTS_TOLD_MAX).join('; ');
  throw badInput(`${path}: ${told}${untold > 0 ? `; and ${untold} more` : ''}`);
}

function textsOf(row: Readonly<Record<string, JsonValue>>): Cells {
  const texts = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.trim() : '',
  ]);
  // Pairs of texts.
  return Object.fromEntries(texts) as Cells;
}

function faultsOf(cells: Cells, needed: readonly string[], columns: BookColumns): string[] {
  const faults = needed
    .filter((name) => (cells[name] ?? '') === '')
    .map((name) => `${name} is empty`);
  for (const name of [AMOUNT, ...columns.cents]) {
    const text = cells[name] ?? '';
    if (text !== '' && !CENTS.test(text)) {
      faults.push(`${name}: expected whole cents, found ${JSON.stringify(text)}`);
    }
  }
  const day = cells[columns.day] ?? '';
  if (day !== '' && parseDay(day) === undefined) {
    faults.push(`${columns.day}: expected a day like 2026-09-30, found ${JSON.stringify(day)}`);
  }
  return [...faults, ...(columns.check?.(cells) ?? [])];
}

function partOf(
  cells: Cells,
  columns: BookColumns,
  source: { readonly feed: string; readonly line: number },
): FigurePart {
  const content: { readonly [name: string]: JsonValue } = { ...cells };
  const payloadHash = sha256Of(canonicalBytes(content));
  const cents = centsOf(cells, AMOUNT);
  const { [columns.id]: id = '', [REFERENCE]: nativeId, [columns.day]: bookedOn = '' } = cells;
  const line = { line: `${source.feed}#${source.line}`, nativeId, bookedOn };
  return {
    id,
    cents,
    payloadHash,
    // Nothing of it was ingested: its row is its identity.
    idempotencyKey: `books:${payloadHash}`,
    matchRule: undefined,
    bank: [{ ...line, cents: Number(cents), source }],
  };
}

/** Nought for what is not given, or is a fault that is told. */
export function centsOf(cells: Cells, name: string): bigint {
  const text = cells[name] ?? '';
  return CENTS.test(text) ? BigInt(text) : 0n;
}

export function cellOf(cells: Cells, name: string): string | undefined {
  const text = cells[name] ?? '';
  return text === '' ? undefined : text;
}
