/** The last open moment at or before the end of a due day, by the portal's clock and over clock changes. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, type Day, dayOf, parseDay } from '../../src/calendar/day.ts';
import { endOfDay } from '../../src/calendar/office-time.ts';
import { addMs, instant, parseRfc3339 } from '../../src/core/time.ts';
import { isOpen } from '../../src/lanes/rules/hours.ts';
import type { OpeningHours, Weekday } from '../../src/core/profile.ts';
import { cutoffOf } from '../../src/entities/rules/law/cutoff.ts';

const EVERY_DAY: readonly Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const NEW_YORK: OpeningHours = {
  zone: 'America/New_York',
  weekly: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '06:00', to: '19:30' }],
  closedOn: ['2026-11-26', '2026-12-25', '2027-03-12'],
};
const DELAWARE: OpeningHours = {
  zone: 'America/New_York',
  weekly: [{ days: EVERY_DAY, from: '08:00', to: '23:45' }],
  closedOn: [],
};
const NIGHT: OpeningHours = {
  zone: 'America/New_York',
  weekly: [{ days: EVERY_DAY, from: '00:00', to: '01:30' }],
  closedOn: [],
};
const GAP: OpeningHours = {
  zone: 'America/New_York',
  weekly: [{ days: EVERY_DAY, from: '00:00', to: '02:30' }],
  closedOn: [],
};
const ALWAYS: OpeningHours = {
  zone: 'America/Los_Angeles',
  weekly: [{ days: EVERY_DAY, from: '00:00', to: '24:00' }],
  closedOn: [],
};
const TWO_SPANS: OpeningHours = {
  zone: 'America/Chicago',
  weekly: [
    { days: EVERY_DAY, from: '13:00', to: '17:00' },
    { days: EVERY_DAY, from: '08:00', to: '12:00' },
  ],
  closedOn: [],
};

function day(text: string): Day {
  const parsed = parseDay(text);
  if (parsed === undefined) throw new Error(`No day: ${text}`);
  return parsed;
}

describe('the cut-off', () => {
  it.each([
    [
      'of a Sunday in New York is Friday 19:30',
      NEW_YORK,
      '2027-01-31',
      '2027-01-29T19:30:00-05:00',
    ],
    [
      'of the Sunday on which the clocks go forward is Friday, in winter time',
      NEW_YORK,
      '2026-03-08',
      '2026-03-06T19:30:00-05:00',
    ],
    [
      'of the Monday after it is in summer time',
      NEW_YORK,
      '2026-03-09',
      '2026-03-09T19:30:00-04:00',
    ],
    [
      'of the Sunday on which the clocks go back is Friday, in summer time',
      NEW_YORK,
      '2026-11-01',
      '2026-10-30T19:30:00-04:00',
    ],
    [
      'of the Monday after it is in winter time',
      NEW_YORK,
      '2026-11-02',
      '2026-11-02T19:30:00-05:00',
    ],
    ['of a closed Thursday is Wednesday', NEW_YORK, '2026-11-26', '2026-11-25T19:30:00-05:00'],
    [
      'of a Sunday after a closed Friday is Thursday',
      NEW_YORK,
      '2026-12-27',
      '2026-12-24T19:30:00-05:00',
    ],
    [
      'of a change Sunday after a closed Friday is Thursday',
      NEW_YORK,
      '2027-03-14',
      '2027-03-11T19:30:00-05:00',
    ],
    [
      'on the day of 23 hours is 23:45 in summer time',
      DELAWARE,
      '2026-03-08',
      '2026-03-08T23:45:00-04:00',
    ],
    [
      'on the day of 25 hours is 23:45 in winter time',
      DELAWARE,
      '2026-11-01',
      '2026-11-01T23:45:00-05:00',
    ],
    [
      'in an hour that comes twice is the first one',
      NIGHT,
      '2026-11-01',
      '2026-11-01T01:30:00-04:00',
    ],
    ['in an ordinary night', NIGHT, '2026-11-02', '2026-11-02T01:30:00-05:00'],
    [
      'of a portal that never closes is the end of the day',
      ALWAYS,
      '2026-03-08',
      '2026-03-08T23:59:59-07:00',
    ],
    [
      'of a day with two spans is the later closing',
      TWO_SPANS,
      '2026-07-04',
      '2026-07-04T17:00:00-05:00',
    ],
  ])('%s', (_what, hours, due, expected) => {
    const cutoff = cutoffOf(day(due), { hours });
    expect(cutoff?.text).toBe(expected);
    // The text in local time and the instant are the same moment (midnight is written a second early).
    expect(Math.abs((parseRfc3339(expected) ?? 0) - (cutoff?.at ?? 0))).toBeLessThanOrEqual(1_000);
  });

  it('in an hour that is skipped lies before the gap', () => {
    const cutoff = cutoffOf(day('2026-03-08'), { hours: GAP });
    expect(cutoff?.at).toBeLessThanOrEqual(parseRfc3339('2026-03-08T02:00:00-05:00') ?? 0);
    expect(cutoff?.day).toBe(day('2026-03-08'));
  });

  it('does not exist for a portal that is never open', () => {
    expect(cutoffOf(day('2026-03-08'), { hours: { ...NEW_YORK, weekly: [] } })).toBeUndefined();
  });

  it('names the closed days between it and the due day', () => {
    expect(cutoffOf(day('2026-12-27'), { hours: NEW_YORK })?.closedDays).toEqual(
      ['2026-12-27', '2026-12-26', '2026-12-25'].map(day),
    );
  });

  it('is a closing: open the moment before it, closed from then to the end of the due day', () => {
    const first = dayOf(2026, 1, 1);
    fc.assert(
      fc.property(
        fc.constantFrom(NEW_YORK, DELAWARE, TWO_SPANS),
        fc.integer({ min: 0, max: 730 }),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        (hours, offset, part) => {
          const due = addDays(first, offset);
          const cutoff = cutoffOf(due, { hours });
          const end = endOfDay(due, hours.zone);
          if (cutoff === undefined) throw new Error('no cut-off');
          expect(cutoff.at).toBeLessThanOrEqual(end);
          expect(isOpen(hours, addMs(cutoff.at, -1))).toBe(true);
          const later = instant(cutoff.at + Math.floor((end - cutoff.at) * part));
          expect(isOpen(hours, later)).toBe(false);
        },
      ),
      { numRuns: 400 },
    );
  });
});
