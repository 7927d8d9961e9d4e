import { sha256Of } from '../../core/index.ts';

/** A session token in two places: what a leaking pool or a confused portal does. */
export interface SessionCollision {
  readonly kind: 'two_lanes' | 'two_filings';
  /** Where the token was seen now, and where before; the same for two filings. */
  readonly lane: string;
  readonly otherLane: string;
  /** The cookie or header that carried it. The token itself is a secret; its hash is enough to compare logs. */
  readonly carrier: string;
  readonly tokenSha256: string;
}

// Far more sessions than a process has slots. Beyond it the oldest token is forgotten, never the newest.
const TOKENS_MAX = 10_000;

/** What the watch sees of a session. */
interface Holder {
  readonly lane: string;
  readonly isSerial: boolean;
  readonly end: 'no' | 'collision' | 'closed';
  /** Moments of its present use, or of the last one. */
  readonly usedFrom: number;
  readonly usedTo: number;
}

/** Watches every session token of this process, over all lanes. */
export class CollisionWatch {
  private readonly owners = new Map<string, Holder>();
  private readonly tokensOf = new WeakMap<Holder, Set<string>>();
  private moments = 0;
  private readonly onCollision: (collision: SessionCollision) => void;

  constructor(onCollision: (collision: SessionCollision) => void) {
    this.onCollision = onCollision;
  }

  /** Counts up; what lies between two moments happened between them, whatever the clocks say. */
  moment(): number {
    this.moments += 1;
    return this.moments;
  }

  note(session: Holder, carrier: string, token: string): void {
    // An empty value deletes a cookie.
    if (token === '') return;
    const owner = this.owners.get(token);
    if (owner === session) return;
    this.own(session, token);
    if (owner === undefined || owner.end !== 'no') return;
    const { lane } = session;
    const kind = owner.lane === lane ? 'two_filings' : 'two_lanes';
    // A token that comes back after its filing was done is a portal that keeps sessions by address: harmless.
    const wereAtOnce = owner.usedTo > session.usedFrom;
    if (kind === 'two_filings' && !(session.isSerial && wereAtOnce)) return;
    const tokenSha256 = sha256Of(token);
    this.onCollision({ kind, lane, otherLane: owner.lane, carrier, tokenSha256 });
  }

  forget(session: Holder): void {
    for (const token of this.tokensOf.get(session) ?? []) {
      if (this.owners.get(token) === session) this.owners.delete(token);
    }
    this.tokensOf.delete(session);
  }

  private own(session: Holder, token: string): void {
    this.owners.delete(token);
    this.owners.set(token, session);
    const tokens = this.tokensOf.get(session) ?? new Set();
    this.tokensOf.set(session, tokens.add(token));
    const [oldest] = this.owners.keys();
    if (this.owners.size > TOKENS_MAX && oldest !== undefined) this.owners.delete(oldest);
  }
}
