/** Days as people write them. The order of day and month is the column's, never one cell's. Pure. */
import { type DayCount, dayOfSerial } from '../xlsx/cell-text.ts';
import { plainCell } from './clean.ts';
import { read, shown, type ValueReading } from './reading.ts';

export type DateOrder = 'month-first' | 'day-first';

interface DateRules {
  /** Undefined where every date of the column says for itself. */
  readonly order: DateOrder | undefined;
  readonly days: DayCount;
  /** Of a day that has passed, as a formation: two digits of a year are never in the future. Of a deadline: always 20xx. */
  readonly latestYear: number | undefined;
}

const TEXT_CHARACTERS_MAX = 60;
/** Years of four digits are no numbers of days, and below the first is 1954. */
const SERIAL_MIN = 20_000;
const SERIAL_MAX = 80_000;

const ISO = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/;
const NUMERIC = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})$/;
const DAY_NAME = /^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+/i;
const DAY_FIRST = /^(\d{1,2})(?:st|nd|rd|th)?[-\s.]*([a-z]{3,9})\.?[-\s,]*(\d{4}|\d{2})$/i;
const MONTH_FIRST = /^([a-z]{3,9})\.?[-\s]*(\d{1,2})(?:st|nd|rd|th)?(?:,\s*|[-\s]+)(\d{4}|\d{2})$/i;
const TIME = /[T\s]\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:\s?[ap]\.?m\.?)?$/i;
/** With an offset it is a moment, which may be meant. */
const MOMENT = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH_NAMES = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/** 1 to 12; 0 where it is no month. */
export function monthOf(name: string): number {
  const plain = name.toLowerCase();
  if (plain === 'sept') return 9;
  const short = MONTHS.indexOf(plain);
  return short === -1 ? MONTH_NAMES.indexOf(plain) + 1 : short + 1;
}

/** What a cell says of the order in its column; undefined where it says nothing. */
export function orderVote(cell: string): DateOrder | 'either' | undefined {
  const match = NUMERIC.exec(withoutTime(plainCell(cell.slice(0, TEXT_CHARACTERS_MAX))).text);
  if (match === null) return undefined;
  const [first, second] = [Number(match[1]), Number(match[3])];
  if (first === second) return undefined;
  if (first > 12) return second > 12 ? undefined : 'day-first';
  return second > 12 ? 'month-first' : 'either';
}

export function readDay(cell: string, rules: DateRules): ValueReading {
  const whole = plainCell(cell);
  if (MOMENT.test(whole)) return read(whole);
  if (whole.length > TEXT_CHARACTERS_MAX) return noDay(cell);
  const { text, hadTime } = withoutTime(whole);
  const found = writtenDay(text.replace(DAY_NAME, ''), rules) ?? serialDay(text, rules.days);
  if (found === undefined) return noDay(cell);
  if (!isDay(found.day)) {
    return { ok: false, code: 'SHEET_DATE', why: `there is no day ${shown(cell)}${found.why}` };
  }
  const notes = [
    ...(found.note === undefined ? [] : [found.note]),
    ...(hadTime ? ['the time of day was left out'] : []),
  ];
  return read(found.day, notes.length === 0 ? undefined : notes.join('; '));
}

interface Found {
  readonly day: string;
  readonly note?: string;
  /** Added where no such day exists. */
  readonly why: string;
}

function writtenDay(text: string, rules: DateRules): Found | undefined {
  const iso = ISO.exec(text);
  if (iso !== null) {
    const day = dayText(Number(iso[1]), Number(iso[3]), Number(iso[4]));
    return day === text ? { day, why: '' } : { day, why: '', note: 'read as year, month, day' };
  }
  const numeric = NUMERIC.exec(text);
  if (numeric !== null) return numericDay(numeric, rules);
  const named = DAY_FIRST.exec(text);
  if (named !== null) return namedDay(named[3] ?? '', named[2] ?? '', named[1] ?? '', rules);
  const first = MONTH_FIRST.exec(text);
  if (first !== null) return namedDay(first[3] ?? '', first[1] ?? '', first[2] ?? '', rules);
  return undefined;
}

function numericDay(match: RegExpExecArray, rules: DateRules): Found {
  const [first, second] = [Number(match[1]), Number(match[3])];
  const year = fullYear(match[4] ?? '', rules.latestYear);
  // Where nobody had to say, no cell of the column can be read both ways but this one says for itself.
  const order = rules.order ?? (first > 12 ? 'day-first' : 'month-first');
  const isDayFirst = order === 'day-first';
  const day = isDayFirst ? dayText(year, second, first) : dayText(year, first, second);
  const words = isDayFirst ? 'day/month/year' : 'month/day/year';
  return { day, note: `read as ${words}`, why: `; the column is read as ${words}` };
}

function namedDay(year: string, month: string, day: string, rules: DateRules): Found | undefined {
  const number = monthOf(month);
  if (number === 0) return undefined;
  const full = fullYear(year, rules.latestYear);
  return { day: dayText(full, number, Number(day)), why: '', note: 'read with the month’s name' };
}

function serialDay(text: string, days: DayCount): Found | undefined {
  if (!/^\d{5}(?:\.\d{1,12})?$/.test(text)) return undefined;
  const serial = Number(text);
  if (serial < SERIAL_MIN || serial > SERIAL_MAX) return undefined;
  const day = dayOfSerial(Math.floor(serial), days);
  const note = `read as the spreadsheet’s number of a day, counted from ${days}`;
  return day === undefined ? undefined : { day, note, why: '' };
}

function fullYear(text: string, latest: number | undefined): number {
  const year = Number(text);
  if (text.length === 4) return year;
  const near = 2000 + year;
  return latest !== undefined && near > latest ? near - 100 : near;
}

function withoutTime(text: string): { readonly text: string; readonly hadTime: boolean } {
  const match = TIME.exec(text);
  return match === null
    ? { text, hadTime: false }
    : { text: text.slice(0, match.index).trim(), hadTime: true };
}

function dayText(year: number, month: number, day: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
}

function isDay(text: string): boolean {
  const ms = Date.parse(`${text}T00:00:00.000Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === text;
}

function noDay(cell: string): ValueReading {
  const why = `expected a day (2027-03-01 or 3/1/2027), found ${shown(cell)}`;
  return { ok: false, code: 'SHEET_DATE', why };
}
