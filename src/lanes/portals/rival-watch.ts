import type { Failure } from '../../core/index.ts';
import { notSent } from './not-sent.ts';
import type { Session } from './session.ts';

// Once may be a portal that was restarted, and ended all sessions alike.
const ENDED_IN_A_ROW = 2;
// Without a login of our own in between there is no witness: another process, or a portal that ends sessions early.
const ENDED_EARLY_IN_A_ROW = 3;
// A session that was good a moment ago has not expired; the shortest idle time of a portal is a minute.
const EARLY_MS = 5_000;
// A session that lasts so long shares its account with nobody.
const LASTING_MS = 60_000;

/**
 * Notices that the sessions of one account end each other: many portals keep one session for an account, the last one.
 * A session that was good, and is over after another one has signed in, was ended by it; one that is good in spite of
 * that login takes the suspicion away.
 */
export class RivalWatch {
  /** How often rivals were recognised. A visit remembers the number with which it began. */
  recognised = 0;
  private logins = 0;
  private ended = 0;
  private endedEarly = 0;
  private isNews = false;
  private readonly monotonicMs: () => number;

  constructor(monotonicMs: () => number) {
    this.monotonicMs = monotonicMs;
  }

  /** Noted before the password goes out: a login under way ends other sessions before its own answer is here. */
  signingIn(session: Session): void {
    this.logins += 1;
    session.loginsSeen = this.logins;
    session.signedInAtMs = this.monotonicMs();
    session.goodAtMs = session.signedInAtMs;
  }

  /** The portal has shown something to this session that only somebody who is signed in sees. */
  good(session: Session): void {
    if (this.logins > session.loginsSeen) this.ended = 0;
    session.loginsSeen = this.logins;
    session.goodAtMs = this.monotonicMs();
    if (session.goodAtMs - session.signedInAtMs > LASTING_MS) this.endedEarly = 0;
  }

  /** A session that was signed in turns out to be over. */
  over(session: Session): void {
    if (this.wasOvertaken(session)) this.ended += 1;
    else if (this.monotonicMs() - session.goodAtMs < EARLY_MS) this.endedEarly += 1;
    if (this.ended < ENDED_IN_A_ROW && this.endedEarly < ENDED_EARLY_IN_A_ROW) return;
    this.recognised += 1;
    this.ended = 0;
    this.endedEarly = 0;
    this.isNews = true;
  }

  /** Another session has signed in since this one was last good. */
  wasOvertaken(session: Session): boolean {
    return this.logins > session.loginsSeen;
  }

  /** The failure of a visit that began before rivals were recognised: signing in again would only end the next one. */
  since(recognised: number): Failure | undefined {
    if (recognised === this.recognised) return undefined;
    this.isNews = false;
    return rivals();
  }

  /** Once after rivals were recognised by an answer to a filing: the next one reports it, and the lane narrows. */
  take(): Failure | undefined {
    if (!this.isNews) return undefined;
    this.isNews = false;
    return rivals();
  }
}

function rivals(): Failure {
  return notSent(
    'session_rivals',
    'Each login ends the session before it: the portal keeps one session for this account.',
  );
}
