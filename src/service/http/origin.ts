/**
 * Whether a request may come from where it comes. Pure. Two attacks are meant: a page of another website that makes a browser send
 * its cookie (a browser says so in `Origin` and `Sec-Fetch-Site`), and a name of the attacker's that leads to this machine (the
 * name is in `Host`).
 */
import { FilewrightError } from '../../core/index.ts';

interface Asking {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
  /** By a cookie, which a browser sends by itself; a token is sent by a program that means to. */
  readonly hasCookie: boolean;
}

export interface OwnAddress {
  /** Listens on this machine alone, so that any other name in `Host` is a trick. */
  readonly isLoopback: boolean;
  /** As people use it: `https://filings.example`. */
  readonly publicUrl: string | undefined;
}

const LOOPBACK = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);
const SAME = new Set(['same-origin', 'none']);

export function requireOwnOrigin(asking: Asking, own: OwnAddress): void {
  const { host = '', origin, fetchSite, method, hasCookie } = asking;
  const known = own.publicUrl === undefined ? undefined : new URL(own.publicUrl);
  const isOwnName = sameHost(host, known) || (own.isLoopback && LOOPBACK.test(host));
  // Behind a proxy without a public address, whatever the proxy lets through.
  const mustBeOwn = own.isLoopback || known !== undefined;
  if (host === '' || (mustBeOwn && !isOwnName)) {
    throw refused('the address of this service in Host', host);
  }
  if (SAFE.has(method) || !hasCookie) return;
  if (fetchSite !== undefined && !SAME.has(fetchSite)) throw refused('same-origin', fetchSite);
  if (origin !== undefined && !isOwn(origin, host, known)) throw refused('its own Origin', origin);
}

function isOwn(origin: string, host: string, known: URL | undefined): boolean {
  // "null" is a sandboxed page, or one that hides where it is from.
  if (!URL.canParse(origin)) return false;
  const from = new URL(origin);
  if (known !== undefined && from.origin === known.origin) return true;
  return (
    (from.protocol === 'http:' || from.protocol === 'https:') && from.host === host.toLowerCase()
  );
}

function sameHost(host: string, known: URL | undefined): boolean {
  return known !== undefined && host.toLowerCase() === known.host;
}

function refused(expected: string, found: string): FilewrightError {
  return new FilewrightError(
    'OTHER_ORIGIN',
    `Expected ${expected}, found ${JSON.stringify(found.slice(0, 200))}`,
  );
}
