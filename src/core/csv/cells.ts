/**
 * Every CSV cell that this product writes goes through here. A spreadsheet runs a cell that begins with `=`, `+`, `-`,
 * `@`, a tab or a line break (or the full-width forms of the first four) as a formula; one that is not a plain number
 * gets an apostrophe in front. A cell that already has apostrophes before such a character gets one more, so that taking
 * one off always gives back what was there.
 */
import { quoteField } from './fields.ts';

const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
/** The same on UTF-8 bytes that are read as Latin-1, one character each. */
const FORMULA_BYTES = /^'*(?:[=+\-@\t\r\n]|\u00ef\u00bc[\u009d\u008b\u008d\u00a0])/;
/** A negative amount is no formula, and an apostrophe would make a text of it. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;

type CellSpelling = 'text' | 'bytes';

/** What a spreadsheet may be shown instead of `cell`. */
export function neutralCell(cell: string, spelling: CellSpelling = 'text'): string {
  const formula = spelling === 'text' ? FORMULA : FORMULA_BYTES;
  return formula.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
}

/** What was there before `neutralCell`. */
export function originalCell(cell: string, spelling: CellSpelling = 'text'): string {
  const formula = spelling === 'text' ? FORMULA : FORMULA_BYTES;
  return cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell;
}

export function csvCell(value: string | number | undefined): string {
  const safe = neutralCell(value === undefined ? '' : String(value));
  // Quoted also where another locale would split the cell, and where spaces at its ends would be lost.
  return /[;\t]/.test(safe) || safe.trim() !== safe
    ? `"${safe.replaceAll('"', '""')}"`
    : quoteField(safe, ',');
}

/** One line of a table, with CR LF as RFC 4180 has it. */
export function csvLine(cells: readonly (string | number | undefined)[]): string {
  return `${cells.map((cell) => csvCell(cell)).join(',')}\r\n`;
}
