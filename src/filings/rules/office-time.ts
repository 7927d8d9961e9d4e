/** Times as people type them by the clock of a lane's office; how they are shown: core/shown-time.ts. Pure. */
import { addMs, instant, type Instant, parseRfc3339, zoneFormats } from '../../core/index.ts';

const parts = zoneFormats('en-US', {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

const LOCAL = /^(\d{4})-(\d{2})-(\d{2})[ T]([01]\d|2[0-3]):([0-5]\d)$/;

/**
 * `2027-03-01 14:05` at the office, or an instant with its offset. Undefined when it is neither, and for a minute that the
 * office's clock skipped. Of two minutes with one name it is the earlier.
 */
export function readOfficeTime(text: string, zone: string): Instant | undefined {
  const match = LOCAL.exec(text);
  if (match === null) return parseRfc3339(text);
  const [year, month, day, hour, minute] = match.slice(1).map(Number);
  if (year === undefined || month === undefined) return undefined;
  const wanted = instant(Date.UTC(year, month - 1, day, hour, minute));
  const day1 = new Date(wanted).toISOString().slice(0, 16).replace('T', ' ');
  if (day1 !== text.replace('T', ' ')) return undefined;
  // Offsets on both sides of a change of the clock that may be near.
  return [-DAY_MS, DAY_MS]
    .map((off) => addMs(wanted, -offsetMs(addMs(wanted, off), zone)))
    .sort((a, b) => a - b)
    .find((at) => addMs(at, offsetMs(at, zone)) === wanted);
}

const SECONDS = /^(\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}):\d{2}(?:\.\d+)?$/;
const SLASHES =
  /^(\d{1,2})\/(\d{1,2})\/(\d{4}),? (\d{1,2}):(\d{2})(?::\d{2})?(?: ?([ap])\.?m\.?)?$/i;

/**
 * The same as a spreadsheet saves it: `3/1/2027 14:05`, `3/1/2027 2:05 PM`, with seconds. Which of the two numbers is the month is known
 * where only one reading is a day, or from `order`.
 */
export function readSheetTime(
  text: string,
  zone: string,
  order: 'month-first' | 'day-first' | undefined,
): Instant | 'either order' | undefined {
  const written = text.trim();
  const plain = SECONDS.exec(written)?.[1];
  const match = SLASHES.exec(written);
  if (match === null) return readOfficeTime(plain ?? written, zone);
  const [, first = '', second = '', year = '', hour = '', minute = '', half] = match;
  const time = clockOf(Number(hour), minute, half?.toLowerCase());
  if (time === undefined) return undefined;
  const read = (month: string, day: string): Instant | undefined =>
    readOfficeTime(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')} ${time}`, zone);
  const monthFirst = order === 'day-first' ? undefined : read(first, second);
  const dayFirst = order === 'month-first' ? undefined : read(second, first);
  if (monthFirst === undefined || dayFirst === undefined) return monthFirst ?? dayFirst;
  return monthFirst === dayFirst ? monthFirst : 'either order';
}

function clockOf(hour: number, minute: string, half: string | undefined): string | undefined {
  if (half !== undefined && (hour < 1 || hour > 12)) return undefined;
  const hours = half === undefined ? hour : (hour % 12) + (half === 'p' ? 12 : 0);
  return `${String(hours).padStart(2, '0')}:${minute}`;
}

const DAY_MS = 86_400_000;

function offsetMs(at: Instant, zone: string): number {
  const found = new Map(
    parts(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const get = (name: Intl.DateTimeFormatPartTypes): number => found.get(name) ?? 0;
  const local = Date.UTC(get('year'), get('month') - 1, get('day'), get('hour'), get('minute'));
  return local - Math.floor(at / 60_000) * 60_000;
}
