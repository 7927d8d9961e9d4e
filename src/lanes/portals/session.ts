import { CookieJar } from 'tough-cookie';
import type { SessionRule } from '../../core/index.ts';
import type { CollisionWatch } from './collision-watch.ts';

// A portal has a handful. One that sets a new name with every answer would fill the heap and then the request line.
const COOKIES_MAX = 100;
// Portals of every kind use this name, so it is watched whether or not a profile names it.
const USUAL_TOKEN = 'x-session-token';

type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface SessionOptions {
  readonly lane: string;
  readonly origin: string;
  readonly rule: SessionRule | undefined;
  readonly watch: CollisionWatch;
}

/** The cookies and tokens of one session with a portal. Nothing in it is reachable from another lane. */
export class Session {
  readonly lane: string;
  /** Serves one filing at a time. */
  readonly isSerial: boolean;
  isSignedIn = false;
  /** The portal answered the login itself with a page that only somebody who is signed in sees. */
  isGreeted = false;
  /** Of the lane's logins, how many there were when it was last good; when that was, and when it signed in itself. */
  loginsSeen = 0;
  goodAtMs = Number.NEGATIVE_INFINITY;
  signedInAtMs = 0;
  /** Moments of the present use, or of the last one; without an end while it lasts. */
  usedFrom = 0;
  usedTo = 0;
  /** By the monotonic clock; when the portal last heard of it. */
  usedAtMs = 0;
  /** Its lane was isolated or closed: nothing may be sent with it any more. */
  end: 'no' | 'collision' | 'closed' = 'no';
  /** Another filing of a shared session is signing in. */
  signingIn: Promise<unknown> | undefined;
  private readonly origin: string;
  private readonly watch: CollisionWatch;
  private readonly cookieNames: ReadonlySet<string>;
  private readonly headerNames: readonly string[];
  private readonly tokens = new Map<string, string>();
  private jar = new CookieJar();
  private hasCookies = false;

  constructor({ lane, origin, rule, watch }: SessionOptions) {
    this.lane = lane;
    this.origin = origin;
    this.watch = watch;
    this.isSerial = rule?.scope === 'slot';
    this.cookieNames = new Set(rule?.cookies);
    this.headerNames = (rule?.headers ?? []).map((name) => name.toLowerCase());
  }

  begin(): void {
    this.usedFrom = this.watch.moment();
    this.usedTo = Number.POSITIVE_INFINITY;
  }

  finish(): void {
    this.usedTo = this.watch.moment();
  }

  /** Forgets everything, as a browser does when its window is closed. */
  clear(): void {
    this.jar = new CookieJar();
    this.hasCookies = false;
    this.tokens.clear();
    this.isSignedIn = false;
    this.isGreeted = false;
    this.watch.forget(this);
  }

  addHeaders(headers: string[], path: string): void {
    for (const [name, value] of this.tokens) headers.push(name, value);
    if (!this.hasCookies) return;
    const cookie = this.jar.getCookieStringSync(this.origin + path);
    if (cookie !== '') headers.push('cookie', cookie);
  }

  /** Called with every answer, so it does nothing when there is nothing to keep. */
  keep(path: string, headers: ResponseHeaders): void {
    const cookies = headers['set-cookie'];
    if (cookies !== undefined) this.keepCookies(path, cookies);
    const usual = headers[USUAL_TOKEN];
    if (typeof usual === 'string') this.watch.note(this, USUAL_TOKEN, usual);
    for (const name of this.headerNames) {
      const value = headers[name];
      if (typeof value !== 'string' || value === '') continue;
      this.tokens.set(name, value);
      this.watch.note(this, name, value);
    }
  }

  private keepCookies(path: string, values: string | readonly string[]): void {
    const url = this.origin + path;
    for (const value of typeof values === 'string' ? [values] : values) {
      const stored = this.jar.getCookiesSync(url, { allPaths: true, expire: true });
      if (stored.length >= COOKIES_MAX) return;
      // A cookie that is malformed or for another domain is no reason to lose the answer it came with.
      const cookie = this.jar.setCookieSync(value, url, { ignoreError: true });
      this.hasCookies = true;
      // A cookie that is over when it comes takes a session away. PHP calls every one of them "deleted".
      if (cookie !== undefined && cookie.TTL() <= 0) continue;
      const [, name = '', token = ''] = /^([^=;]+)=([^;]*)/.exec(value) ?? [];
      if (this.cookieNames.has(name.trim())) this.watch.note(this, name.trim(), token.trim());
    }
  }
}
