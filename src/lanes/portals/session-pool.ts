import type { SessionRule } from '../../core/index.ts';
import { Session, type SessionOptions } from './session.ts';

// A session is given up this much before the portal would end it: the form has to be opened and posted in it.
const IDLE_MARGIN_SHARE = 0.1;
const IDLE_MARGIN_MS_MAX = 60_000;

/**
 * The sessions of one lane. Where a session serves one filing at a time, each filing in flight has its own, so there
 * are as many as slots in use; otherwise there is one.
 */
export class SessionPool {
  private readonly options: SessionOptions;
  private readonly monotonicMs: () => number;
  private readonly all = new Set<Session>();
  // The last one used is the first one taken: it is the least likely to have expired.
  private readonly idle: Session[] = [];
  private readonly shared: Session;

  constructor(options: SessionOptions, monotonicMs: () => number) {
    this.options = options;
    this.monotonicMs = monotonicMs;
    this.shared = this.create();
  }

  /** The session of a request that needs none of its own. */
  get common(): Session {
    return this.shared;
  }

  take(): Session {
    const { rule } = this.options;
    const session = rule?.scope === 'slot' ? (this.idle.pop() ?? this.create()) : this.shared;
    if (this.isStale(session)) session.clear();
    session.begin();
    return session;
  }

  giveBack(session: Session): void {
    session.finish();
    if (session === this.shared) return;
    if (session.end === 'no') this.idle.push(session);
    else this.all.delete(session);
  }

  /** A signed-in session that has been idle for so long, to be kept alive; undefined when there is none. */
  takeIdle(forMs: number): Session | undefined {
    const now = this.monotonicMs();
    const isDue = (session: Session): boolean =>
      session.isSignedIn &&
      session.usedTo !== Number.POSITIVE_INFINITY &&
      now - session.usedAtMs >= forMs &&
      !this.isStale(session);
    const session = [...this.idle, this.shared].find(isDue);
    if (session === undefined) return undefined;
    const at = this.idle.indexOf(session);
    if (at >= 0) this.idle.splice(at, 1);
    session.begin();
    return session;
  }

  end(why: 'collision' | 'closed'): void {
    for (const session of this.all) {
      session.end = why;
      session.clear();
    }
    this.idle.length = 0;
  }

  private isStale(session: Session): boolean {
    const idleMs = this.options.rule?.idleMs;
    if (idleMs === undefined || !session.isSignedIn) return false;
    return this.monotonicMs() - session.usedAtMs >= idleMs - idleMargin(idleMs);
  }

  private create(): Session {
    const session = new Session(this.options);
    this.all.add(session);
    return session;
  }
}

function idleMargin(idleMs: SessionRule['idleMs']): number {
  return Math.min(idleMs * IDLE_MARGIN_SHARE, IDLE_MARGIN_MS_MAX);
}
