/** Exact figures: a numerator and a positive denominator. Tax brackets are decided by one unit in the sixth decimal. */
import { badCase, type FilewrightError, trimEndOf } from '../../../core/index.ts';

export interface Exact {
  readonly n: bigint;
  readonly d: bigint;
}

/** More digits than any balance sheet has; a longer figure is a typing mistake and would only cost time. */
const DIGITS_MAX = 40;
/** A double holds every decimal of this many digits exactly enough to be printed back as it was written. */
const NUMBER_DIGITS_MAX = 15;
const DECIMAL = /^(\d+)(?:\.(\d+))?$/;
const PRINTED_NUMBER = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

export const ZERO: Exact = { n: 0n, d: 1n };

export function whole(value: bigint | number): Exact {
  return { n: BigInt(value), d: 1n };
}

export function add(a: Exact, b: Exact): Exact {
  return a.d === b.d ? { n: a.n + b.n, d: a.d } : { n: a.n * b.d + b.n * a.d, d: a.d * b.d };
}

export function subtract(a: Exact, b: Exact): Exact {
  return add(a, { n: -b.n, d: b.d });
}

export function times(a: Exact, b: Exact): Exact {
  return { n: a.n * b.n, d: a.d * b.d };
}

/** The divisor is above zero. */
export function over(a: Exact, b: Exact): Exact {
  return { n: a.n * b.d, d: a.d * b.n };
}

/** Below zero, zero or above zero, as a is less than, equal to or greater than b. */
export function compare(a: Exact, b: Exact): number {
  const difference = a.n * b.d - b.n * a.d;
  return difference < 0n ? -1 : Number(difference > 0n);
}

export function least(a: Exact, b: Exact): Exact {
  return compare(b, a) < 0 ? b : a;
}

export function greatest(a: Exact, b: Exact): Exact {
  return compare(b, a) > 0 ? b : a;
}

/** The smallest whole number that is not below. */
export function roundUp(a: Exact): bigint {
  return -floorDivide(-a.n, a.d);
}

export function roundHalfUp(a: Exact, decimals: number): Exact {
  const scale = 10n ** BigInt(decimals);
  return { n: floorDivide(2n * a.n * scale + a.d, 2n * a.d), d: scale };
}

/** Dollars and cents, half up. */
export function moneyText(a: Exact): string {
  return fixedText(a, 2);
}

export function fixedText(a: Exact, decimals: number): string {
  const { n } = roundHalfUp(a, decimals);
  const digits = String(n < 0n ? -n : n).padStart(decimals + 1, '0');
  const at = digits.length - decimals;
  const text = decimals === 0 ? digits : `${digits.slice(0, at)}.${digits.slice(at)}`;
  return n < 0n ? `-${text}` : text;
}

/** All decimals of a figure that has at most `decimalsMax` of them, without trailing zeros. */
export function plainText(a: Exact, decimalsMax = DIGITS_MAX * 2): string {
  return trimEndOf(trimEndOf(fixedText(a, decimalsMax), '0'), '.');
}

/**
 * A figure that is not below zero, from a text such as "1234.50" or from a JSON number. A number with more digits than
 * a double keeps is refused: it may already be another figure than the one that was written.
 */
export function readExact(value: unknown, field: string): Exact {
  if (typeof value === 'string') return fromDecimal(DECIMAL.exec(value), value, field);
  if (typeof value !== 'number') throw refusal(field, describe(value));
  const text = String(value);
  const digits = text.replace(/e.*$/, '').replace('.', '').replace(/^0+/, '');
  const fits = Number.isInteger(value)
    ? Number.isSafeInteger(value)
    : digits.length <= NUMBER_DIGITS_MAX;
  if (!fits) {
    throw badCase(
      `${field}: the number ${text} has more digits than JSON numbers keep; write it as a text in quotes`,
    );
  }
  return fromDecimal(PRINTED_NUMBER.exec(text), text, field);
}

function fromDecimal(match: RegExpExecArray | null, text: string, field: string): Exact {
  if (match === null) throw refusal(field, JSON.stringify(text));
  const [, units = '', decimals = '', exponent = '0'] = match;
  if (units.length + decimals.length > DIGITS_MAX) {
    throw badCase(
      `${field}: expected a figure of at most ${DIGITS_MAX} digits, found ${units.length + decimals.length}`,
    );
  }
  const shift = Number(exponent) - decimals.length;
  const digits = BigInt(units + decimals);
  return shift >= 0
    ? { n: digits * 10n ** BigInt(shift), d: 1n }
    : { n: digits, d: 10n ** BigInt(-shift) };
}

/** A whole number that is not below zero. */
export function readWhole(value: unknown, field: string): bigint {
  const exact = readExact(value, field);
  if (exact.n % exact.d !== 0n) {
    throw badCase(`${field}: expected a whole number, found ${plainText(exact)}`);
  }
  return exact.n / exact.d;
}

function refusal(field: string, found: string): FilewrightError {
  return badCase(
    `${field}: expected a figure like "1234.50" (digits and a point, no sign, no separators), found ${found}`,
  );
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  return value === null || typeof value === 'boolean' ? String(value) : `a ${typeof value}`;
}

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n ? quotient - 1n : quotient;
}
