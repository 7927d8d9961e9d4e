/** The worst bug: a duty of one day shown as the next day, or a clock without its zone. */
import { describe, expect, it } from 'vitest';
import { shownDollars } from './shown-money.ts';
import { shownDay, shownDayAt, shownMoment, shownTime, shownWeekDay } from './shown-time.ts';
import { instant } from './time.ts';

const at = (text: string) => instant(Date.parse(text));

describe('a time for people', () => {
  it.each([
    ['2027-03-02T04:59:59.999Z', 'America/New_York', 'Mar 1, 2027, 11:59 p.m. ET'],
    ['2027-07-01T03:59:00Z', 'America/New_York', 'Jun 30, 2027, 11:59 p.m. ET'],
    ['2028-01-01T05:59:59.999Z', 'America/Chicago', 'Dec 31, 2027, 11:59 p.m. CT'],
    ['2027-01-01T06:59:59.999Z', 'America/Boise', 'Dec 31, 2026, 11:59 p.m. MT'],
    ['2027-01-01T06:59:59.999Z', 'America/Phoenix', 'Dec 31, 2026, 11:59 p.m. MST'],
    ['2027-01-01T07:59:59.999Z', 'America/Los_Angeles', 'Dec 31, 2026, 11:59 p.m. PT'],
    ['2027-01-01T08:59:59.999Z', 'America/Anchorage', 'Dec 31, 2026, 11:59 p.m. AKT'],
    ['2027-01-01T09:59:59.999Z', 'Pacific/Honolulu', 'Dec 31, 2026, 11:59 p.m. HT'],
    ['2027-01-01T03:59:59.999Z', 'America/Puerto_Rico', 'Dec 31, 2026, 11:59 p.m. AST'],
    ['2027-01-15T22:59:59.999Z', 'Europe/Berlin', 'Jan 15, 2027, 11:59 p.m. CET'],
    ['2027-07-15T21:59:59.999Z', 'Europe/Berlin', 'Jul 15, 2027, 11:59 p.m. CEST'],
    ['2027-01-15T14:59:59.999Z', 'Asia/Tokyo', 'Jan 15, 2027, 11:59 p.m. JST'],
    ['2027-01-15T00:00:00Z', 'UTC', 'Jan 15, 2027, 12:00 a.m. UTC'],
    ['2027-01-15T12:00:00Z', 'Etc/UTC', 'Jan 15, 2027, 12:00 p.m. UTC'],
    ['2027-01-15T12:00:00Z', 'Asia/Kolkata', 'Jan 15, 2027, 5:30 p.m. IST'],
    // One name for two hours of that night: here the zone says which.
    ['2027-11-07T05:30:00Z', 'America/New_York', 'Nov 7, 2027, 1:30 a.m. EDT'],
    ['2027-11-07T06:30:00Z', 'America/New_York', 'Nov 7, 2027, 1:30 a.m. EST'],
    ['2027-11-07T07:30:00Z', 'America/New_York', 'Nov 7, 2027, 2:30 a.m. ET'],
    ['2027-03-14T07:00:00Z', 'America/New_York', 'Mar 14, 2027, 3:00 a.m. ET'],
  ])('%s in %s is %s', (text, zone, shown) => {
    expect(shownTime(at(text), zone)).toBe(shown);
  });

  it('of what happened has seconds, and of nothing is a dash', () => {
    const zone = 'America/New_York';
    expect(shownMoment(at('2027-03-01T19:05:07.2Z'), zone)).toBe('Mar 1, 2027, 2:05:07 p.m. ET');
    expect([shownMoment(undefined, zone), shownTime(undefined, zone)]).toEqual(['-', '-']);
  });

  it('has no byte that a terminal may lack', () => {
    for (const zone of Intl.supportedValuesOf('timeZone')) {
      const text = shownTime(at('2027-11-07T06:30:00Z'), zone);
      expect(text).toMatch(
        /^Nov \d, 2027, \d{1,2}:\d\d [ap]\.m\. (?:[A-Z][A-Za-z]{1,4}|GMT[+-][\d:]+)$/,
      );
    }
  });
});

it('a day needs no zone, and what is none is shown as it came', () => {
  expect([shownDay('2027-03-01'), shownWeekDay('2027-03-01')]).toEqual([
    'Mar 1, 2027',
    'Mon, Mar 1, 2027',
  ]);
  expect(shownDay('03/01/2027')).toBe('03/01/2027');
  expect(shownDayAt(at('2027-03-02T04:59:59.999Z'), 'America/New_York')).toBe('Mar 1, 2027');
});

it.each([
  [22_500, '$225.00'],
  [0, '$0.00'],
  [-305, '-$3.05'],
  ['123456789012345678901', '$1,234,567,890,123,456,789.01'],
  [7n, '$0.07'],
])('%s cents are %s', (cents, shown) => {
  expect(shownDollars(cents)).toBe(shown);
});
