import type { PortalRequest } from './plan.ts';

const COOKIE = 'FWSESSION';
const HEADER = 'x-session-token';

/**
 * Watches session tokens as a strict portal would: one that this portal never issued has leaked from another lane, and
 * one in two requests at once is shared on a portal whose sessions are serial.
 */
export class SessionWatch {
  private readonly lane: string;
  private readonly cookie: string;
  private readonly inUse = new Map<string, number>();
  private issued = 0;

  constructor(lane: string, cookie: string = COOKIE) {
    this.lane = lane;
    this.cookie = cookie;
  }

  token(request: PortalRequest): string {
    const cookie = request.headers['cookie'];
    if (cookie === undefined) return request.headers[HEADER] ?? '';
    for (const pair of cookie.split(';')) {
      const text = pair.trim();
      if (text.startsWith(`${this.cookie}=`)) return text.slice(this.cookie.length + 1);
    }
    return request.headers[HEADER] ?? '';
  }

  isForeign(token: string): boolean {
    if (token === '') return false;
    const [lane, number] = token.split('.');
    return lane !== this.lane || !(Number(number) >= 1 && Number(number) <= this.issued);
  }

  /** True when the token is already in another request. */
  enter(token: string): boolean {
    if (token === '') return false;
    const before = this.inUse.get(token) ?? 0;
    this.inUse.set(token, before + 1);
    return before > 0;
  }

  leave(token: string): void {
    const before = this.inUse.get(token) ?? 0;
    if (before <= 1) this.inUse.delete(token);
    else this.inUse.set(token, before - 1);
  }

  /** A token that nobody had before. */
  next(): string {
    this.issued += 1;
    return `${this.lane}.${this.issued}`;
  }

  issue(token: string = this.next()): string {
    return `${this.cookie}=${token}; Path=/; HttpOnly`;
  }
}
