/**
 * Numbers of applications at their offices. One number has many spellings: 17/123,456, 17123456, US 17/123,456; EP
 * 21 123 456.2 and 21123456. Pure.
 */
import { lettersOf } from '../../../core/index.ts';

export interface ApplicationNumber {
  /** Whose number it is, by its spelling or by what else is known; undefined where nothing says so. */
  readonly office: string | undefined;
  /**
   * Digits alone, filled up where the office fills up. A number of a form that is not known here keeps its letters and
   * where its groups begin: 1/23 is not 12/3.
   */
  readonly body: string;
  /** The same without groups, for walls. */
  readonly shape: string;
  /** The check digit is wrong, so another digit may be: it is nobody's number, and may be anybody's. */
  readonly isMisread: boolean;
  readonly doubt: string | undefined;
}

/** Words before a number that name its office. */
const OFFICES: Readonly<Record<string, string>> = {
  us: 'US',
  usa: 'US',
  ussn: 'US',
  uspto: 'US',
  ep: 'EP',
  epo: 'EP',
  epa: 'EP',
  european: 'EP',
  wo: 'WO',
  wipo: 'WO',
  international: 'WO',
  jp: 'JP',
  jpo: 'JP',
  jpn: 'JP',
  japanese: 'JP',
  特願: 'JP',
  cn: 'CN',
  kr: 'KR',
  de: 'DE',
  gb: 'GB',
  uk: 'GB',
  fr: 'FR',
  it: 'IT',
  es: 'ES',
  nl: 'NL',
  ca: 'CA',
  au: 'AU',
  in: 'IN',
  br: 'BR',
  mx: 'MX',
  tw: 'TW',
  il: 'IL',
  sg: 'SG',
};
/** The code of an office, however it is called. A number of the treaty is WIPO's where nobody says more. */
export function officeNamed(written: string | undefined): string | undefined {
  if (written === undefined) return undefined;
  const word = lettersOf(written.trim()).text;
  if (word === 'pct') return 'WO';
  return Object.hasOwn(OFFICES, word) ? OFFICES[word] : word.toUpperCase();
}

