import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOpen, minutesOf, nextOpening } from './hours.ts';
import type { OpeningHours } from '../../core/profile.ts';
import { addMs, type Instant, instant, parseRfc3339, toRfc3339 } from '../../core/time.ts';

const NEW_YORK: OpeningHours = {
  zone: 'America/New_York',
  weekly: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '06:00', to: '19:30' }],
  closedOn: ['2026-12-25'],
};
const DELAWARE: OpeningHours = {
  zone: 'America/New_York',
  weekly: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '08:00', to: '23:45' }],
  closedOn: [],
};

function at(text: string): Instant {
  const parsed = parseRfc3339(text);
  if (parsed === undefined) throw new Error(`No instant: ${text}`);
  return parsed;
}

describe('opening hours', () => {
  it.each([
    ['Monday at the first minute', NEW_YORK, '2026-03-02T06:00:00-05:00', true],
    ['Monday a millisecond before', NEW_YORK, '2026-03-02T05:59:59.999-05:00', false],
    ['Friday in the last minute', NEW_YORK, '2026-03-06T19:29:59.999-05:00', true],
    ['Friday at the closing minute', NEW_YORK, '2026-03-06T19:30:00-05:00', false],
    ['Saturday noon', NEW_YORK, '2026-03-07T12:00:00-05:00', false],
    ['Sunday noon', NEW_YORK, '2026-03-08T12:00:00-04:00', false],
    ['Monday after the clocks went forward', NEW_YORK, '2026-03-09T06:00:00-04:00', true],
    ['the same wall time an hour before that', NEW_YORK, '2026-03-09T09:59:59Z', false],
    ['Friday before the clocks go back', NEW_YORK, '2026-10-30T10:00:00Z', true],
    ['Monday after the clocks went back, by summer time', NEW_YORK, '2026-11-02T10:00:00Z', false],
    ['Monday after the clocks went back', NEW_YORK, '2026-11-02T11:00:00Z', true],
    ['Monday evening in winter time', NEW_YORK, '2026-11-03T00:29:00Z', true],
    ['Friday that is Monday elsewhere', NEW_YORK, '2026-03-07T00:00:00Z', true],
    ['a closed Friday', NEW_YORK, '2026-12-25T12:00:00-05:00', false],
    ['the day before a closed day', NEW_YORK, '2026-12-24T12:00:00-05:00', true],
    ['a closed day that has already begun in UTC', NEW_YORK, '2026-12-25T00:15:00Z', true],
    ['Delaware late on a Sunday', DELAWARE, '2026-03-01T23:44:59-05:00', true],
    ['Delaware at the closing minute', DELAWARE, '2026-03-01T23:45:00-05:00', false],
    ['Delaware at midnight', DELAWARE, '2026-03-02T00:00:00-05:00', false],
    ['Delaware at eight', DELAWARE, '2026-03-02T08:00:00-05:00', true],
    ['Delaware on the day of 23 hours', DELAWARE, '2026-03-08T08:00:00-04:00', true],
    ['Delaware on the day of 25 hours, late', DELAWARE, '2026-11-01T23:44:00-05:00', true],
    ['Delaware on the day of 25 hours, closed', DELAWARE, '2026-11-01T23:45:00-05:00', false],
  ])('%s', (_when, hours, text, open) => {
    expect(isOpen(hours, at(text))).toBe(open);
  });

  it('of a portal without hours are always', () => {
    expect(isOpen(undefined, at('2026-12-25T03:00:00Z'))).toBe(true);
    expect(nextOpening(undefined, at('2026-12-25T03:00:00Z'))).toBe(at('2026-12-25T03:00:00Z'));
  });

  it.each([
    ['while open: now', NEW_YORK, '2026-03-02T12:34:56.789-05:00', '2026-03-02T17:34:56.789Z'],
    ['on Monday night: Tuesday', NEW_YORK, '2026-03-02T20:00:00-05:00', '2026-03-03T11:00:00.000Z'],
    [
      'on Friday evening: Monday, an hour earlier in UTC after the change',
      NEW_YORK,
      '2026-03-06T19:30:00-05:00',
      '2026-03-09T10:00:00.000Z',
    ],
    [
      'on Friday evening: Monday, an hour later in UTC after the change',
      NEW_YORK,
      '2026-10-30T19:30:00-04:00',
      '2026-11-02T11:00:00.000Z',
    ],
    [
      'before a closed Friday: Monday',
      NEW_YORK,
      '2026-12-24T19:30:00-05:00',
      '2026-12-28T11:00:00.000Z',
    ],
    [
      'within the second before opening',
      NEW_YORK,
      '2026-03-02T05:59:59.001-05:00',
      '2026-03-02T11:00:00.000Z',
    ],
    [
      'a quarter before midnight',
      DELAWARE,
      '2026-03-01T23:45:00-05:00',
      '2026-03-02T13:00:00.000Z',
    ],
    ['in the night of 23 hours', DELAWARE, '2026-03-08T01:59:00-05:00', '2026-03-08T12:00:00.000Z'],
    ['in the night of 25 hours', DELAWARE, '2026-11-01T01:30:00-04:00', '2026-11-01T13:00:00.000Z'],
  ])('open next %s', (_when, hours, text, expected) => {
    const opening = nextOpening(hours, at(text));
    expect(opening === undefined ? undefined : toRfc3339(opening)).toBe(expected);
  });

  it('have no next opening within the bound when the portal never opens', () => {
    expect(nextOpening({ ...NEW_YORK, weekly: [] }, at('2026-03-02T12:00:00Z'))).toBeUndefined();
  });

  it('open next at an open moment, not before now, with nothing open in between', () => {
    const moments = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) });
    fc.assert(
      fc.property(
        fc.constantFrom(NEW_YORK, DELAWARE),
        moments,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (hours, ms, part) => {
          const now = instant(ms);
          const opening = nextOpening(hours, now) ?? now;
          expect(isOpen(hours, opening)).toBe(true);
          expect(opening).toBeGreaterThanOrEqual(now);
          const between = addMs(now, Math.floor((opening - now) * part));
          expect(isOpen(hours, between)).toBe(between === opening);
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([
    ['00:00', 0],
    ['06:00', 360],
    ['19:30', 1170],
    ['24:00', 1440],
  ])('%s is minute %i of the day', (text, minutes) => {
    expect(minutesOf(text)).toBe(minutes);
  });
});
