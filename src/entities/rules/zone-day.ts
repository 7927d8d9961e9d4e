/** Where a calendar day begins and ends in a zone. Pure: the zone rules come with the runtime. */
import { FilewrightError, type Instant, instant, zoneFormats } from '../../core/index.ts';

const DAY_MS = 86_400_000;

const formatOf = zoneFormats('en-US', {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
  hourCycle: 'h23',
});

/** Milliseconds of the day's UTC midnight; undefined unless the text is an ISO date that exists. */
export function parseDay(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const ms = Date.parse(`${text}T00:00:00.000Z`);
  // February 30 must not become March 1.
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text ? undefined : ms;
}

/** The first moment of the day that `parseDay` gave. */
export function startOfDay(dayMs: number, zone: string): Instant {
  // A clock change near midnight can make the first guess an hour wrong; the second uses the offset found there.
  const first = dayMs - offsetMs(zone, dayMs);
  const second = dayMs - offsetMs(zone, first);
  const isMidnight = second + offsetMs(zone, second) === dayMs;
  // Where midnight itself is skipped, the day begins at the change, which is the later guess.
  return instant(isMidnight ? second : Math.max(first, second));
}

/** The last millisecond of the day, so that printing it shows the day itself. */
export function endOfDay(dayMs: number, zone: string): Instant {
  return instant(startOfDay(dayMs + DAY_MS, zone) - 1);
}

/** Stops when the runtime does not know the zone, before any row is read. */
export function checkZone(zone: string, lane: string): void {
  try {
    formatOf(zone);
  } catch (cause) {
    throw new FilewrightError(
      'PROFILE_INVALID',
      `Expected an IANA time zone in hours.zone of profile ${lane}, found "${zone}".`,
      { cause, details: { lane, zone } },
    );
  }
}

function offsetMs(zone: string, at: number): number {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(at)
      .map((part) => [part.type, Number(part.value)]),
  );
  const get = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  const local = Date.UTC(get('year'), get('month') - 1, get('day'), get('hour'), get('minute'));
  return local + get('second') * 1000 - Math.floor(at / 1000) * 1000;
}
