import { describe, expect, it } from 'vitest';
import { type Day, formatDay, parseDay } from '../../calendar/day.ts';
import { fiscalYearsBetween, readYearEnd } from './fiscal-year.ts';

function day(text: string): Day {
  const found = parseDay(text);
  if (found === undefined) throw new Error(`${text} is no day`);
  return found;
}

function years(end: string, first: string, last: string): string[] {
  const yearEnd = readYearEnd(end);
  if (yearEnd === undefined) throw new Error(`${end} is no end of a year`);
  return fiscalYearsBetween(yearEnd, day(first), day(last)).map(
    (year) => `${formatDay(year.start)}..${formatDay(year.end)}`,
  );
}

describe('fiscal years', () => {
  it('begin on the day after the last one, whatever the month', () => {
    expect(years('12-31', '2026-01-01', '2026-12-31')).toEqual(['2026-01-01..2026-12-31']);
    expect(years('06-30', '2026-01-01', '2026-12-31')).toEqual([
      '2025-07-01..2026-06-30',
      '2026-07-01..2027-06-30',
    ]);
    expect(years('06-30', '2026-06-30', '2026-06-30')).toEqual(['2025-07-01..2026-06-30']);
    expect(years('06-30', '2026-07-01', '2026-07-01')).toEqual(['2026-07-01..2027-06-30']);
  });

  it.each(['02-28', '02-29'])('that end on %s end with February, in leap years as well', (end) => {
    expect(years(end, '2027-02-28', '2028-03-01')).toEqual([
      '2026-03-01..2027-02-28',
      '2027-03-01..2028-02-29',
      '2028-03-01..2029-02-28',
    ]);
    // 29 February belongs to the year that ends on it.
    expect(years(end, '2028-02-29', '2028-02-29')).toEqual(['2027-03-01..2028-02-29']);
  });

  it.each(['', '6-30', '13-01', '00-10', '12-32', '12-31 '])('%j is no end of one', (text) => {
    expect(readYearEnd(text)).toBeUndefined();
  });
});
