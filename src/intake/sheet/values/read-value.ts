/** One cell of a column that is ours, by what stands in that column. Pure. */
import type { SheetValue } from '../../../core/index.ts';
import { type DayCount, UNCALCULATED } from '../xlsx/cell-text.ts';
import { type DecimalSign, readFigure, readMoney, readSignedMoney } from './amounts.ts';
import { edgesOff, plainCell } from './clean.ts';
import { type DateOrder, readDay } from './dates.ts';
import { read, shown, type ValueReading } from './reading.ts';
import { stateCode } from './states.ts';
import {
  readFlag,
  readKind,
  readMonthDay,
  readOrigin,
  readPeriod,
  readTaxClass,
  readWords,
} from './words.ts';

export interface ColumnRules {
  readonly value: SheetValue;
  readonly order: DateOrder | undefined;
  readonly decimal: DecimalSign | undefined;
  readonly days: DayCount;
  /** The present year: a formation is never later. */
  readonly year: number;
  readonly jurisdictions: ReadonlySet<string>;
}

const ERROR_CELL = /^#(?:REF!|N\/A|VALUE!|DIV\/0!|NAME\?|NUM!|NULL!|SPILL!|CALC!|GETTING_DATA)$/;
/** What people write where there is nothing to write. */
const NOTHING = /^(?:-+|–|—|n\/?a|none|nil|tbd|tba|unknown|\?+)$/i;
const MANGLED = /^\d(?:[.,]\d+)?E\+?\d+$/i;
const AS_DECIMAL = /^\d+\.0+$/;

export function readValue(cell: string, rules: ColumnRules): ValueReading {
  if (cell === '') return read(cell);
  if (ERROR_CELL.test(cell)) {
    const why = `the spreadsheet shows the error ${cell}; correct the formula`;
    return { ok: false, code: 'SHEET_ERROR_CELL', why };
  }
  if (cell === UNCALCULATED) {
    const why =
      'its formula was never calculated; open the file in your spreadsheet program and save it';
    return { ok: false, code: 'SHEET_ERROR_CELL', why };
  }
  if (cell.includes('\ufffd')) {
    const why = `a character was lost when the file was saved: ${shown(cell)}; save it again as UTF-8`;
    return { ok: false, code: 'SHEET_TEXT_LOST', why };
  }
  return readOf(cell, rules);
}

function readOf(cell: string, rules: ColumnRules): ValueReading {
  const { value } = rules;
  if (value === 'name') return read(cell);
  if (value === 'text') return read(edgesOff(cell));
  if (value !== 'number' && NOTHING.test(cell.trim())) return read('', 'taken for an empty cell');
  switch (value) {
    case 'number':
      return readNumber(cell);
    case 'jurisdiction':
      return readState(cell, rules.jurisdictions);
    case 'kind':
      return readKind(cell);
    case 'origin':
      return readOrigin(cell);
    case 'words':
      return readWords(cell);
    case 'period':
      return readPeriod(cell);
    case 'day':
      return readDay(cell, { ...rules, latestYear: undefined });
    case 'past-day':
      return readDay(cell, { ...rules, latestYear: rules.year });
    case 'month-day':
      return readMonthDay(cell);
    case 'money':
      return readMoney(cell, rules.decimal);
    case 'signed-money':
      return readSignedMoney(cell, rules.decimal);
    case 'figure':
      return readFigure(cell, rules.decimal);
    case 'tax-class':
      return readTaxClass(cell);
    case 'flag':
      return readFlag(cell);
  }
}

/** The number of a registry is a text: what a spreadsheet has made a number of may be another entity's. */
function readNumber(cell: string): ValueReading {
  const plain = plainCell(cell);
  if (MANGLED.test(plain) || AS_DECIMAL.test(plain)) {
    const why = `a spreadsheet has turned it into ${shown(plain)}, and its last or first digits may be lost; format the column as text and enter the number again`;
    return { ok: false, code: 'SHEET_NUMBER_MANGLED', why };
  }
  return plain === cell
    ? read(plain)
    : read(plain, 'white space or wide characters were taken out');
}

function readState(cell: string, known: ReadonlySet<string>): ValueReading {
  const plain = plainCell(cell);
  if (known.has(plain)) return read(plain);
  const code = stateCode(plain);
  if (code === undefined) return read(plain);
  return code === cell ? read(code) : read(code, 'read as a state');
}
