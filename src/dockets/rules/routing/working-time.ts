/** Time that counts only while an office works. */
import {
  addDays,
  dateAtOffice,
  type Day,
  endOfDay,
  type OfficeCalendar,
} from '../../../calendar/index.ts';
import { addMs, type Instant, instant } from '../../../core/index.ts';

interface WorkingDay {
  readonly fromMinute: number;
  readonly toMinute: number;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
/** Longer than a person should ever have; a short working day, or an office that never opens, would search on for years. */
const SEARCH_DAYS_MAX = 120;

/**
 * The moment at which the office has worked `ms` since `from`, or the end of the search: a timer must end, and the router
 * with its other dockets must not fail over one matrix. Only verified closings stop the clock: a guess must not.
 */
export function addWorkingMs(
  from: Instant,
  ms: number,
  office: { readonly calendar: OfficeCalendar; readonly workingDay: WorkingDay },
): Instant {
  let left = ms;
  let day = dateAtOffice(from, office.calendar.zone);
  for (let count = 0; count < SEARCH_DAYS_MAX; count += 1) {
    const span = workingSpan(day, office);
    if (span !== undefined && span.to > from) {
      const start = Math.max(from, span.from);
      if (start + left <= span.to) return instant(start + left);
      left -= span.to - start;
    }
    day = addDays(day, 1);
  }
  return addMs(from, SEARCH_DAYS_MAX * DAY_MINUTES * MINUTE_MS);
}

/** Undefined when the office is closed that day. */
function workingSpan(
  day: Day,
  office: { readonly calendar: OfficeCalendar; readonly workingDay: WorkingDay },
): { readonly from: Instant; readonly to: Instant } | undefined {
  if (office.calendar.closedOn(day)?.standing === 'verified') return undefined;
  // Counted back from midnight at the end: clocks change in the small hours, so the rest of the day has its usual length.
  const end = midnightAfter(day, office.calendar.zone);
  const { fromMinute, toMinute } = office.workingDay;
  return {
    from: instant(end - (DAY_MINUTES - fromMinute) * MINUTE_MS),
    to: instant(end - (DAY_MINUTES - toMinute) * MINUTE_MS),
  };
}

/** Zone arithmetic is slow and the same few days are asked again and again. */
const MIDNIGHTS_MAX = 2_000;
const midnights = new Map<string, Instant>();

function midnightAfter(day: Day, zone: string): Instant {
  const key = `${zone} ${day}`;
  const known = midnights.get(key);
  if (known !== undefined) return known;
  const found = endOfDay(day, zone);
  if (midnights.size >= MIDNIGHTS_MAX) midnights.clear();
  midnights.set(key, found);
  return found;
}
