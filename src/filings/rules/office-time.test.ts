import { describe, expect, it } from 'vitest';
import { parseRfc3339 } from '../../core/index.ts';
import { readOfficeTime, readSheetTime } from './office-time.ts';

const ZONE = 'America/New_York';
const at = (text: string) => parseRfc3339(text);

describe('a time at the office', () => {
  it.each([
    ['2027-03-01 14:05', '2027-03-01T19:05:00Z'],
    ['2027-07-01 00:00', '2027-07-01T04:00:00Z'],
    ['2027-03-01T14:05:00-05:00', '2027-03-01T19:05:00Z'],
    // Twice that night: the earlier.
    ['2027-11-07 01:30', '2027-11-07T05:30:00Z'],
    ['2027-11-07 02:30', '2027-11-07T07:30:00Z'],
    ['2027-03-14 03:00', '2027-03-14T07:00:00Z'],
  ])('%s is %s', (text, instant) => {
    expect(readOfficeTime(text, ZONE)).toBe(at(instant));
  });

  it.each(['2027-03-14 02:30', '2027-02-30 10:00', '3/1/2027 2 pm', '2027-03-01', ''])(
    '%s is none',
    (text) => expect(readOfficeTime(text, ZONE)).toBeUndefined(),
  );
});

describe('a time at the office in a table', () => {
  it.each([
    ['3/13/2027 14:05', undefined, '2027-03-13T19:05:00Z'],
    ['3/13/2027 2:05 PM', undefined, '2027-03-13T19:05:00Z'],
    ['13/3/2027 12:05 a.m.', undefined, '2027-03-13T05:05:00Z'],
    ['3/3/2027 9:05:59', undefined, '2027-03-03T14:05:00Z'],
    ['3/1/2027 14:05', 'month-first', '2027-03-01T19:05:00Z'],
    ['3/1/2027 14:05', 'day-first', '2027-01-03T19:05:00Z'],
    ['2027-03-01T14:05:30', undefined, '2027-03-01T19:05:00Z'],
    [' 2027-03-01 14:05 ', undefined, '2027-03-01T19:05:00Z'],
  ] as const)('%s (%s) is %s', (text, order, instant) => {
    expect(readSheetTime(text, ZONE, order)).toBe(at(instant));
  });

  it('is asked about where both numbers may be the month', () => {
    expect(readSheetTime('3/1/2027 14:05', ZONE, undefined)).toBe('either order');
  });

  it.each([
    '3/1/2027',
    '13/13/2027 10:00',
    '3/1/2027 13:05 PM',
    '3/1/2027 25:00',
    '2/30/2027 10:00',
  ])('%s is none', (text) => expect(readSheetTime(text, ZONE, 'month-first')).toBeUndefined());
});
