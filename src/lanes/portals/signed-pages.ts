import type { Answer, Exchange, Failure, Profile, WriteGuard } from '../../core/index.ts';
import { mayKeepBusy } from '../rules/busy.ts';
import type { Exchanger } from './exchanger.ts';
import { collided, notSent } from './not-sent.ts';
import type { Leg } from './exchange-run.ts';
import { fillFields } from './form-filling.ts';
import { formAt } from './form-structure.ts';
import type { LaneWire } from './lane-wire.ts';
import { charsetOf } from './page-reader.ts';
import type { Session } from './session.ts';

// 401, and what two frameworks have made up for it: 419 (Laravel) and 440 (IIS).
const SESSION_OVER: ReadonlySet<number> = new Set([401, 419, 440]);

// The login was too slow, too early, too often, or its page too old (419, 440): nobody has looked at the password.
const LOGIN_UNTRIED: ReadonlySet<number> = new Set([408, 419, 425, 429, 440]);

/** One use of a session. */
export interface Visit {
  readonly wire: LaneWire;
  readonly profile: Profile;
  readonly guard: WriteGuard;
  readonly session: Session;
  /** Of the lane's login door, when the visit began. */
  readonly refusals: number;
  /** Of the lane's rivals, how often they were recognised when the visit began. */
  readonly recognised: number;
  /** The portal may still be processing a request of this visit: in its one slot nothing more is written. */
  left?: Failure;
}

type Entered =
  /** The first page after the login, whatever it is. */
  | { readonly kind: 'entered'; readonly page: Answer | Failure }
  | { readonly kind: 'refused'; readonly failure: Failure };

/** Pages that may ask for a login first. Nothing here files anything, so every failure is one before the post. */
export class SignedPages {
  private readonly exchanger: Exchanger;

  constructor(exchanger: Exchanger) {
    this.exchanger = exchanger;
  }

  /** Opens a page, signing in where it must: once anew when the session turns out to be over. */
  async open(visit: Visit, path: string): Promise<Answer | Failure> {
    const { session, profile, wire } = visit;
    const { login } = profile.session ?? {};
    let first: Answer | Failure | undefined;
    for (const isLast of [false, true]) {
      const rivals = wire.rivals.since(visit.recognised);
      if (rivals !== undefined) return rivals;
      if (login !== undefined && !session.isSignedIn) {
        const entered = await wire.door.pass(() => this.enter(visit, path, isLast));
        if (entered.kind === 'refused') return entered.failure;
        first = entered.page;
      }
      const answer = first ?? (await this.get(visit, path));
      first = undefined;
      const isOver = await this.isOver(answer, profile);
      if (answer.kind === 'failure' && !isOver) {
        // It may be the session that is refused: the next attempt begins with a new one.
        if (answer.answer?.status === 403) session.clear();
        return answer;
      }
      if (!isOver) {
        wire.rivals.good(session);
        return answer;
      }
      wire.rivals.over(session);
      session.clear();
      if (isLast || login === undefined) break;
    }
    const rivals = wire.rivals.since(visit.recognised);
    if (rivals !== undefined) return rivals;
    return notSent('session', 'The portal asked for a login again directly after one.');
  }

  /** A visit without another purpose than to be seen. */
  async touch(visit: Visit, path: string): Promise<Exchange> {
    const answer = await this.get(visit, path);
    // A session that is over is signed in again by the filing that needs it.
    const isOver = answer.kind === 'failure' || (await this.isLogin(answer, visit.profile));
    if (isOver) visit.session.clear();
    return answer;
  }

