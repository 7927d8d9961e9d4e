/** The two ways in which DER writes a moment. */
import { type Instant, parseRfc3339 } from '../../core/index.ts';
import { DerFault, TAG } from './der.ts';

const SHORT = /^([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})Z$/;
const LONG =
  /^([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})(?:\.([0-9]{0,8}[1-9]))?Z$/;

/** UTCTime or GeneralizedTime, in the one form that DER allows. Finer than a millisecond is cut off. */
export function derTime(value: { readonly tag: number; readonly content: Uint8Array }): Instant {
  const text = Buffer.from(value.content).toString('latin1');
  const found = value.tag === TAG.utcTime ? SHORT.exec(text) : LONG.exec(text);
  const isTime = value.tag === TAG.utcTime || value.tag === TAG.time;
  if (found === null || !isTime) throw new DerFault('a moment is not one in DER');
  const [, first = '', month, day, hour, minute, second, fraction = ''] = found;
  // RFC 5280 § 4.1.2.5.1: two digits are of the years 1950 to 2049.
  const year = first.length === 4 ? first : `${Number(first) < 50 ? '20' : '19'}${first}`;
  const millis = fraction.slice(0, 3).padEnd(3, '0');
  const at = parseRfc3339(`${year}-${month}-${day}T${hour}:${minute}:${second}.${millis}Z`);
  if (at === undefined) throw new DerFault('a moment is not one of the calendar');
  return at;
}
