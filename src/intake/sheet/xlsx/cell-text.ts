/** The number in a cell as the text that a person would type for it. Pure. */
import type { NumberShape } from './formats.ts';

/** What stands in a cell whose formula was never calculated. */
export const UNCALCULATED = '#NOT CALCULATED';

const DAY_MS = 86_400_000;
/** A spreadsheet keeps fifteen digits of a number; the others it has lost. */
const DIGITS_MAX = 15;
/** The last day that a spreadsheet knows, in the year 9999. */
const SERIAL_MAX = 2_958_465;

/** Days since the end of 1899, with a February 29 in 1900 that never was; or since the beginning of 1904. */
export type DayCount = '1900' | '1904';

/** A day number as 2027-03-01, with a time behind it where it has one; undefined where no day has that number. */
export function dayOfSerial(serial: number, count: DayCount): string | undefined {
  if (!(serial >= 0) || serial > SERIAL_MAX || (count === '1900' && Math.floor(serial) === 60)) {
    return undefined;
  }
  const epoch = count === '1904' ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, serial < 60 ? 31 : 30);
  // To the second: the fraction of a day has no exact number.
  const ms = epoch + Math.round((serial * DAY_MS) / 1000) * 1000;
  const [day = '', time = ''] = new Date(ms).toISOString().split('T');
  return time.startsWith('00:00:00') ? day : `${day}T${time.slice(0, 8)}`;
}

export function numberText(written: string, shape: NumberShape, count: DayCount): string {
  const value = Number(written);
  if (written.trim() === '' || !Number.isFinite(value)) return written;
  if (shape.kind === 'day') return dayOfSerial(value, count) ?? written;
  const text = plainNumber(value);
  return shape.kind === 'digits' && /^\d+$/.test(text) ? text.padStart(shape.digits, '0') : text;
}

/** 0.1 + 0.2 is shown as 0.3, as the spreadsheet shows it; a number whose digits are lost keeps its exponent. */
function plainNumber(value: number): string {
  if (Number.isInteger(value)) {
    return Math.abs(value) < 10 ** DIGITS_MAX ? String(value) : value.toExponential().toUpperCase();
  }
  return String(Number(value.toPrecision(DIGITS_MAX)));
}
