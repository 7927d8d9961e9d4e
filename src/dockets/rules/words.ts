/** How days and periods are written for people. */
import { civilOf, type Day, MONTHS, weekdayOf } from '../../calendar/index.ts';

const WEEKDAYS = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const;

/** `Tuesday 24 December 2024`. */
export function sayDay(day: Day): string {
  const { year, month, day: dayOfMonth } = civilOf(day);
  return `${WEEKDAYS[weekdayOf(day)]} ${dayOfMonth} ${MONTHS[month - 1]} ${year}`;
}

export function sayMonths(months: number): string {
  const count = Math.abs(months);
  const years = Math.floor(count / 12);
  const rest = count % 12;
  // Periods of one or two years are written in months by the law and by every docket.
  if (count <= 36 && rest !== 0) return plural(count, 'month');
  if (rest === 0) return count <= 24 ? plural(count, 'month') : plural(years, 'year');
  return `${plural(years, 'year')} and ${plural(rest, 'month')}`;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const ORDINALS = [
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
  'eleventh',
  'twelfth',
  'thirteenth',
  'fourteenth',
  'fifteenth',
  'sixteenth',
  'seventeenth',
  'eighteenth',
  'nineteenth',
  'twentieth',
] as const;

/** The first year for which any office takes a fee of its own. */
const FIRST_YEAR = 2;

/** 3 for `third year`; undefined for anything else. */
export function renewalYear(period: string): number | undefined {
  const index = ORDINALS.findIndex((ordinal) => `${ordinal} year` === period);
  return index < 0 ? undefined : index + FIRST_YEAR;
}

/** `third` for 3. */
export function ordinalOf(year: number): string {
  return ORDINALS[year - FIRST_YEAR] ?? String(year);
}
