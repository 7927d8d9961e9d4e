/** How the driver's texts become values, where its own reading is slow or loses something. */
import { TypeOverrides } from 'pg';

const TIMESTAMPTZ = 1184;

/** Milliseconds since the epoch; the infinities as numbers. Sessions run in UTC, so the offset is +00. */
function readTimestamp(text: string): number {
  if (text === 'infinity') return Number.POSITIVE_INFINITY;
  if (text === '-infinity') return Number.NEGATIVE_INFINITY;
  // "2026-03-02 09:00:03.411+00" is read by place: thousands a second pass through here.
  if (text.length < 22 || text[10] !== ' ' || !text.endsWith('+00')) {
    return Date.parse(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));
  }
  const fraction = text.length > 22 ? Number(`0${text.slice(19, -3)}`) : 0;
  const seconds = Date.UTC(
    Number(text.slice(0, 4)),
    Number(text.slice(5, 7)) - 1,
    Number(text.slice(8, 10)),
    Number(text.slice(11, 13)),
    Number(text.slice(14, 16)),
    Number(text.slice(17, 19)),
  );
  return seconds + Math.floor(fraction * 1000 + 1e-6);
}

export function typeReaders(): TypeOverrides {
  const types = new TypeOverrides();
  types.setTypeParser(TIMESTAMPTZ, readTimestamp);
  return types;
}
