import { assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCurrency, readDecimal, readMinorUnits } from './money.ts';

const PLACE = { line: 7, column: 3 };

describe('decimal text', () => {
  it.each([
    ['125000.00', 'USD', 12_500_000],
    ['0.29', 'USD', 29],
    ['1.1', 'USD', 110],
    ['200000', 'SEK', 20_000_000],
    ['2700', 'JPY', 2700],
    ['1.005', 'KWD', 1005],
    ['-20.01', 'USD', -2001],
    ['+5', 'USD', 500],
    ['-0.00', 'USD', 0],
    ['9999999999999.99', 'USD', 999_999_999_999_999],
    ['27.00000', 'USD', 2700],
    ['27.01000', 'USD', 2701],
    ['2700.00', 'JPY', 2700],
  ])('%s %s is %i minor units', (text, currency, cents) => {
    expect(readDecimal({ text, currency, mark: '.' }, PLACE)).toBe(cents);
  });

  it.each([
    ['27.00001', 'USD', 'at most 2 decimals'],
    ['27.00100', 'USD', 'at most 2 decimals'],
    ['0.001', 'USD', 'at most 2 decimals'],
    ['2700.5', 'JPY', 'at most 0 decimals'],
    ['1.0005', 'KWD', 'at most 3 decimals'],
    ['1,50', 'USD', 'a decimal amount'],
    ['1,000.00', 'USD', 'a decimal amount'],
    ['1e3', 'USD', 'a decimal amount'],
    ['NaN', 'USD', 'a decimal amount'],
    ['', 'USD', 'a decimal amount'],
    ['.5', 'USD', 'a decimal amount'],
    ['--5', 'USD', 'a decimal amount'],
    ['0x10', 'USD', 'a decimal amount'],
    ['٣', 'USD', 'a decimal amount'],
    ['10000000000000.00', 'USD', 'at most fifteen digits'],
  ])('%j %s is refused with its place', (text, currency, reason) => {
    expect(() => readDecimal({ text, currency, mark: '.' }, PLACE)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(reason),
        details: expect.objectContaining({ line: 7, column: 3 }),
      }),
    );
  });

  it('every amount of cents is read back exactly', () => {
    assert(
      property(integer({ min: 0, max: 999_999_999_999_999 }), (cents) => {
        const digits = String(cents).padStart(3, '0');
        const text = `${digits.slice(0, -2)}.${digits.slice(-2)}`;
        expect(readDecimal({ text, currency: 'USD', mark: '.' }, PLACE)).toBe(cents);
        expect(readMinorUnits(`-${cents}`, PLACE)).toBe(cents === 0 ? 0 : -cents);
      }),
    );
  });
});

it('a currency is three capital letters', () => {
  expect(readCurrency('USD', PLACE)).toBe('USD');
  for (const text of ['usd', 'US', 'USDX', '', '840', 'constructor']) {
    expect(() => readCurrency(text, PLACE)).toThrow('three capital letters');
  }
});
