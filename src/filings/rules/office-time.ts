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
