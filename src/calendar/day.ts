/**
 * Calendar days as whole numbers. A legal date has no time and no zone, so it is never a `Date`; as a number of days
 * since 1970-01-01 it compares, counts and rolls with plain arithmetic (proleptic Gregorian, RFC 3339 spelling).
 */
declare const dayBrand: unique symbol;
export type Day = number & { readonly [dayBrand]: true };

export interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Sunday is 0, as in ISO week day modulo 7. */
export type WeekdayNumber = 0 | 1 | 2 | 3 | 4 | 5 | 6;

/** Four digits on purpose: a year outside this range in a filing is a typing mistake, not a date. */
export const YEAR_MIN = 1800;
export const YEAR_MAX = 2999;

/** What a refusal says was expected where `parseDay` found none. */
export const DAY_EXPECTED = `a valid date, as YYYY-MM-DD from ${YEAR_MIN} to ${YEAR_MAX},`;

const DAYS_BEFORE_1970_FROM_0000_03_01 = 719_468;
const DAYS_PER_ERA = 146_097;
const DAY_CHARS = 10;
const ZERO = '0'.charCodeAt(0);

/** The day written as YYYY-MM-DD; undefined when the text is not a day that exists. */
export function parseDay(text: string): Day | undefined {
  if (text.length !== DAY_CHARS || text[4] !== '-' || text[7] !== '-') return undefined;
  const year = digitsIn(text, 0, 4);
  const month = digitsIn(text, 5, 7);
  const day = digitsIn(text, 8, DAY_CHARS);
  if (year < YEAR_MIN || year > YEAR_MAX || month < 1 || month > 12) return undefined;
  if (day < 1 || day > daysInMonth(year, month)) return undefined;
  return dayOf(year, month, day);
}

/** By character, since this is most of what a docket of thousands is read for; -1 where one is no digit. */
function digitsIn(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at += 1) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}

export function formatDay(day: Day): string {
  const { year, month, day: dayOfMonth } = civilOf(day);
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(dayOfMonth).padStart(2, '0')}`;
}

/** Day number of a date that exists; months count from 1. Era arithmetic: years start in March, so leap days come last. */
export function dayOf(year: number, month: number, dayOfMonth: number): Day {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const monthFromMarch = (month + 9) % 12;
  const dayOfYear = Math.floor((153 * monthFromMarch + 2) / 5) + dayOfMonth - 1;
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  // A brand carries no value of its own: the number is the day.
  return (era * DAYS_PER_ERA + dayOfEra - DAYS_BEFORE_1970_FROM_0000_03_01) as Day;
}

export function civilOf(day: Day): CivilDate {
  const shifted = day + DAYS_BEFORE_1970_FROM_0000_03_01;
  const era = Math.floor(shifted / DAYS_PER_ERA);
  const dayOfEra = shifted - era * DAYS_PER_ERA;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
  };
}

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

export function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : (MONTH_DAYS[month - 1] ?? 0);
}

/** Day d of that month, or the month's last day where it has no such day. */
export function clampedDay(year: number, month: number, dayOfMonth: number): Day {
  return dayOf(year, month, Math.min(dayOfMonth, daysInMonth(year, month)));
}

export function lastDayOfMonth(year: number, month: number): Day {
  return dayOf(year, month, daysInMonth(year, month));
}

/** The month that lies `count` months (also negative) after the given one. */
export function monthAfter(
  year: number,
  month: number,
  count: number,
): { readonly year: number; readonly month: number } {
  const months = year * 12 + (month - 1) + count;
  return { year: Math.floor(months / 12), month: (((months % 12) + 12) % 12) + 1 };
}

export function addDays(day: Day, count: number): Day {
  // Adding whole days to a day gives a day.
  return (day + count) as Day;
}

export function weekdayOf(day: Day): WeekdayNumber {
  // 1970-01-01 was a Thursday; the remainder is 0 to 6.
  return ((((day + 4) % 7) + 7) % 7) as WeekdayNumber;
}

export function isWeekend(day: Day): boolean {
  const weekday = weekdayOf(day);
  return weekday === 0 || weekday === 6;
}

/** The n-th given weekday of a month (n from 1), or its last one (n = 'last'). */
export function nthWeekday(
  year: number,
  month: number,
  place: { readonly weekday: WeekdayNumber; readonly n: number | 'last' },
): Day {
  if (place.n === 'last') {
    const last = lastDayOfMonth(year, month);
    return addDays(last, -((weekdayOf(last) - place.weekday + 7) % 7));
  }
  const first = dayOf(year, month, 1);
  return addDays(first, ((place.weekday - weekdayOf(first) + 7) % 7) + (place.n - 1) * 7);
}

/** The names of the months, January first. */
export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;