  /**
   * Signs in and opens a page, because a portal need not show its login again to refuse one: what proves that it took
   * the password is the page behind it. One that asks for a login instead is a refusal. Only where this password has
   * worked before may the new session have been lost, and is tried once more.
   */
  private async enter(visit: Visit, path: string, isLast: boolean): Promise<Entered> {
    const { session, profile } = visit;
    const { door } = visit.wire;
    // Another filing of a shared session may have signed in while this one waited at the door.
    const failure = session.isSignedIn ? undefined : await this.signIn(visit);
    if (failure !== undefined) return { kind: 'refused', failure };
    const page = await this.get(visit, path);
    const isOver = await this.isOver(page, profile);
    const isDenied = page.kind === 'failure' && page.answer?.status === 403;
    if (!isOver && !isDenied) {
      if (page.kind === 'answer' && (await this.isBehindLogin(page, profile))) door.worked();
      return { kind: 'entered', page };
    }
    const isWorthAnother = isOver && !isLast && door.hasWorked;
    const isOvertaken = isOver && visit.wire.rivals.wasOvertaken(session);
    if (session.isGreeted || isWorthAnother || isOvertaken) return { kind: 'entered', page };
    session.clear();
    const answer = page.kind === 'answer' ? page : page.answer;
    const message =
      'The portal asks for a login again directly after one: the name or the password is wrong, or its session was not kept.';
    const refused: Failure = {
      ...notSent('login_refused', message),
      ...(isOver ? { mayBeRivals: true } : {}),
    };
    return {
      kind: 'refused',
      failure: door.refuse(answer === undefined ? refused : { ...refused, answer }),
    };
  }

  /** Where filings share a session, one of them signs in and the others wait for it. */
  private async signIn(visit: Visit): Promise<Failure | undefined> {
    const { session } = visit;
    if (session.signingIn !== undefined) {
      await session.signingIn;
      if (session.isSignedIn) return undefined;
    }
    const signingIn = this.login(visit);
    session.signingIn = signingIn;
    try {
      return await signingIn;
    } finally {
      if (session.signingIn === signingIn) session.signingIn = undefined;
    }
  }

  private async login(visit: Visit): Promise<Failure | undefined> {
    const { wire, profile, session } = visit;
    const login = profile.session?.login;
    if (login === undefined) return undefined;
    const { basePath } = wire.plan(profile);
    const path = basePath + login.path;
    const opened = await this.get(visit, path);
    if (opened.kind === 'failure') {
      const isFailed = (opened.answer?.status ?? 0) >= 500 || isUnanswered(opened);
      return isFailed ? { ...opened, code: 'login_failed' } : opened;
    }
    const facts = await this.exchanger.pages.read(opened, profile);
    const url = wire.origin + (opened.path ?? path);
    const form = facts?.login && formAt(facts.login, url);
    const submitPath = login.submitPath ?? login.path;
    // The password goes where the profile says, and nowhere that a changed page might lead it.
    if (form === undefined || form.action !== basePath + submitPath || form.method !== 'POST') {
      const message = `Expected a login form at ${login.selector} that posts to ${submitPath}.`;
      return { ...notSent('form_changed', message), answer: opened };
    }
    const given = new Map<string, string>();
    try {
      for (const { name, value } of login.fields) {
        given.set(name, await this.exchanger.credentials.resolve(value, wire.host, 'field'));
      }
    } catch (error) {
      return notSent('credential', error instanceof Error ? error.message : 'unreadable');
    }
    const filled = fillFields(form, given, charsetOf(opened));
    // The reason names the field, never what would have been put into it.
    if (filled.kind !== 'filled') return notSent('form_changed', filled.reason);
    const { body, contentType } = filled;
    const { door } = wire;
    const refused = door.refusedSince(visit.refusals);
    if (refused !== undefined) return refused;
    wire.rivals.signingIn(session);
    const answer = await this.leg(visit, {
      method: 'POST',
      path: form.target,
      body,
      contentType,
      isHarmless: true,
      from: url,
    });
    if (answer.kind === 'failure') {
      // A password that was led away was read all the same.
      if (answer.code === 'redirect') door.refuse(answer);
      const { status = 0 } = answer.answer ?? {};
      // Nobody who is on the way posts it after this one; the lane pauses.
      if (isBroken(answer) || isUnanswered(answer))
        return door.refuse({ ...answer, code: 'login_failed' });
      if (!isRefusedLogin(status)) return answer;
      const message = `The portal answered the login with ${status}.`;
      return door.refuse({ ...answer, code: 'login_refused', message });
    }
    if (await this.isLogin(answer, profile)) {
      // Not tried again: a portal locks an account after a few wrong passwords.
      const failure = notSent('login_refused', 'The portal shows its login page again.');
      // Where this password has worked, and another login was under way, that one has ended the new session.
      if (door.hasWorked && wire.rivals.wasOvertaken(session)) {
        wire.rivals.over(session);
        return wire.rivals.since(visit.recognised) ?? { ...failure, code: 'session', answer };
      }
      return door.refuse({ ...failure, answer, mayBeRivals: true });
    }
    session.isGreeted = await this.isBehindLogin(answer, profile);
    session.isSignedIn = true;
    if (session.isGreeted) door.worked();
    return undefined;
  }

