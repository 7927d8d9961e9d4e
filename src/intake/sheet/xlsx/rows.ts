/** The rows of one sheet as texts, one after another, with what is hidden and what is merged. */
import { COLUMNS_MAX, columnLetters, overLimit, RECORD_BYTES_MAX } from '../../../core/index.ts';
import { numberText, UNCALCULATED } from './cell-text.ts';
import { PLAIN } from './formats.ts';
import { MERGES_MAX, SHEET_BYTES_MAX } from './limits.ts';
import { type Attributes, readMarkup } from './markup.ts';
import { damaged } from './package.ts';
import type { Workbook, WorkbookSheet } from './workbook.ts';

export interface SheetRow {
  /** As the spreadsheet numbers it, from 1. */
  readonly number: number;
  readonly cells: readonly string[];
  readonly isHidden: boolean;
  /** It holds more than a record may; its cells are not kept. */
  readonly isTooLarge: boolean;
}

/** Cells that are shown as one. */
export interface Merge {
  readonly top: number;
  readonly bottom: number;
  /** From 0. */
  readonly left: number;
  readonly right: number;
}

export async function* sheetRows(
  book: Workbook,
  sheet: WorkbookSheet,
  end: { merges: Merge[]; hiddenColumns: boolean },
): AsyncGenerator<SheetRow> {
  const source = await book.package.part(sheet.part, SHEET_BYTES_MAX);
  if (source === undefined) return;
  const reader = new RowReading(book, end);
  try {
    for await (const _ of readMarkup(source, reader)) yield* reader.take();
  } catch (error) {
    throw damaged(book.package.path, error);
  } finally {
    source.destroy();
  }
}

class RowReading {
  readonly #book: Workbook;
  readonly #end: { merges: Merge[]; hiddenColumns: boolean };
  #rows: SheetRow[] = [];
  #number = 0;
  #isHidden = false;
  #cells: string[] = [];
  #column = -1;
  #type = '';
  #format = 0;
  #text = '';
  #isValue = false;
  #isPhonetic = false;
  #hasFormula = false;
  /** Characters of the row so far: a few bytes of a workbook can name one long text in every cell. */
  #size = 0;

  constructor(book: Workbook, end: { merges: Merge[]; hiddenColumns: boolean }) {
    this.#book = book;
    this.#end = end;
  }

  take(): readonly SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'c') this.#cell(attributes);
    else if (name === 'v') this.#isValue = true;
    else if (name === 't') this.#isValue = !this.#isPhonetic;
    else if (name === 'rPh') this.#isPhonetic = true;
    else if (name === 'f') this.#hasFormula = true;
    else if (name === 'row') this.#row(attributes);
    else if (name === 'mergeCell') this.#merge(attributes['ref'] ?? '');
    else if (name === 'col') this.#end.hiddenColumns ||= isOn(attributes['hidden']);
  }

  text(text: string): void {
    if (!this.#isValue || this.#isTooLarge()) return;
    this.#text += text;
    if (this.#text.length > RECORD_BYTES_MAX) this.#size += this.#text.length;
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#isValue = false;
    else if (name === 'rPh') this.#isPhonetic = false;
    else if (name === 'c') this.#cellEnds();
    else if (name === 'row') {
      const isTooLarge = this.#isTooLarge();
      const cells = isTooLarge ? [] : this.#cells;
      this.#rows.push({ number: this.#number, cells, isHidden: this.#isHidden, isTooLarge });
    }
  }

  #row(attributes: Attributes): void {
    this.#number = Number(attributes['r'] ?? this.#number + 1);
    this.#isHidden = isOn(attributes['hidden']);
    this.#cells = [];
    this.#column = -1;
    this.#size = 0;
  }

  #isTooLarge(): boolean {
    return this.#size > RECORD_BYTES_MAX;
  }

  #cell(attributes: Attributes): void {
    const { r } = attributes;
    this.#column = r === undefined ? this.#column + 1 : columnOf(r);
    this.#type = attributes['t'] ?? 'n';
    this.#format = Number(attributes['s'] ?? 0);
    this.#text = '';
    this.#hasFormula = false;
  }

  #cellEnds(): void {
    if (this.#isTooLarge()) return;
    const text = this.#read();
    if (text === '') return;
    this.#size += text.length;
    if (this.#column >= COLUMNS_MAX) {
      throw overLimit(
        `Expected at most ${COLUMNS_MAX} columns, found a value in column ${columnLetters(this.#column)} of row ${this.#number}.`,
      );
    }
    while (this.#cells.length < this.#column) this.#cells.push('');
    this.#cells[this.#column] = text;
  }

  #read(): string {
    const text = this.#text;
    if (text === '') return this.#hasFormula && this.#type !== 'str' ? UNCALCULATED : '';
    switch (this.#type) {
      case 's':
        return this.#book.strings.at(Number(text)) ?? '';
      case 'b':
        return text === '1' ? 'true' : 'false';
      case 'n': {
        const shape = this.#book.formats[this.#format] ?? PLAIN;
        return numberText(text, shape, this.#book.days);
      }
      default:
        return text;
    }
  }

  #merge(ref: string): void {
    const [first = '', last = first] = ref.split(':');
    if (this.#end.merges.length >= MERGES_MAX) {
      throw overLimit(
        `Expected at most ${MERGES_MAX} merged cells, found more. Save the sheet as CSV.`,
      );
    }
    this.#end.merges.push({
      top: rowOf(first),
      bottom: rowOf(last),
      left: columnOf(first),
      right: columnOf(last),
    });
  }
}

function isOn(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

const A = 64;

/** AB12 is column 27, counted from 0. */
function columnOf(reference: string): number {
  let column = 0;
  for (let at = 0; at < reference.length; at += 1) {
    const letter = reference.charCodeAt(at) - A;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
  }
  return column - 1;
}

function rowOf(reference: string): number {
  return Number(reference.replace(/^[A-Z]+/, ''));
}
