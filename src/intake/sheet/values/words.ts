/** Kinds, origins, periods and answers as people write them. What none of them knows passes as it is. Pure. */
import { plainCell } from './clean.ts';
import { monthOf } from './dates.ts';
import { read, shown, type ValueReading } from './reading.ts';

// Longer is no name; it also bounds the work.
const CHARACTERS_MAX = 80;

const KINDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    corporation: [
      'corp',
      'inc',
      'incorporated',
      'c corp',
      's corp',
      'c corporation',
      's corporation',
      'profit corporation',
      'for profit corporation',
      'business corporation',
      'stock corporation',
      'domestic corporation',
      'foreign corporation',
    ],
    llc: [
      'limited liability company',
      'limited liability co',
      'ltd liability company',
      'ltd liability co',
      'domestic llc',
      'foreign llc',
    ],
    lp: ['limited partnership', 'ltd partnership'],
    llp: ['limited liability partnership', 'ltd liability partnership', 'registered llp'],
    nonprofit: [
      'nonprofit corporation',
      'non profit',
      'non profit corporation',
      'not for profit corporation',
      'not for profit',
      'nonstock corporation',
    ],
    pc: ['professional corporation', 'professional corp'],
    pllc: ['professional llc', 'professional limited liability company'],
  }).flatMap(([kind, also]) =>
    [kind, ...also].map((name): [string, string] => [lettersOf(name), kind]),
  ),
);

const ORIGINS: ReadonlyMap<string, string> = new Map([
  ['domestic', 'domestic'],
  ['dom', 'domestic'],
  ['home', 'domestic'],
  ['foreign', 'foreign'],
  ['for', 'foreign'],
  ['foreignqualified', 'foreign'],
  ['foreignqualification', 'foreign'],
  ['qualified', 'foreign'],
]);

const TAX_CLASSES: ReadonlyMap<string, string> = new Map([
  ...['c', 's'].flatMap((one) =>
    ['', 'corp', 'corporation', 'class'].map((rest): [string, string] => [`${one}${rest}`, one]),
  ),
  ['partnership', 'partnership'],
  ['disregarded', 'disregarded'],
  ['disregardedentity', 'disregarded'],
]);

const FLAGS: ReadonlyMap<string, string> = new Map([
  ...['true', 'yes', 'y', 'x', '1'].map((word): [string, string] => [word, 'true']),
  ...['false', 'no', 'n', '0'].map((word): [string, string] => [word, 'false']),
]);

export function readKind(cell: string): ValueReading {
  return oneOf(cell, KINDS.get(lettersOf(cell)), 'read as a kind of entity');
}

export function readOrigin(cell: string): ValueReading {
  return oneOf(cell, ORIGINS.get(lettersOf(cell)), 'read as an origin');
}

export function readTaxClass(cell: string): ValueReading {
  return oneOf(cell, TAX_CLASSES.get(lettersOf(cell)), 'read as a tax class');
}

export function readFlag(cell: string): ValueReading {
  const found = FLAGS.get(plainCell(cell).toLowerCase());
  if (found !== undefined) return oneOf(cell, found, 'read as true or false');
  return { ok: false, code: 'SHEET_FLAG', why: `expected yes or no, found ${shown(cell)}` };
}

/** Annual Report is annual_report. */
export function readWords(cell: string): ValueReading {
  const plain = plainCell(cell);
  const words = plain
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim();
  const isWords = /^[a-z][a-z0-9 ]*$/.test(words) && /^[A-Za-z0-9 _/&-]+$/.test(plain);
  return oneOf(
    cell,
    isWords ? words.replaceAll(' ', '_') : undefined,
    'read as the name of a form',
  );
}

/** FY 2027 is 2027; 3/2027, Mar 2027 and the first day of that month are 2027-03. */
export function readPeriod(cell: string): ValueReading {
  const plain = plainCell(cell);
  const year = /^(?:FY|CY|TY|year|tax year|fiscal year)?\s*['’]?(\d{4})$/i.exec(plain)?.[1];
  if (year !== undefined) return oneOf(cell, year, 'read as a year');
  const numeric = /^(\d{1,2})[-/.](\d{4})$/.exec(plain);
  if (numeric !== null) return month(cell, numeric[2] ?? '', Number(numeric[1]));
  const turned = /^(\d{4})[-/.](\d{1,2})(?:[-/.]01)?$/.exec(plain);
  if (turned !== null) return month(cell, turned[1] ?? '', Number(turned[2]));
  const named = /^([a-z]{3,9})\.?[-\s,]*(\d{4})$/i.exec(plain);
  if (named !== null) return month(cell, named[2] ?? '', monthOf(named[1] ?? ''));
  return read(plain);
}

function month(cell: string, year: string, number: number): ValueReading {
  if (number < 1 || number > 12) return read(plainCell(cell));
  return oneOf(cell, `${year}-${String(number).padStart(2, '0')}`, 'read as a month');
}

/** June 30 and 6/30 are 06-30; a spreadsheet adds the year in which it was typed. */
export function readMonthDay(cell: string): ValueReading {
  const plain = plainCell(cell);
  const numeric = /^(?:\d{4}-)?(\d{1,2})[-/](\d{1,2})$/.exec(plain);
  if (numeric !== null) return monthDay(cell, Number(numeric[1]), Number(numeric[2]));
  const named = /^([a-z]{3,9})\.?[-\s]*(\d{1,2})(?:st|nd|rd|th)?$/i.exec(plain);
  if (named !== null) return monthDay(cell, monthOf(named[1] ?? ''), Number(named[2]));
  const turned = /^(\d{1,2})(?:st|nd|rd|th)?[-\s]*([a-z]{3,9})\.?$/i.exec(plain);
  if (turned !== null) return monthDay(cell, monthOf(turned[2] ?? ''), Number(turned[1]));
  return read(plain);
}

function monthDay(cell: string, monthNumber: number, day: number): ValueReading {
  if (monthNumber < 1 || monthNumber > 12 || day < 1 || day > 31) return read(plainCell(cell));
  const two = (value: number): string => String(value).padStart(2, '0');
  return oneOf(cell, `${two(monthNumber)}-${two(day)}`, 'read as month and day');
}

function oneOf(cell: string, found: string | undefined, note: string): ValueReading {
  if (found === undefined) return read(plainCell(cell));
  return found === cell ? read(found) : read(found, note);
}

function lettersOf(text: string): string {
  return plainCell(text.slice(0, CHARACTERS_MAX))
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');
}
