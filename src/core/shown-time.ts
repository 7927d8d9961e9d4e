/**
 * Days and times as people know them: `Mar 1, 2027, 11:59 p.m. ET`. The only place that writes them for people; machines get RFC 3339
 * and ISO days. Pure; the zone rules come with the runtime.
 */
import type { Instant } from './time.ts';
import { zoneFormats } from './zone-format.ts';

/** The runtime calls them `Germany Time` or `GMT+9`, which no one writes at an office. */
const OFFICE_ZONES: Readonly<Record<string, string>> = {
  'Asia/Tokyo': 'JST',
  'Asia/Seoul': 'KST',
  'Asia/Kolkata': 'IST',
  'Pacific/Honolulu': 'HT',
  'Pacific/Guam': 'ChST',
  'Etc/UTC': 'UTC',
  'Etc/GMT': 'UTC',
  UTC: 'UTC',
};
/** In the words of the runtime for Great Britain, which knows CET, CEST, WET and the like. */
const EUROPE = /^(?:Europe|Atlantic)\//;

const HOUR_MS = 3_600_000;

const clock = zoneFormats('en-US', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
});
const general = zoneFormats('en-US', { timeZoneName: 'shortGeneric' });
const exact = zoneFormats('en-US', { timeZoneName: 'short' });
const european = zoneFormats('en-GB', { timeZoneName: 'short' });
const weekDay = zoneFormats('en-US', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  weekday: 'short',
});
const plainDay = zoneFormats('en-US', { year: 'numeric', month: 'short', day: 'numeric' });

/** `Mar 1, 2027, 11:59 p.m. ET`, by the clock of that zone; undefined, `-`. */
export function shownTime(at: number | undefined, zone: string): string {
  return at === undefined ? '-' : timeOf(at, zone, false);
}

/** With seconds, for what happened: two attempts of one minute have an order. */
export function shownMoment(at: number | undefined, zone: string): string {
  return at === undefined ? '-' : timeOf(at, zone, true);
}

/** The day of an instant at that place: `Mar 1, 2027`. */
export function shownDayAt(at: Instant, zone: string): string {
  return plainDay(zone).format(at);
}

/** A day of a calendar, which has no zone: `2027-03-01` is shown as `Mar 1, 2027`. */
export function shownDay(day: string): string {
  return dayWith(plainDay, day);
}

/** `Mon, Mar 1, 2027`. */
export function shownWeekDay(day: string): string {
  return dayWith(weekDay, day);
}

function dayWith(format: (zone: string) => Intl.DateTimeFormat, day: string): string {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  // What is no day is shown as it came; hiding it would hide the fault.
  return Number.isNaN(at) ? day : format('UTC').format(at);
}

/** `ET`, `CT`, `CET`, `JST`, `UTC`: as people of the place call their clock. */
function shownZone(at: number, zone: string): string {
  const known = OFFICE_ZONES[zone];
  if (known !== undefined) return known;
  if (EUROPE.test(zone)) return nameOf(european, at, zone);
  const name = nameOf(general, at, zone);
  // Where people have no name for it, the distance to UTC: `GMT+5:30`.
  return /^[A-Z]{2,5}$/.test(name) ? name : nameOf(exact, at, zone);
}

function timeOf(at: number, zone: string, hasSeconds: boolean): string {
  const { day, hour, minute, second, half } = read(at, zone);
  const seconds = hasSeconds ? `:${second}` : '';
  return `${day}, ${hour}:${minute}${seconds} ${half} ${isTwice(at, zone) ? nameOf(exact, at, zone) : shownZone(at, zone)}`;
}

/** One hour of autumn has its name twice; there, and only there, `ET` would not say which. */
function isTwice(at: number, zone: string): boolean {
  const name = clock(zone).format(at);
  return name === clock(zone).format(at - HOUR_MS) || name === clock(zone).format(at + HOUR_MS);
}

function read(at: number, zone: string) {
  const parts = new Map(
    clock(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const get = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  return {
    day: `${get('month')} ${get('day')}, ${get('year')}`,
    hour: get('hour'),
    minute: get('minute'),
    second: get('second'),
    half: get('dayPeriod') === 'AM' ? 'a.m.' : 'p.m.',
  };
}

function nameOf(format: (zone: string) => Intl.DateTimeFormat, at: number, zone: string): string {
  const parts = format(zone).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}
