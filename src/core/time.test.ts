import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addMs, instant, parseRfc3339, toRfc3339 } from './time.ts';

describe('instants', () => {
  it.each([
    ['1970-01-01T00:00:00Z', 0],
    ['2026-03-02T10:00:00-05:00', Date.UTC(2026, 2, 2, 15)],
    ['2024-02-29T12:00:00Z', Date.UTC(2024, 1, 29, 12)],
    ['2026-03-02T23:59:59.999Z', Date.UTC(2026, 2, 2, 23, 59, 59, 999)],
    ['2026-03-02T15:00:00.123456789Z', Date.UTC(2026, 2, 2, 15, 0, 0, 123)],
    ['2026-03-01T00:30:00+01:00', Date.UTC(2026, 1, 28, 23, 30)],
    ['2026-03-02T15:00:00-00:00', Date.UTC(2026, 2, 2, 15)],
  ])('are read from %s', (text, expected) => {
    expect(parseRfc3339(text)).toBe(expected);
  });

  it.each([
    ['a date alone', '2026-03-02'],
    ['no zone', '2026-03-02T15:00:00'],
    ['no seconds', '2026-03-02T15:00Z'],
    ['a blank for the T', '2026-03-02 15:00:00Z'],
    ['small letters', '2026-03-02t15:00:00z'],
    ['30 February', '2026-02-30T00:00:00Z'],
    ['29 February of a common year', '2026-02-29T00:00:00Z'],
    ['31 April', '2026-04-31T00:00:00Z'],
    ['month 13', '2026-13-01T00:00:00Z'],
    ['month 0', '2026-00-01T00:00:00Z'],
    ['day 0', '2026-01-00T00:00:00Z'],
    ['hour 24', '2026-03-02T24:00:00Z'],
    ['a leap second', '2026-12-31T23:59:60Z'],
    ['an offset of 25 hours', '2026-03-02T15:00:00+25:00'],
    ['an offset without a colon', '2026-03-02T15:00:00+0100'],
    ['ten digits of fraction', '2026-03-02T15:00:00.1234567890Z'],
    ['a line break at the end', '2026-03-02T15:00:00Z\n'],
    ['a five-digit year', '12026-03-02T15:00:00Z'],
    ['nothing', ''],
  ])('are not read from %s', (_what, text) => {
    expect(parseRfc3339(text)).toBeUndefined();
  });

  it('are written in UTC with exactly three digits of fraction', () => {
    expect(toRfc3339(instant(0))).toBe('1970-01-01T00:00:00.000Z');
    expect(toRfc3339(instant(Date.UTC(2026, 2, 2, 15, 0, 0, 7)))).toBe('2026-03-02T15:00:00.007Z');
  });

  it('survive being written and read', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }), (ms) => {
        expect(parseRfc3339(toRfc3339(instant(ms)))).toBe(ms);
      }),
    );
  });

  it('move by milliseconds', () => {
    expect(addMs(instant(1000), 500)).toBe(1500);
    expect(addMs(instant(1000), -500)).toBe(500);
  });
});
