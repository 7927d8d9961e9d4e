/** Periods, amounts and names of figures as people write them. */
import { assert, bigInt, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reportOf } from '../../src/grants/acts/report-tables.ts';
import { dollars, readOrganization, readPeriod } from '../../src/cli/commands/grants-arguments.ts';

describe('a period', () => {
  it.each([
    ['2026', '2026-01-01', '2026-12-31'],
    ['2026-Q1', '2026-01-01', '2026-03-31'],
    ['2026-Q4', '2026-10-01', '2026-12-31'],
    ['2026-02', '2026-02-01', '2026-02-28'],
    ['2028-02', '2028-02-01', '2028-02-29'],
    ['2026-12', '2026-12-01', '2026-12-31'],
    ['2025-07-01..2026-06-30', '2025-07-01', '2026-06-30'],
    ['2026-05-05..2026-05-05', '2026-05-05', '2026-05-05'],
  ])('%s is %s to %s', (text, from, to) => {
    expect(readPeriod(text)).toEqual({ from, to });
  });

  it.each([
    '',
    '26',
    '2026-13',
    '2026-00',
    '2026-Q0',
    '2026-q1',
    '2026-02-30..2026-03-01',
    '2026-03-01..2026-02-01',
    '2026-01-01',
    '2026 ',
  ])('"%s" is none', (text) => {
    expect(() => readPeriod(text)).toThrow(/[Ee]xpected a (?:period|day) like/);
  });

  it('the quarters of a year follow on each other without a gap', () => {
    assert(
      property(integer({ min: 1990, max: 2100 }), integer({ min: 1, max: 3 }), (year, q) => {
        const { to } = readPeriod(`${year}-Q${q}`);
        const { from } = readPeriod(`${year}-Q${q + 1}`);
        expect(Date.parse(from) - Date.parse(to)).toBe(86_400_000);
      }),
    );
  });
});

describe('amounts', () => {
  it.each([
    [0, '0.00'],
    [5, '0.05'],
    [-5, '-0.05'],
    [123, '1.23'],
    [100_000, '1,000.00'],
    ['99999999999999999999', '999,999,999,999,999,999.99'],
  ])('%s cents are %s', (cents, text) => {
    expect(dollars(cents)).toBe(text);
  });

  it('lose no cent on the way to the eye', () => {
    assert(
      property(bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (cents) => {
        expect(BigInt(dollars(cents).replaceAll(/[,.]/g, ''))).toBe(cents);
      }),
    );
  });
});

describe('names', () => {
  it.each([
    ['IRS990/GovernmentGrantsAmt', '990'],
    ['IRS990ScheduleI/251234567/CashGrantAmt', 'schedule-i'],
    ['SF425/10a', 'sf425'],
    ['SEFA/84.287/expended', 'sefa'],
  ])('%s stands in the report %s', (figure, kind) => {
    expect(reportOf(figure)).toBe(kind);
  });

  it('nowhere is said, not left out', () => {
    const fiscalYearEnd = '12-31';
    expect(readOrganization({ states: ['none'], fiscalYearEnd }).states).toEqual([]);
    expect(readOrganization({ states: ['PA,NC'], fiscalYearEnd }).states).toEqual(['PA', 'NC']);
    for (const states of [[], [''], ['none', 'PA'], ['pa']]) {
      expect(() => readOrganization({ states, fiscalYearEnd })).toThrow(/--states/);
    }
    for (const wrong of ['13-01', '02-30', '04-31', '6-30', '12-31 ', '']) {
      const own = { states: ['PA'], fiscalYearEnd: wrong };
      expect(() => readOrganization(own), wrong).toThrow(/fiscal/);
    }
    for (const right of ['02-28', '02-29', '06-30']) {
      const own = { states: ['PA'], fiscalYearEnd: right };
      expect(readOrganization(own).fiscalYearEnd).toBe(right);
    }
  });
});
