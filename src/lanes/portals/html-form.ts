/**
 * The driver `html-form`: a filing is a form that is opened, filled in and posted.
 *
 *   sign in, open the form     other requests; whatever fails here is proof that nothing was filed
 *   post the form              the filing; the lease is checked directly before its bytes are written
 *   read the page after it     a receipt, a refusal, or unknown
 */
import {
  type Exchange,
  type Failure,
  invariant,
  type Profile,
  type SendRequest,
  type StatusRequest,
  type WriteGuard,
} from '../../core/index.ts';
import type { Exchanger } from './exchanger.ts';
import { collided, notSent } from './not-sent.ts';
import { fillForm, misfitOf } from './form-filling.ts';
import { fingerprintOf, formAt, type FormStructure } from './form-structure.ts';
import { charsetOf } from './page-reader.ts';
import { fillStatusPath } from './request-plan.ts';
import type { Leg } from './exchange-run.ts';
import { SignedPages, type Visit } from './signed-pages.ts';
import type { LaneWire } from './lane-wire.ts';

export type OpenedForm =
  | {
      readonly kind: 'opened';
      readonly form: FormStructure;
      readonly fingerprint: string;
      /** What keeps it from being the form that the profile describes. */
      readonly misfit: string | undefined;
      /** Of its page: where, and in which charset. */
      readonly url: string;
      readonly charset: string;
    }
  | { readonly kind: 'failed'; readonly failure: Failure };

export class HtmlForm {
  private readonly exchanger: Exchanger;
  private readonly pages: SignedPages;

  constructor(exchanger: Exchanger) {
    this.exchanger = exchanger;
    this.pages = new SignedPages(exchanger);
  }

  async send(request: SendRequest, guard: WriteGuard): Promise<Exchange> {
    const { profile } = request;
    if (this.exchanger.takeIsolation(profile.code)) return collided(profile.code);
    const rivals = this.exchanger.wireFor(profile).rivals.take();
    if (rivals !== undefined) return rivals;
    return this.inSession(profile, guard, (visit) => this.file(request, visit));
  }

  async ask(request: StatusRequest, guard: WriteGuard): Promise<Exchange> {
    const { profile, key, submissionId } = request;
    const { statusPath } = this.exchanger.wireFor(profile).plan(profile);
    invariant(statusPath !== undefined, `Expected ${profile.code} to have a status page.`);
    const path = fillStatusPath(statusPath, { key, submissionId });
    if (path === undefined) return notSent('protocol', 'The status path needs a submission id.');
    return this.read(profile, path, guard);
  }

  /** A page without effect. */
  async read(profile: Profile, path: string, guard: WriteGuard): Promise<Exchange> {
    return this.inSession(profile, guard, async (visit) => {
      const opened = await this.pages.open(visit, path);
      if (opened.kind === 'failure') return opened;
      return this.exchanger.pages.withReading(opened, profile);
    });
  }

  async openForm(profile: Profile, guard: WriteGuard): Promise<OpenedForm> {
    return this.inSession(profile, guard, (visit) => this.form(visit));
  }

  async tend(profile: Profile, guard: WriteGuard): Promise<Exchange | undefined> {
    const keepAlive = profile.session?.keepAlive;
    if (keepAlive === undefined) return undefined;
    const wire = this.exchanger.wireFor(profile);
    const session = wire.sessions.takeIdle(keepAlive.everyMs);
    if (session === undefined) return undefined;
    try {
      const visit = visitOf(wire, session, profile, guard);
      return await this.pages.touch(visit, wire.plan(profile).basePath + keepAlive.path);
    } finally {
      wire.sessions.giveBack(session);
    }
  }

  private async inSession<T>(
    profile: Profile,
    guard: WriteGuard,
    visit: (visit: Visit) => Promise<T>,
  ): Promise<T> {
    const wire = this.exchanger.wireFor(profile);
    const session = wire.sessions.take();
    try {
      return await visit(visitOf(wire, session, profile, guard));
    } finally {
      wire.sessions.giveBack(session);
    }
  }

