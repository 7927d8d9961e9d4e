import { describe, expect, it } from 'vitest';
import { parseRfc3339 } from '../../core/index.ts';
import { readOfficeTime } from './office-time.ts';

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
