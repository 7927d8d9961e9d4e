/** Amounts as people write them: which sign stands before the cents is the column's. Pure. */
import { plainCell } from './clean.ts';
import { read, shown, type ValueReading } from './reading.ts';

export type DecimalSign = '.' | ',';

const TEXT_CHARACTERS_MAX = 60;
const CURRENCY = /^(?:US ?\$|USD|\$)|(?:USD|US ?\$|\$)$/gi;
const GROUPED = /^\d{1,3}(?:([., '’])\d{3})(?:\1\d{3})*$/;

/** What a cell says of the decimal sign in its column; undefined where it says nothing. */
export function decimalVote(cell: string): DecimalSign | undefined {
  const { digits } = strip(cell.slice(0, TEXT_CHARACTERS_MAX));
  const last = lastSign(digits);
  if (last === undefined) return undefined;
  const hasBoth = digits.includes('.') && digits.includes(',');
  const behind = digits.length - digits.lastIndexOf(last) - 1;
  return hasBoth || behind <= 2 ? last : undefined;
}

/** `50` or `50.00`: dollars with all of their cents or none. */
export function readMoney(cell: string, decimal: DecimalSign | undefined): ValueReading {
  const { digits, isNegative } = strip(cell);
  const bad = (why: string): ValueReading => ({ ok: false, code: 'SHEET_AMOUNT', why });
  const number = plainNumber(digits, decimal);
  if (number === undefined) {
    return bad(
      /^\d{1,3}\.\d{3}$/.test(digits)
        ? `${shown(cell)} can be a thousand or a fraction; write 1234 or 1234.00`
        : `expected an amount in dollars, found ${shown(cell)}`,
    );
  }
  const [whole = '', fraction = ''] = number.split('.');
  if (/[^0]/.test(fraction.slice(2))) return bad(`${shown(cell)} has a part of a cent`);
  const dollars = whole.replace(/^0+(?=\d)/, '');
  const cents = fraction.slice(0, 2).padEnd(2, '0');
  if (isNegative && /[1-9]/.test(dollars + cents)) return bad(`${shown(cell)} is below zero`);
  const text = fraction === '' ? dollars : `${dollars}.${cents}`;
  return text === cell ? read(text) : read(text, 'read as dollars');
}

/** How some banks say the sign: behind the amount. */
const BOOKED = /(CR|DR|DB)\.?$/i;

/** The same, and what goes out below zero: `-35.00`, `(35.00)`, `35.00-`, `35.00 DR`. */
export function readSignedMoney(cell: string, decimal: DecimalSign | undefined): ValueReading {
  const plain = plainCell(cell.slice(0, TEXT_CHARACTERS_MAX));
  const booked = BOOKED.exec(plain)?.[1]?.toUpperCase();
  const bare = plain.replace(BOOKED, '').trim();
  const { digits, isNegative } = strip(bare);
  const reading = readMoney(digits, decimal);
  if (!reading.ok) return { ...reading, why: reading.why.replace(shown(digits), shown(cell)) };
  const isOut = isNegative || (booked !== undefined && booked !== 'CR');
  const text = isOut && /[1-9]/.test(reading.text) ? `-${reading.text}` : reading.text;
  return text === cell ? read(text) : read(text, 'read as dollars');
}

/** A figure without a currency of its own: shares, assets. */
export function readFigure(cell: string, decimal: DecimalSign | undefined): ValueReading {
  const { digits, isNegative } = strip(cell);
  const number = isNegative ? undefined : plainNumber(digits, decimal);
  if (number === undefined) {
    const why = `expected a number, found ${shown(cell)}`;
    return { ok: false, code: 'SHEET_AMOUNT', why };
  }
  return number === cell ? read(number) : read(number, 'read as a number');
}

/** Digits with at most one point; undefined where it is none, or can be read in two ways. */
function plainNumber(digits: string, decimal: DecimalSign | undefined): string | undefined {
  if (/^\d+$/.test(digits)) return digits;
  const grouped = GROUPED.exec(digits);
  if (grouped !== null && grouped[1] !== decimal) {
    // Nobody writes a fraction of three digits with a comma in this country; with a point some do.
    const isOpen = grouped[1] === '.' && decimal === undefined;
    return isOpen ? undefined : digits.replaceAll(/\D/g, '');
  }
  const sign = decimal ?? lastSign(digits);
  if (sign === undefined) return undefined;
  const at = digits.lastIndexOf(sign);
  const whole = digits.slice(0, at);
  const fraction = digits.slice(at + 1);
  if (at === -1 || !/^\d+$/.test(fraction) || whole.includes(sign)) return undefined;
  const isWhole = whole === '' || /^\d+$/.test(whole) || GROUPED.test(whole);
  return isWhole ? `${whole.replaceAll(/\D/g, '') || '0'}.${fraction}` : undefined;
}

/** Without its currency; brackets and a minus are below zero. */
function strip(cell: string): { readonly digits: string; readonly isNegative: boolean } {
  const plain = plainCell(cell.slice(0, TEXT_CHARACTERS_MAX)).replaceAll('−', '-');
  const isBracketed = plain.startsWith('(') && plain.endsWith(')');
  const money = (isBracketed ? plain.slice(1, -1) : plain).replaceAll('-', '').trim();
  const digits = money.replaceAll(CURRENCY, '').trim();
  return {
    digits,
    isNegative:
      isBracketed || plain.startsWith('-') || plain.endsWith('-') || plain.startsWith('$-'),
  };
}

function lastSign(digits: string): DecimalSign | undefined {
  const at = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  // One of the two, by what was looked for.
  return at === -1 ? undefined : digits.charAt(at) === '.' ? '.' : ',';
}
