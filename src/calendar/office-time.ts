/** Where instants become days and days become instants: the only place that knows time zones. */
import { Temporal } from 'temporal-polyfill';
import { type Instant, instant } from '../core/index.ts';
import { type Day, dayOf, formatDay } from './day.ts';

/** The instant that the text (RFC 3339 with an offset) names; undefined when it names none. */
export function parseInstant(text: string): Instant | undefined {
  try {
    return instant(Temporal.Instant.from(text).epochMilliseconds);
  } catch {
    // The parser's own words speak of its grammar; callers say what they expected.
    return undefined;
  }
}

// PCT Rule 80.4; 37 CFR 1.6(a)(4): the date is the one at the place where the office is.
export function dateAtOffice(at: Instant, zone: string): Day {
  const { year, month, day } = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
  return dayOf(year, month, day);
}

/** The first instant after that day in the zone; whatever arrives before it has arrived on the day or earlier. */
export function endOfDay(day: Day, zone: string): Instant {
  const next = Temporal.PlainDate.from(formatDay(day)).add({ days: 1 });
  return instant(next.toZonedDateTime(zone).epochMilliseconds);
}

/** Whether the runtime knows that IANA zone. */
export function isZone(zone: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone);
    return true;
  } catch {
    return false;
  }
}