/** Words before a number that say what it is. */
const NOISE = new Set(
  'patent application applications appl appln app serial ser sn number num no nos nr'.split(' '),
);
const LEADING_WORD = /^[\s.:#/_-]*((?:\p{L}\.)+\p{L}?|\p{L}+)[\s.:#/_-]*/u;
/** Nothing but digits and what people put between them. */
const DIGITS = /^\d[\d\s.,/\u2044\u2215\\'’_·:–—-]*$/u;
const US_PLAIN = /^\d\d\/\d{3},?\d{3}$/;
const US_SLASHED = /^(\d{1,2})\s*[/\u2044\u2215\\]\s*(\d{3})[\s,.'’]?(\d{3})$/u;
const EP_DOTTED = /^\d{2}\s?\d{3}\s?\d{3}\s?\.\s?\d$/u;
const YEAR_AND_SERIAL = /^(\d{4})\s*[/\u2044\u2215\\\-–—\s]\s*(\d{1,6})$/u;

/** `office` is what else is known of it: the office of the event. */
export function numberOf(written: string, office?: string): ApplicationNumber {
  // As nearly all are written; the long way comes to the same.
  if (US_PLAIN.test(written) && (office ?? 'US') === 'US') {
    const body = written.replace('/', '').replace(',', '');
    return { office: 'US', body, shape: body, isMisread: false, doubt: undefined };
  }
  const { text, doubt } = lettersOf(written);
  const compact = text.replaceAll(/[^\p{L}\p{N}]/gu, '');
  const opaque = { office, body: groupsOf(text), shape: shapeOf(compact), isMisread: false, doubt };
  if (compact === '') return { ...opaque, doubt: doubt ?? 'it has no letter and no digit' };
  if (doubt !== undefined) return opaque;
  const treaty = treatyNumber(compact, office);
  if (treaty !== undefined) return treaty;
  const { rest, spelled } = withoutWords(text.trim());
  if (DIGITS.test(rest)) return inDigits(rest, spelled ?? office, opaque);
  if (office === undefined || !compact.startsWith(office.toLowerCase())) return opaque;
  const own = text.trim().slice(office.length);
  return { ...opaque, body: groupsOf(own), shape: shapeOf(compact.slice(office.length)) };
}

/** The number of an application as a record states it. Of "17/l23,456" nobody can tell what was meant. */
export function statedNumberOf(written: string, office?: string): ApplicationNumber {
  const number = numberOf(written, office);
  if (number.doubt !== undefined || /^\d+$/u.test(number.body)) return number;
  const { rest } = withoutWords(lettersOf(written).text.trim());
  const posed = rest.replaceAll('o', '0').replaceAll(/[il]/g, '1');
  const isPosed = posed !== rest && DIGITS.test(posed) && digitsIn(rest) >= POSED_DIGITS_MIN;
  return isPosed ? { ...number, doubt: 'it has a letter in place of a digit' } : number;
}

/** A firm's own reference: whatever the firm writes, in groups of letters and digits. */
export function referenceOf(written: string): ApplicationNumber {
  const { text, doubt } = lettersOf(written);
  const body = groupsOf(text);
  const shape = shapeOf(body.replaceAll('-', ''));
  const why = doubt ?? (body === '' ? 'it has no letter and no digit' : undefined);
  return { office: undefined, body, shape, isMisread: false, doubt: why };
}

function digitsIn(text: string): number {
  return (text.match(/\d/g) ?? []).length;
}

const POSED_DIGITS_MIN = 4;

/** Groups of letters and of digits. A comma or a blank before three digits ends none. */
function groupsOf(text: string): string {
  const groups = text
    .replaceAll(/(?<=\d)[,'’\s](?=\d{3}(?!\d))/gu, '')
    .match(/\p{N}+|[\p{L}\p{M}]+/gu);
  return (groups ?? []).join('-');
}

/** Words before fewer digits belong to them: NO-1234 is somebody's reference. */
const NAMED_DIGITS_MIN = 6;

function withoutWords(text: string): { readonly rest: string; readonly spelled?: string } {
  let rest = text;
  let spelled: string | undefined;
  for (let found = LEADING_WORD.exec(rest); found !== null; found = LEADING_WORD.exec(rest)) {
    const word = (found[1] ?? '').replaceAll('.', '');
    const named = Object.hasOwn(OFFICES, word) ? OFFICES[word] : undefined;
    if (named === undefined && !NOISE.has(word)) break;
    spelled ??= named;
    rest = rest.slice(found[0].length);
  }
  if (digitsIn(rest) < NAMED_DIGITS_MIN) return { rest: text };
  return { rest: rest.trim(), ...(spelled === undefined ? {} : { spelled }) };
}

/** PCT/US2023/012345, and before 2004 PCT/US99/12345. Said of the national phase too, so it goes by itself. */
function treatyNumber(compact: string, office: string | undefined): ApplicationNumber | undefined {
  const found = /^(?:wo)?pct([a-z]{2})(\d{7,10})$/u.exec(compact);
  const bare = office === 'WO' ? /^(?!wo)([a-z]{2})(\d{7,10})$/u.exec(compact) : null;
  const [, receiving, digits] = found ?? bare ?? [];
  if (receiving === undefined || digits === undefined) return undefined;
  const body = `${receiving}${yearAndSerial(digits)}`;
  return { office: 'PCT', body, shape: shapeOf(body), isMisread: false, doubt: undefined };
}

/** The treaty is of 1970, and its first applications of 1978. */
const FIRST_TREATY_YEAR = 78;

/** Four digits of the year where there are nine or ten in all, otherwise two. */
function yearAndSerial(digits: string): string {
  if (digits.length >= 9) return `${digits.slice(0, 4)}${digits.slice(4).padStart(6, '0')}`;
  const year = digits.slice(0, 2);
  return `${Number(year) >= FIRST_TREATY_YEAR ? 19 : 20}${year}${digits.slice(2).padStart(6, '0')}`;
}

function inDigits(
  rest: string,
  office: string | undefined,
  opaque: ApplicationNumber,
): ApplicationNumber {
  const body = rest.replaceAll(/\D/gu, '');
  const known = (digits: string, whose = office): ApplicationNumber => ({
    ...opaque,
    office: whose,
    body: digits,
    shape: digits,
  });
  const [, series, thousands, ones] = US_SLASHED.exec(rest) ?? [];
  if (series !== undefined && (office ?? 'US') === 'US') {
    return known(`${series.padStart(2, '0')}${thousands}${ones}`, 'US');
  }
  const isChecked = body.length === 9 && checkDigit(body.slice(0, 8)) === Number(body[8]);
  if (office === 'EP' && body.length === 9) {
    return { ...known(body.slice(0, 8)), isMisread: !isChecked };
  }
  if (office === undefined && isChecked && EP_DOTTED.test(rest)) {
    return known(body.slice(0, 8), 'EP');
  }
  const [, year, serial] = YEAR_AND_SERIAL.exec(rest) ?? [];
  if (year !== undefined && serial !== undefined && office === 'JP') {
    return known(`${year}${serial.padStart(6, '0')}`);
  }
  if (office === 'WO' && body.length >= 7 && body.length <= 10) return known(yearAndSerial(body));
  return body.length >= WHOLE_DIGITS_MIN ? known(body) : { ...known(body), body: groupsOf(rest) };
}

/** As many digits in one order are one number, wherever somebody puts a blank. */
const WHOLE_DIGITS_MIN = 8;

/** Of a European application: every second digit twice, cross sums added, up to the next ten. */
function checkDigit(digits: string): number {
  const sum = Array.from(digits).reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2);
    return total + Math.floor(value / 10) + (value % 10);
  }, 0);
  return (10 - (sum % 10)) % 10;
}

/** For keys: equal for two spellings of one number. What is doubtful is known by how it was written. */
export function numberKey(written: string, office?: string): string {
  const { office: whose, body, doubt } = statedNumberOf(written, office);
  return doubt === undefined ? `${whose ?? ''}${body}` : `?${written}`;
}

export function isNumber(wanted: ApplicationNumber, found: ApplicationNumber): boolean {
  if (wanted.doubt !== undefined || found.doubt !== undefined) return false;
  if (wanted.isMisread || found.isMisread || wanted.body !== found.body) return false;
  return wanted.office === undefined || wanted.office === found.office;
}

/** For walls: the same digits, unless two offices are known to have given them. */
export function mayBeNumber(wanted: ApplicationNumber, found: ApplicationNumber): boolean {
  if (wanted.doubt !== undefined || found.doubt !== undefined || found.isMisread) return true;
  const isElsewhere =
    wanted.office !== undefined && found.office !== undefined && wanted.office !== found.office;
  return !isElsewhere && withoutFilling(wanted.shape) === withoutFilling(found.shape);
}

/** 2025-5105 and 2025-005105 are the same where a year stands first; a wall asks no further. */
function withoutFilling(shape: string): string {
  if (!/^\d{5,}$/.test(shape)) return shape;
  const rest = shape.slice(4);
  // Of nothing but zeros the last one stays.
  const at = rest.search(/[1-9]/);
  return shape.slice(0, 4) + rest.slice(at === -1 ? rest.length - 1 : at);
}

/** Letters that pass for digits are the digits. */
function shapeOf(compact: string): string {
  return compact.replaceAll('o', '0').replaceAll(/[il]/g, '1');
}
