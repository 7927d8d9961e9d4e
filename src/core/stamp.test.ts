import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasStamp, stampWaitMs } from './stamp.ts';
import { instant } from './time.ts';

const NOW = instant(Date.UTC(2026, 2, 2, 15, 0, 0));
const IN_TWO_MINUTES_S = NOW / 1000 + 120;

describe('a wait that a portal asks for', () => {
  it.each([
    ['a distance in seconds', '120', 120_000],
    ['a distance with surrounding blanks', ' 120 ', 120_000],
    ['a fraction of a second', '0.25', 250],
    ['less than a millisecond, rounded up', '0.0001', 1],
    ['a distance of almost 31 years', '999999999', 999_999_999_000],
    ['seconds since the epoch', String(IN_TWO_MINUTES_S), 120_000],
    ['seconds since the epoch with a fraction', `${IN_TWO_MINUTES_S}.5`, 120_500],
    ['milliseconds since the epoch', String(IN_TWO_MINUTES_S * 1000), 120_000],
    ['an IMF-fixdate', 'Mon, 02 Mar 2026 15:02:00 GMT', 120_000],
    ['a date with an offset', 'Mon, 02 Mar 2026 10:02:00 -0500', 120_000],
    ['a date in Eastern time', 'Mon, 2 Mar 2026 10:02:00 EST', 120_000],
    ['a date that says UTC', 'Mon, 02 Mar 2026 15:02:00 UTC', 120_000],
    ['the longer of two numbers', '60, 120', 120_000],
    ['one number twice', '120, 120', 120_000],
    ['the one of two that makes sense', 'soon,120', 120_000],
    [
      'the later of two dates',
      'Mon, 02 Mar 2026 15:02:00 GMT, Monday, 02-Mar-26 15:01:00 GMT',
      120_000,
    ],
    ['a number beside a date', '30, Mon, 02 Mar 2026 15:02:00 GMT', 120_000],
    ['an RFC 850 date', 'Monday, 02-Mar-26 15:02:00 GMT', 120_000],
    ['an asctime date, which is GMT', 'Mon Mar  2 15:02:00 2026', 120_000],
    ['RFC 3339 in UTC', '2026-03-02T15:02:00Z', 120_000],
    ['RFC 3339 with an offset', '2026-03-02T10:02:00-05:00', 120_000],
    [
      'the end of the year 9999',
      'Fri, 31 Dec 9999 23:59:59 GMT',
      Date.UTC(9999, 11, 31, 23, 59, 59) - NOW,
    ],
    ['a number of sixteen nines', '9999999999999999', Number('9999999999999999') - NOW],
  ])('is read from %s', (_form, text, waitMs) => {
    expect(stampWaitMs({ 'retry-after': text }, NOW)).toBe(waitMs);
    expect(stampWaitMs({ 'x-ratelimit-reset': text }, NOW)).toBe(waitMs);
  });

  it.each([
    ['nothing', ''],
    ['blanks', '   '],
    ['zero', '0'],
    ['zero with a fraction', '0.0'],
    ['a negative number', '-5'],
    ['a number with a plus', '+120'],
    ['an exponent', '1e5'],
    ['hexadecimal', '0x78'],
    ['seventeen digits', '99999999999999999'],
    ['two that make no sense', 'soon, -5'],
    ['a unit', '120s'],
    ['words with a number', 'wait 300'],
    ['words with a year', 'soon 2099'],
    ['a bare far year in words', 'year 9999'],
    ['a date without a time', '2026-03-03'],
    ['a local date-time without a zone', '2026-03-03T00:00:00'],
    ['a date in a zone that no standard names', 'Mon, 02 Mar 2026 15:02:00 LMT'],
    ['a date without a zone', 'Mon, 02 Mar 2026 15:02:00'],
    ['a day that does not exist', '2026-02-30T00:00:00Z'],
    ['an hour that does not exist', 'Mon, 02 Mar 2026 25:02:00 GMT'],
    ['the past as a date', 'Mon, 02 Mar 2026 14:59:59 GMT'],
    ['the past in seconds', String(NOW / 1000 - 1)],
    ['the past in milliseconds', String(NOW - 1)],
    ['this very moment', String(NOW / 1000)],
    ['NaN', 'NaN'],
    ['Infinity', 'Infinity'],
    ['a page', '<html>429</html>'],
  ])('is not read from %s, so our own rule decides', (_form, text) => {
    expect(stampWaitMs({ 'retry-after': text }, NOW)).toBeUndefined();
  });

  it('is absent without a stamp', () => {
    expect(stampWaitMs({}, NOW)).toBeUndefined();
  });

  it('comes from Retry-After where both stamps make sense', () => {
    expect(stampWaitMs({ 'retry-after': '10', 'x-ratelimit-reset': '99' }, NOW)).toBe(10_000);
  });

  it('comes from X-RateLimit-Reset where Retry-After makes no sense', () => {
    expect(stampWaitMs({ 'retry-after': 'later', 'x-ratelimit-reset': '99' }, NOW)).toBe(99_000);
  });

  it('is a positive whole number of milliseconds or absent, whatever the portal writes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.double().map(String),
          fc.date({ noInvalidDate: true }).map(String),
        ),
        (text) => {
          const waitMs = stampWaitMs({ 'retry-after': text }, NOW);
          expect(waitMs === undefined || (Number.isInteger(waitMs) && waitMs > 0)).toBe(true);
        },
      ),
    );
  });

  it.each([
    [{}, false],
    [{ 'retry-after': '' }, true],
    [{ 'retry-after': 'nonsense' }, true],
    [{ 'x-ratelimit-reset': '5' }, true],
    [{ 'x-ratelimit-remaining': '0' }, false],
  ])('has a stamp: %j is %s', (headers, expected) => {
    expect(hasStamp(headers)).toBe(expected);
  });
});
