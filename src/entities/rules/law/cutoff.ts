/**
 * The last moment at which a portal still takes a filing on or before its due day. "Due by 23:59" is wrong where the
 * portal closes earlier: a Sunday due date in New York ends on Friday at 19:30.
 */
import {
  addDays,
  type Day,
  formatDay,
  isWeekend,
  type OfficeCalendar,
  weekdayOf,
} from '../../../calendar/index.ts';
import {
  instant,
  type Instant,
  invariant,
  type OpeningHours,
  type Weekday,
} from '../../../core/index.ts';
import { isOpen, minutesOf } from '../../../lanes/index.ts';
import { parseDay as midnightUtc, startOfDay } from '../zone-day.ts';

interface PortalHours {
  readonly hours: OpeningHours;
  /** Holidays on which the portal is closed; projected ones count, since an earlier cut-off is the safe one. */
  readonly holidays?: OfficeCalendar;
}

export interface Cutoff {
  readonly at: Instant;
  /** The day in the portal's zone. */
  readonly day: Day;
  /** RFC 3339 in the portal's own time. */
  readonly text: string;
  readonly zone: string;
  /** Closed days between the cut-off and the due day, the due day included. */
  readonly closedDays: readonly Day[];
}

const WEEKDAYS: readonly Weekday[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MINUTES_PER_DAY = 1440;
const MINUTE_MS = 60_000;
/** As in core/hours.ts: a portal closed for longer is a profile error. */
const SEARCH_DAYS_MAX = 15;

/** Undefined when the portal was not open at all in the days before. */
export function cutoffOf(due: Day, portal: PortalHours): Cutoff | undefined {
  const closedDays: Day[] = [];
  for (let back = 0; back < SEARCH_DAYS_MAX; back += 1) {
    const day = addDays(due, -back);
    const closing = closingMinute(day, portal);
    if (closing !== undefined) {
      const at = instantOf(day, closing, portal.hours.zone);
      return { at, day, text: localText(day, closing, at), zone: portal.hours.zone, closedDays };
    }
    closedDays.push(day);
  }
  return undefined;
}

function closingMinute(day: Day, { hours, holidays }: PortalHours): number | undefined {
  if (hours.closedOn.includes(formatDay(day))) return undefined;
  // The weekly hours decide about weekends; the calendar only about holidays.
  if (holidays !== undefined && !isWeekend(day) && holidays.closedOn(day) !== undefined) {
    return undefined;
  }
  const weekday = WEEKDAYS[weekdayOf(day)];
  const closings = hours.weekly
    .filter((span) => weekday !== undefined && span.days.includes(weekday))
    .map((span) => minutesOf(span.to));
  return closings.length === 0 ? undefined : Math.max(...closings);
}

/** When that wall-clock minute comes; the first of two when the clock is put back, before the gap when it is put on. */
function instantOf(day: Day, minute: number, zone: string): Instant {
  const start = startOfDay(utcMs(day), zone);
  const end = startOfDay(utcMs(addDays(day, 1)), zone);
  const fromStart = instant(start + minute * MINUTE_MS);
  const fromEnd = instant(end - (MINUTES_PER_DAY - minute) * MINUTE_MS);
  if (fromStart === fromEnd || minute === MINUTES_PER_DAY) return fromEnd;
  const shows = [fromStart, fromEnd].filter((at) => showsMinute(zone, minute, at));
  return instant(Math.min(...(shows.length > 0 ? shows : [fromStart, fromEnd])));
}

/** Asks the runtime's clock rules: a portal open for just that minute is open at that moment. */
function showsMinute(zone: string, minute: number, at: Instant): boolean {
  const span = { days: WEEKDAYS, from: clock(minute), to: clock(minute + 1) };
  return isOpen({ zone, weekly: [span], closedOn: [] }, at);
}

function localText(day: Day, minute: number, at: Instant): string {
  const offset = Math.round((utcMs(day) + minute * MINUTE_MS - at) / MINUTE_MS);
  // Midnight at the end of the day would read as the day after.
  const time = minute === MINUTES_PER_DAY ? '23:59:59' : `${clock(minute)}:00`;
  return `${formatDay(day)}T${time}${offset < 0 ? '-' : '+'}${clock(Math.abs(offset))}`;
}

function clock(minutes: number): string {
  const hour = Math.floor(minutes / 60);
  return `${String(hour).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

function utcMs(day: Day): number {
  const ms = midnightUtc(formatDay(day));
  invariant(ms !== undefined, 'Expected a calendar day to be a day.');
  return ms;
}
