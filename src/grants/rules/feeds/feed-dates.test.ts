import { describe, expect, it } from 'vitest';
import { type Day, formatDay, parseDay } from '../../../calendar/day.ts';
import {
  readDayOfYear,
  readIsoDate,
  readMonthDay,
  readOfxDate,
  readShortDate,
} from './feed-dates.ts';

const PLACE = { line: 1, column: 1 };

function day(text: string): Day {
  const parsed = parseDay(text);
  if (parsed === undefined) throw new Error(`Expected a day, found ${text}.`);
  return parsed;
}

describe('dates of the formats', () => {
  it.each([
    ['260302', '2026-03-02'],
    ['991231', '1999-12-31'],
    ['800101', '1980-01-01'],
    ['791231', '2079-12-31'],
    ['240229', '2024-02-29'],
  ])('%s without a century is %s', (text, expected) => {
    expect(formatDay(readShortDate(text, PLACE))).toBe(expected);
  });

  it.each([
    ['0102', '2025-12-31', '2026-01-02'],
    ['1231', '2026-01-02', '2025-12-31'],
    ['0302', '2026-03-02', '2026-03-02'],
    ['0229', '2024-02-28', '2024-02-29'],
  ])('%s near %s is %s', (text, near, expected) => {
    expect(formatDay(readMonthDay(text, day(near), PLACE))).toBe(expected);
  });

  it.each([
    ['061', '2026-03-01', '2026-03-02'],
    ['001', '2025-12-31', '2026-01-01'],
    ['366', '2024-12-30', '2024-12-31'],
  ])('day %s of the year near %s is %s', (text, near, expected) => {
    expect(formatDay(readDayOfYear(text, day(near), PLACE))).toBe(expected);
  });

  it.each([
    ['20260302', '2026-03-02'],
    ['20260302120000', '2026-03-02'],
    ['20260302120000[0:GMT]', '2026-03-02'],
    ['20260302235959.999[-5:EST]', '2026-03-02'],
    ['20260302000000[+5.5:IST]', '2026-03-02'],
    ['20260302120000[-3]', '2026-03-02'],
  ])('OFX %s is the bank’s own day %s', (text, expected) => {
    expect(formatDay(readOfxDate(text, PLACE))).toBe(expected);
  });

  it.each([
    ['2026-03-02', '2026-03-02'],
    ['2026-03-02+01:00', '2026-03-02'],
    ['2007-10-18T23:59:59.5-05:00', '2007-10-18'],
    ['2026-03-20T21:00:00Z', '2026-03-20'],
  ])('ISO %s is %s', (text, expected) => {
    expect(formatDay(readIsoDate(text, PLACE))).toBe(expected);
  });

  it('a day that does not exist is refused in every form', () => {
    expect(() => readShortDate('260230', PLACE)).toThrow('a valid date');
    expect(() => readShortDate('2603', PLACE)).toThrow('a valid date');
    expect(() => readMonthDay('0230', day('2026-03-01'), PLACE)).toThrow('a valid date');
    expect(() => readMonthDay('0229', day('2026-03-01'), PLACE)).toThrow('a valid date');
    expect(() => readOfxDate('20261301', PLACE)).toThrow('a valid date');
    expect(() => readOfxDate('20260302[EST]', PLACE)).toThrow('a valid date');
    expect(() => readIsoDate('2026-02-30', PLACE)).toThrow('a valid date');
    expect(() => readIsoDate('02/03/2026', PLACE)).toThrow('a valid date');
    expect(() => readDayOfYear('000', day('2026-03-01'), PLACE)).toThrow('a valid date');
    expect(() => readDayOfYear('366', day('2026-06-01'), PLACE)).toThrow('a valid date');
  });
});