  private async file(request: SendRequest, visit: Visit): Promise<Exchange> {
    const { profile, key, payload } = request;
    const { session } = visit;
    const opened = await this.form(visit);
    if (opened.kind === 'failed') return opened.failure;
    const rule = formOf(profile);
    const { form, fingerprint, charset } = opened;
    const expected = rule.fingerprint;
    if (expected !== undefined && fingerprint !== expected) {
      const found = `Expected the form with the fingerprint ${expected}, found ${fingerprint}.`;
      return notSent('form_changed', found);
    }
    if (opened.misfit !== undefined) return notSent('form_changed', opened.misfit);
    const filled = fillForm(form, rule, { payload, key, charset });
    if (filled.kind !== 'filled') {
      return notSent(filled.kind === 'form' ? 'form_changed' : 'payload', filled.reason);
    }
    if (session.end !== 'no') return this.ended(visit);
    const { body, contentType } = filled;
    // To the action as the page has it: its query may carry the state of the form, as a hidden field would.
    return this.post(visit, { path: form.target, body, contentType, from: opened.url }, key);
  }

  /** The filing itself: from here on only a receipt or a refusal is proof. */
  private async post(
    visit: Visit,
    filing: Pick<Leg, 'path' | 'body' | 'contentType' | 'from'>,
    key: string,
  ): Promise<Exchange> {
    const { wire, profile, session } = visit;
    if (visit.left !== undefined) return visit.left;
    const leg: Leg = { method: 'POST', ...filing };
    const exchange = await this.exchanger.exchange(wire, profile, guardOf(visit), {
      leg,
      key,
      session,
    });
    session.usedAtMs = this.exchanger.monotonicMs();
    if (exchange.kind === 'failure') {
      // Nobody knows in which state the portal has left it.
      session.clear();
      return exchange;
    }
    const answer = await this.exchanger.pages.withReading(exchange, profile);
    if (answer.page?.kind === 'login') wire.rivals.over(session);
    else if (answer.page !== undefined) wire.rivals.good(session);
    if (answer.page === undefined || answer.page.kind === 'login') session.clear();
    return answer;
  }

  private async form(visit: Visit): Promise<OpenedForm> {
    const { profile, wire } = visit;
    const rule = formOf(profile);
    const { basePath, submitPath } = wire.plan(profile);
    const opened = await this.pages.open(visit, basePath + rule.path);
    if (opened.kind === 'failure') return { kind: 'failed', failure: opened };
    const facts = await this.exchanger.pages.read(opened, profile);
    // Where redirects have led, relative addresses begin there.
    const url = wire.origin + (opened.path ?? basePath + rule.path);
    const form = facts?.form && formAt(facts.form, url);
    if (form !== undefined) {
      return {
        kind: 'opened',
        form,
        fingerprint: fingerprintOf(form, basePath),
        misfit: misfitOf(form, { rule, submitPath }),
        url,
        charset: charsetOf(opened),
      };
    }
    const message =
      facts === undefined
        ? `Expected ${rule.path} to be a whole HTML page in the charset it claims.`
        : `Expected one form at ${rule.selector} on ${rule.path}, found none or several.`;
    const failure = { ...notSent('form_changed', message), answer: opened };
    // It may be what is shown to somebody who is not signed in: no other session may try the password on it.
    if (!wire.door.hasWorked) wire.door.refuse(failure);
    return { kind: 'failed', failure };
  }

  private ended({ profile, session }: Visit): Failure {
    if (session.end === 'closed') return notSent('connect', 'The lane was closed in the meantime.');
    this.exchanger.takeIsolation(profile.code);
    return collided(profile.code);
  }
}

function visitOf(
  wire: LaneWire,
  session: Visit['session'],
  profile: Profile,
  guard: WriteGuard,
): Visit {
  const { refusals } = wire.door;
  return { wire, profile, guard, session, refusals, recognised: wire.rivals.recognised };
}

/** Also at the write itself: the lane may have been isolated since the form was opened. */
function guardOf({ guard, session }: Visit): WriteGuard {
  return { signal: guard.signal, mayWrite: () => session.end === 'no' && guard.mayWrite() };
}

function formOf(profile: Profile): NonNullable<Profile['form']> {
  invariant(profile.form !== undefined, `Expected ${profile.code} to describe its form.`);
  return profile.form;
}
