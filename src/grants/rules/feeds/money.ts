/** Amounts as whole minor units. Decimal text is never a float on the way: digits are joined and read as one integer. */
import type { FeedPlace } from './feed-events.ts';
import { quoted, refuse } from './refusal.ts';

// Fifteen digits: a few hundred thousand of the largest still add up exactly as bigints, each is exact as a number.
const AMOUNT_MAX = 999_999_999_999_999;

// ISO 4217 minor units that are not two.
const DECIMALS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'
      .split(' ')
      .map((code) => [code, 0]),
  ),
  ...Object.fromEntries('BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3])),
  CLF: 4,
  UYW: 4,
};

interface SignedDecimal {
  readonly text: string;
  readonly currency: string;
  /** Characters that may stand between the whole and the fraction. */
  readonly mark: '.' | ',' | '.,';
}

export function readCurrency(text: string, place: FeedPlace): string {
  if (/^[A-Z]{3}$/.test(text)) return text;
  return refuse(place, {
    reason: `expected a currency of three capital letters, but found ${quoted(text)}`,
  });
}

/**
 * `125000.00` or `7500,` as minor units, with its sign. ISO 20022 lets a bank write five decimals: noughts beyond those of
 * the currency say nothing, anything else there is refused, never rounded.
 */
export function readDecimal(amount: SignedDecimal, place: FeedPlace): number {
  const { text, currency, mark } = amount;
  const match = /^([+-]?)(\d+)(?:([.,])(\d*))?$/.exec(text);
  if (match === null || (match[3] !== undefined && !mark.includes(match[3]))) {
    return refuse(place, {
      reason: `expected a decimal amount with ${quoted(mark)} as its mark, but found ${quoted(text)}`,
    });
  }
  const decimals = (Object.hasOwn(DECIMALS, currency) ? DECIMALS[currency] : undefined) ?? 2;
  const fraction = withoutNoughts(match[4] ?? '', decimals);
  if (fraction.length > decimals) {
    refuse(place, {
      reason: `expected at most ${decimals} decimals of ${currency}, but found ${quoted(text)}`,
      remedy: 'The bank must send whole minor units; rounding here would lose money',
    });
  }
  const value = bounded(`${match[2]}${fraction.padEnd(decimals, '0')}`, place);
  return match[1] === '-' && value !== 0 ? -value : value;
}

/** Without the noughts at its end, as far as they are more than the decimals. By place: an expression would take the square of the length. */
function withoutNoughts(fraction: string, decimals: number): string {
  let end = fraction.length;
  while (end > decimals && fraction[end - 1] === '0') end -= 1;
  return fraction.slice(0, end);
}

/** `12500000` as it stands: BAI2 and NACHA write minor units without a mark. */
export function readMinorUnits(text: string, place: FeedPlace): number {
  const match = /^([+-]?)(\d+)$/.exec(text);
  if (match === null) {
    return refuse(place, {
      reason: `expected an amount in whole minor units, but found ${quoted(text)}`,
    });
  }
  const value = bounded(match[2] ?? '', place);
  return match[1] === '-' && value !== 0 ? -value : value;
}

function bounded(digits: string, place: FeedPlace): number {
  const value = Number(digits);
  if (value <= AMOUNT_MAX) return value;
  return refuse(place, {
    code: 'INPUT_LIMIT',
    reason: `expected an amount of at most fifteen digits, but found ${quoted(digits)}`,
  });
}

/** For messages only. */
export function showCents(cents: bigint | number): string {
  return `${cents} minor units`;
}
