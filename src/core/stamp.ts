import { type Instant, parseRfc3339 } from './time.ts';

/** Numbers above this are milliseconds since the epoch, not seconds (it is the year 5138 in seconds). */
const EPOCH_MS_FROM = 100_000_000_000;
/** Numbers above this are seconds since the epoch, not a distance (as a distance it would be 31 years). */
const EPOCH_SECONDS_FROM = 1_000_000_000;

/**
 * The three HTTP dates (RFC 9110 § 5.6.7) and RFC 3339. Anything else would be guessed at by Date.parse, which reads
 * "wait 300" as the year 300 and "-5" as a May, in the zone of this process. The first form is also taken with a zone
 * of e-mail dates (RFC 5322 § 4.3), as servers in Eastern time write it: each of them names one moment.
 */
const IMF_FIXDATE =
  /^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} (?:GMT|UTC|UT|[ECMP][SD]T|[+-]\d{4})$/;
const RFC_850_DATE = /^[A-Z][a-z]+day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME_DATE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * How long a portal asks us to wait, from `Retry-After` or `X-RateLimit-Reset`, in whichever of the forms in use: a
 * distance in seconds, seconds or milliseconds since the epoch, an HTTP date, RFC 3339. A header that is there twice
 * (the portal's and its gateway's) says two things; the longer wait obeys both. Undefined when there is no stamp, or
 * when it makes no sense (negative, past, not a date): the caller then waits by its own rule. The caller also bounds
 * it: a portal that says "year 9999" must not stop a lane for ever.
 */
export function stampWaitMs(
  headers: Readonly<Record<string, string>>,
  now: Instant,
): number | undefined {
  for (const name of ['retry-after', 'x-ratelimit-reset']) {
    const text = headers[name];
    if (text === undefined) continue;
    const waits = stampsIn(text).map((stamp) => waitOf(stamp, now));
    const longestMs = Math.max(...waits.filter((waitMs) => Number.isFinite(waitMs)));
    if (longestMs > 0) return Math.ceil(longestMs);
  }
  return undefined;
}

/** `Retry-After` alone, from those who send counters with every answer, whether or not they ask for a pause. */
export function retryAfterMs(
  { 'retry-after': stamp }: Readonly<Record<string, string>>,
  now: Instant,
): number | undefined {
  return stamp === undefined ? undefined : stampWaitMs({ 'retry-after': stamp }, now);
}

/**
 * Repeated headers come joined by commas, and two of the dates have a comma of their own, after the weekday. The comma is
 * looked for first, and only then what stands before it: looking back from each character of a long text is slow.
 */
function stampsIn(text: string): readonly string[] {
  return text.split(/,(?<!\b[A-Z][a-z]{2,8},)/).map((stamp) => stamp.trim());
}

/** Not a number where the stamp makes no sense. */
function waitOf(stamp: string, now: Instant): number {
  return /^\d{1,16}(\.\d{1,9})?$/.test(stamp)
    ? waitOfNumber(Number(stamp), now)
    : (dateOf(stamp) ?? Number.NaN) - now;
}

export function hasStamp(headers: Readonly<Record<string, string>>): boolean {
  return headers['retry-after'] !== undefined || headers['x-ratelimit-reset'] !== undefined;
}

function dateOf(text: string): number | undefined {
  if (IMF_FIXDATE.test(text) || RFC_850_DATE.test(text)) return Date.parse(text);
  // asctime names no zone; the RFC says that it is GMT.
  if (ASCTIME_DATE.test(text)) return Date.parse(`${text} GMT`);
  return parseRfc3339(text);
}

function waitOfNumber(value: number, now: Instant): number {
  if (value >= EPOCH_MS_FROM) return value - now;
  if (value >= EPOCH_SECONDS_FROM) return value * 1000 - now;
  return value * 1000;
}
