import { describe, expect, it } from 'vitest';
import { toRfc3339 } from '../../core/time.ts';
import { endOfDay, parseDay, startOfDay } from './zone-day.ts';

describe('a day in a zone', () => {
  it.each([
    ['UTC', '2028-02-29', '2028-02-29T00:00:00.000Z', '2028-02-29T23:59:59.999Z'],
    ['America/New_York', '2027-03-14', '2027-03-14T05:00:00.000Z', '2027-03-15T03:59:59.999Z'],
    ['America/New_York', '2027-11-07', '2027-11-07T04:00:00.000Z', '2027-11-08T04:59:59.999Z'],
    // East of Greenwich the first guess lies behind the change of the same morning.
    ['Europe/Helsinki', '2027-03-28', '2027-03-27T22:00:00.000Z', '2027-03-28T20:59:59.999Z'],
    ['Europe/Helsinki', '2027-10-31', '2027-10-30T21:00:00.000Z', '2027-10-31T21:59:59.999Z'],
    // Midnight itself is skipped: the day begins at 01:00.
    ['America/Havana', '2024-03-10', '2024-03-10T05:00:00.000Z', '2024-03-11T03:59:59.999Z'],
    ['Pacific/Kiritimati', '2027-01-01', '2026-12-31T10:00:00.000Z', '2027-01-01T09:59:59.999Z'],
  ])('%s %s begins and ends', (zone, day, start, end) => {
    const ms = parseDay(day) ?? Number.NaN;
    expect([toRfc3339(startOfDay(ms, zone)), toRfc3339(endOfDay(ms, zone))]).toEqual([start, end]);
  });

  it.each(['2027-02-29', '2027-13-01', '2027-1-1', '20270101', '2027-01-01Z', ''])(
    '%j is no day',
    (text) => {
      expect(parseDay(text)).toBeUndefined();
    },
  );
});
