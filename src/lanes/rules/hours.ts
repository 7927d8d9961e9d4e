/** Opening hours of a portal in its own zone. Pure: the zone rules come with the runtime. */
import {
  addMs,
  type Instant,
  type OpeningHours,
  type Weekday,
  zoneFormats,
} from '../../core/index.ts';

const WEEKDAYS: readonly Weekday[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Searching minute by minute for an opening stops here; a portal closed for longer is a profile error. */
const SEARCH_DAYS_MAX = 15;
const MINUTE_MS = 60_000;

interface LocalTime {
  readonly date: string;
  readonly weekday: Weekday;
  readonly minutes: number;
}

export function isOpen(hours: OpeningHours | undefined, at: Instant): boolean {
  if (hours === undefined) return true;
  const local = localTime(hours.zone, at);
  if (hours.closedOn.includes(local.date)) return false;
  return hours.weekly.some(
    (span) =>
      span.days.includes(local.weekday) &&
      local.minutes >= minutesOf(span.from) &&
      local.minutes < minutesOf(span.to),
  );
}

/** The first minute at or after `at` in which the portal is open; undefined when there is none within the bound. */
export function nextOpening(hours: OpeningHours | undefined, at: Instant): Instant | undefined {
  if (isOpen(hours, at)) return at;
  const start = Math.ceil(at / MINUTE_MS) * MINUTE_MS;
  for (let minute = 0; minute < SEARCH_DAYS_MAX * 24 * 60; minute += 1) {
    const candidate = addMs(at, start - at + minute * MINUTE_MS);
    if (isOpen(hours, candidate)) return candidate;
  }
  return undefined;
}

export function minutesOf(clock: string): number {
  const [hour, minute] = clock.split(':');
  return Number(hour) * 60 + Number(minute);
}

const formatOf = zoneFormats('en-CA', {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

function localTime(zone: string, at: Instant): LocalTime {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(at)
      .map((part) => [part.type, part.value]),
  );
  const date = `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`;
  const weekday = WEEKDAYS[new Date(`${date}T00:00:00Z`).getUTCDay()] ?? 'sun';
  return { date, weekday, minutes: Number(parts.get('hour')) * 60 + Number(parts.get('minute')) };
}
