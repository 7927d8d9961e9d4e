/** Rows against entries, row by row: each must be what the entries say it is, and there must be no other. */
import { canonicalText, type JsonValue, sha256Of } from '../../core/index.ts';
import { DerivedRows } from './derived-rows.ts';
import { SplitLines } from './split-lines.ts';
import {
  DESTROYED,
  type Fields,
  type FoundRow,
  named,
  type RowKind,
  SEALED_UNDER,
  type Told,
} from './saying.ts';
import { sayingsOf } from './sayings.ts';

type RowFault = 'ROW_DIFFERS' | 'ROW_WITHOUT_ENTRY' | 'ENTRY_WITHOUT_ROW';

export interface RowDifference {
  readonly reason: RowFault;
  readonly table: RowKind;
  readonly id: string;
  readonly field?: string;
  /** What the entries say. */
  readonly expected?: JsonValue;
  readonly found?: JsonValue;
}

// One line is one word of either side. Short, because there are millions of them.
type Line =
  | readonly ['s', RowKind, string, Fields, readonly string[], 0 | 1]
  | readonly ['r', RowKind, string, Fields, 0 | 1]
  | readonly ['p', RowKind, string, Fields];

/** First all entries, log by log in their order, and all rows; then the differences. */
export class RowComparison {
  readonly #parts: SplitLines;
  readonly #derived = new DerivedRows();
  /** Keys that an entry says were destroyed: few, each for a client's month. */
  readonly #shredded = new Set<string>();
  rows = 0;

  constructor(heldBytesMax?: number) {
    this.#parts = new SplitLines(heldBytesMax);
  }

  async tell(told: Told): Promise<void> {
    for (const { kind, id, set, drop = [], isWeak = false } of sayingsOf(told)) {
      if (kind === 'shredded_key') this.#shredded.add(id);
      await this.#add(['s', kind, id, set, drop, isWeak ? 1 : 0]);
    }
  }

  async find(row: FoundRow): Promise<void> {
    this.rows += 1;
    await this.#add(['r', row.kind, row.id, row.fields, row.isQuiet === true ? 1 : 0]);
    for (const part of this.#derived.push(row)) await this.#part(part);
  }

  async *differences(): AsyncGenerator<RowDifference> {
    for (const part of this.#derived.finish()) await this.#part(part);
    for await (const lines of this.#parts.parts()) yield* differencesIn(lines, this.#shredded);
  }

  close(): Promise<void> {
    return this.#parts.close();
  }

  #part({ kind, id, fields }: FoundRow): Promise<void> {
    return this.#add(['p', kind, id, fields]);
  }

  #add(line: Line): Promise<void> {
    return this.#parts.add(`${line[1]} ${line[2]}`, JSON.stringify(line));
  }
}

interface Both {
  readonly kind: RowKind;
  readonly id: string;
  readonly said: Map<string, JsonValue>;
  isSaid: boolean;
  isKnown: boolean;
  isOpen: boolean;
  found: Fields;
  isFound: boolean;
  isQuiet: boolean;
}

function* differencesIn(
  lines: readonly string[],
  shredded: ReadonlySet<string>,
): Generator<RowDifference> {
  const all = new Map<string, Both>();
  // Written above.
  for (const text of lines) take(all, JSON.parse(text) as Line);
  for (const both of all.values()) yield* differencesOf(both, shredded);
}

function take(all: Map<string, Both>, line: Line): void {
  const [side, kind, id] = line;
  const name = `${kind} ${id}`;
  const both = all.get(name) ?? begun(kind, id);
  all.set(name, both);
  if (side === 's') {
    const [, , , set, drop, isWeak] = line;
    both.isKnown = true;
    if (isWeak === 0) both.isSaid = true;
    if (drop.includes('*')) {
      both.said.clear();
      both.isOpen = true;
    }
    for (const field of drop) both.said.delete(field);
    for (const [field, value] of Object.entries(set)) both.said.set(field, value);
    return;
  }
  both.found = { ...both.found, ...line[3] };
  if (side === 'p') return;
  both.isFound = true;
  if (line[4] === 1) both.isQuiet = true;
}

function begun(kind: RowKind, id: string): Both {
  const nothing = { isSaid: false, isKnown: false, isOpen: false, isFound: false, isQuiet: false };
  return { kind, id, said: new Map(), found: {}, ...nothing };
}

function* differencesOf(both: Both, shredded: ReadonlySet<string>): Generator<RowDifference> {
  const { kind: table, id } = both;
  if (!both.isFound) {
    if (both.isSaid && !both.isOpen) yield { reason: 'ENTRY_WITHOUT_ROW', table, id };
    return;
  }
  // A word that does not say that there is a row is enough for a quiet one; for another it is not.
  const isSilent = both.isQuiet ? !both.isKnown : !both.isSaid && !both.isOpen;
  if (isSilent) {
    if (!both.isQuiet && !isWeaklyKnown(both)) yield { reason: 'ROW_WITHOUT_ENTRY', table, id };
    if (!both.isKnown) return;
  }
  const mayBeGone = shredded.has(named(both.said.get(SEALED_UNDER)));
  for (const [field, expected] of both.said) {
    if (field === SEALED_UNDER) continue;
    const found = both.found[field] ?? null;
    if (isSame(expected, found) || (mayBeGone && isSame(DESTROYED, found))) continue;
    yield { reason: 'ROW_DIFFERS', table, id, field, expected, found };
  }
}

/** Receipts that several filings share: the entry does not say whose row it is. */
function isWeaklyKnown({ kind, isKnown }: Both): boolean {
  return kind === 'receipt' && isKnown;
}

function isSame(expected: JsonValue, found: JsonValue): boolean {
  if (expected === found) return true;
  const text = canonicalText(found, { numbers: 'any' });
  if (canonicalText(expected, { numbers: 'any' }) === text) return true;
  // A part that was too long for an entry stands in it by its length and its hash.
  const { bytes, sha256, ...rest } = Object(expected) as Readonly<Record<string, unknown>>;
  const isShort = typeof bytes === 'number' && Object.keys(rest).length === 0;
  return isShort && bytes === Buffer.byteLength(text) && sha256 === sha256Of(text);
}

/** One line, as a person reads it. */
export function differenceText(one: RowDifference): string {
  const { reason, table, id, field } = one;
  if (field === undefined) return `${reason} ${table} ${id}`;
  const [expected, found] = [one.expected, one.found].map((value) => JSON.stringify(value));
  return `${reason} ${table} ${id}: ${field} expected ${expected}, found ${found}`;
}
