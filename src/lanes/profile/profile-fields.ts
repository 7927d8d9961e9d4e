/** What single fields of a profile may hold. Each check is total: it takes any text and never throws. */

const HEADER_TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/**
 * Headers that the exchange itself sets, or that change its meaning: a profile that could set them could make a
 * request conditional, cache it, split it, or mix two sessions.
 */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'http2-settings',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'keep-alive',
  'pragma',
  'proxy-authorization',
  'proxy-connection',
  'range',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

/** RFC 9110 § 5.1: a field name is a token. */
export function isFreeHeader(name: string): boolean {
  return HEADER_TOKEN.test(name) && !RESERVED_HEADERS.has(name.toLowerCase());
}

export function isPortalUrl(text: string): boolean {
  const url = parseUrl(text);
  if (url === undefined) return false;
  const isHttp = url.protocol === 'https:' || url.protocol === 'http:';
  return (
    isHttp && url.username === '' && url.password === '' && url.search === '' && !text.includes('#')
  );
}

/** CONNECT goes to the proxy in the clear; what travels inside is as safe as the portal's own address makes it. */
export function isProxyUrl(text: string): boolean {
  const url = parseUrl(text);
  if (url === undefined || url.protocol !== 'http:' || !isPortalUrl(text)) return false;
  return url.pathname === '/' || url.pathname === '';
}

export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    // Not a URL: undefined says so.
    return undefined;
  }
}

/** Visible ASCII after one slash: it goes into the request line as it stands. */
export function isRequestPath(text: string): boolean {
  return /^\/(?!\/)[!-~]*$/.test(text) && !text.includes('#');
}

/** An IANA name that this runtime knows. Fixed offsets are refused: they are wrong for half of the year. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/.test(text)) return false;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    // Unknown zone: the caller reports the field.
    return false;
  }
}

/** `HH:MM`. `24:00` is the end of the day and only makes sense as a closing time. */
export function minuteOfDay(text: string): number | undefined {
  if (text === '24:00') return 24 * 60;
  const match = /^([01][0-9]|2[0-3]):([0-5][0-9])$/.exec(text);
  return match === null ? undefined : Number(match[1]) * 60 + Number(match[2]);
}

/** An ISO date of a day that exists. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}