  private get(visit: Visit, path: string): Promise<Answer | Failure> {
    return this.leg(visit, { method: 'GET', path, body: null, contentType: undefined });
  }

  private async leg(visit: Visit, leg: Leg): Promise<Answer | Failure> {
    const { wire, profile, guard, session } = visit;
    if (visit.left !== undefined) return visit.left;
    const request = { leg, key: undefined, session };
    const exchange = await this.exchanger.exchange(wire, profile, guard, request);
    session.usedAtMs = this.exchanger.monotonicMs();
    if (session.end === 'collision') {
      this.exchanger.takeIsolation(profile.code);
      const collision = collided(profile.code);
      return mayKeepBusy(exchange, profile) ? { ...collision, mayBeBusy: true } : collision;
    }
    const read = beforeThePost(exchange, leg);
    if (mayKeepBusy(read, profile)) {
      const what = `The portal may still be processing ${leg.method} ${leg.path}.`;
      visit.left = read.kind === 'failure' ? read : { ...notSent('page', what), mayBeBusy: true };
    }
    return read;
  }

  /** The session is over: the portal shows its login, with whatever status, or has a status that says only this. */
  private async isOver(answer: Answer | Failure, profile: Profile): Promise<boolean> {
    if (answer.kind === 'answer') return this.isLogin(answer, profile);
    const { answer: refusal } = answer;
    if (refusal === undefined || profile.session?.login === undefined) return false;
    return SESSION_OVER.has(refusal.status) || this.isLogin(refusal, profile);
  }

  /** A page with something of the profile on it: the form, a confirmation, a state. An error page has nothing. */
  private async isBehindLogin(answer: Answer, profile: Profile): Promise<boolean> {
    const facts = await this.exchanger.pages.read(answer, profile);
    if (facts === undefined) return false;
    const { kind, texts } = facts.reading;
    return kind === 'form' || kind === 'confirmation' || (kind === 'other' && hasAny(texts));
  }

  private async isLogin(answer: Answer, profile: Profile): Promise<boolean> {
    const facts = await this.exchanger.pages.read(answer, profile);
    return facts?.reading.kind === 'login';
  }
}

function hasAny(texts: Readonly<Record<string, string>>): boolean {
  return Object.keys(texts).length > 0;
}

/** The login itself broke, not a page that it led to: the portal may have looked at the password, and counted it. */
function isBroken({ answer }: Failure): boolean {
  return answer !== undefined && answer.status >= 500 && answer.path === undefined;
}

/**
 * The login, or the page that it led to, hangs: whoever asks on keeps one slot after the other busy, and posts the password
 * each time. A connection that is cut costs neither; it is tried again as everywhere.
 */
function isUnanswered({ code, answer, mayBeBusy }: Failure): boolean {
  return code === 'timeout' && answer === undefined && mayBeBusy === true;
}

/** A 4xx that blames the login. The others blame the moment, or the page that it was sent from. */
function isRefusedLogin(status: number): boolean {
  return status >= 400 && status < 500 && !LOGIN_UNTRIED.has(status);
}

/** A page that was read, or why there is none. Whatever it is, the filing was not written. */
function beforeThePost(exchange: Exchange, leg: Leg): Answer | Failure {
  if (exchange.kind === 'failure') {
    const { written, ...failure } = exchange;
    return { ...failure, written: false, ...(written ? { mayBeBusy: true } : {}) };
  }
  const { status } = exchange;
  // 404 is left to the reader: a status page may say "not found" with it.
  const isPage = (status >= 200 && status < 300) || status === 404;
  if (isPage && exchange.bodyEnd === 'whole') return exchange;
  const isRedirect = status >= 300 && status < 400;
  const message = `${leg.method} ${leg.path} was answered with ${status}.`;
  return { ...notSent(isRedirect ? 'redirect' : 'page', message), answer: exchange };
}
