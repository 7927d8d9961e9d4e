/** Single values of a register row, each with the reason why it cannot be used. */
import { daysInMonth } from '../../../calendar/index.ts';
import {
  FilewrightError,
  type JsonValue,
  parseStrictJson,
  type RowError,
} from '../../../core/index.ts';

export type Words = ReadonlyMap<string, string>;

// A value in a message is a hint for the eye; the row itself stands beside it in the error file.
const SHOWN_CHARACTERS_MAX = 40;
const YEAR_END = /^(\d{2})-(\d{2})$/;
/** February 29 is a year end that clamps in common years. */
const SOME_LEAP_YEAR = 2024;
const MAIL = /^[^\s@<>"]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?$/;
const REFERENCE = /^[a-z][a-z0-9+-]{0,30}:\S+$/;
const FIGURE = /^\d{1,30}(?:\.\d{1,10})?$/;
const SHARE_CLASS = /^\s*(\d{1,30})\s*@\s*(none|\d{1,12}(?:\.\d{1,12})?)\s*$/;
const CLASSES_MAX = 1_000;
/** ISO/IEC 7812: a card number has at most 19 digits, and none in use has fewer than 13. */
const CARD_DIGITS = /\d(?:[ -]?\d){12,18}/;

export function shown(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const isCut = text.length > SHOWN_CHARACTERS_MAX;
  return JSON.stringify(isCut ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text);
}

export function yearEndFault(value: string): string | undefined {
  const match = YEAR_END.exec(value);
  const month = Number(match?.[1] ?? 0);
  const day = Number(match?.[2] ?? 0);
  const exists = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(SOME_LEAP_YEAR, month);
  return exists ? undefined : `expected a valid month and day (06-30), found ${shown(value)}`;
}

export function mailFault(value: string): string | undefined {
  return MAIL.test(value) ? undefined : 'expected one email address like name@example.org';
}

/** Never the number itself: whoever reads the register must not be able to pay with it. The value is not repeated. */
export function referenceFault(value: string): string | undefined {
  const digits = CARD_DIGITS.exec(value)?.[0].replaceAll(/[ -]/g, '');
  if (digits !== undefined && isCardNumber(digits)) {
    return 'holds what looks like a card number; use a reference instead, and remove it from the file';
  }
  if (REFERENCE.test(value)) return undefined;
  return 'expected a reference like vault:cards/7, with the kind of vault before the colon';
}

/** The check digit of ISO/IEC 7812 (Luhn). */
function isCardNumber(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]);
    const doubled = place % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** A figure as its text; a JSON number only where it is whole, since a fraction may already have lost digits. */
export function wordsOf(
  value: JsonValue | undefined,
  where: string,
  errors: RowError[],
): string | undefined {
  if (value === undefined) return undefined;
  const isWhole = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
  const text = isWhole ? String(value) : value;
  if (typeof text === 'string' && FIGURE.test(text)) return text;
  const why = `expected a number like 1000000 or "0.01", without separators or a sign, found ${shown(value)}`;
  errors.push({ where, why });
  return undefined;
}

/** `5000000@0.0001; 100@none` in a cell, or a list of {shares, par} in JSON; both as the tax case takes them. */
export function sharesOf(
  value: JsonValue | undefined,
  errors: RowError[],
): readonly JsonValue[] | undefined {
  if (value === undefined) return undefined;
  const parts = typeof value === 'string' ? partsOf(value) : value;
  if (!Array.isArray(parts) || parts.length === 0 || parts.length > CLASSES_MAX) {
    errors.push({ where: 'authorized', why: `expected share classes, found ${shown(value)}` });
    return undefined;
  }
  const classes: JsonValue[] = [];
  // Array.isArray widens a readonly list; its items are JSON values.
  for (const [at, part] of (parts as readonly JsonValue[]).entries()) {
    const where = typeof value === 'string' ? 'authorized' : `/authorized/${at}`;
    const read =
      typeof part === 'string' ? classFromCell(part) : classFromJson(part, where, errors);
    if (read !== undefined) classes.push(read);
    else if (typeof part === 'string') {
      const why = `expected a share class like 5000000@0.0001 or 100@none, found ${shown(part)}`;
      errors.push({ where, why });
    }
  }
  return classes;
}

/** A cell may also hold the list as JSON, as a file of filings does. */
function partsOf(cell: string): JsonValue {
  if (!cell.trimStart().startsWith('[')) return cell.split(';');
  try {
    return parseStrictJson(cell);
  } catch (error) {
    if (error instanceof FilewrightError) return cell;
    throw error;
  }
}

function classFromCell(text: string): JsonValue | undefined {
  const match = SHARE_CLASS.exec(text);
  if (match === null) return undefined;
  return { shares: match[1] ?? '', par: match[2] === 'none' ? null : (match[2] ?? null) };
}

function classFromJson(item: JsonValue, where: string, errors: RowError[]): JsonValue | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    errors.push({ where, why: `expected a share class {shares, par}, found ${shown(item)}` });
    return undefined;
  }
  // Neither null nor a list, so an object of the JSON reader.
  const { shares, par } = item as Readonly<Record<string, JsonValue>>;
  if (shares === undefined) {
    errors.push({ where: `${where}/shares`, why: 'is missing' });
    return undefined;
  }
  if (par === undefined) {
    errors.push({ where: `${where}/par`, why: 'is missing; use null for no par value' });
    return undefined;
  }
  const count = wordsOf(shares, `${where}/shares`, errors);
  const value = wordsOf(par ?? undefined, `${where}/par`, errors);
  return { shares: count ?? '', par: value ?? null };
}
