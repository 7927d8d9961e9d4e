import type { FormRule, Instant, Profile } from '../../core/index.ts';
import { type PageBodies, relative } from './page-bodies.ts';
import type { AnswerPlan, PortalRequest } from './plan.ts';
import type { PortalState } from './portal-state.ts';
import type { SessionWatch } from './session-watch.ts';
import { respondPage } from './submit-answers.ts';

export interface Guest {
  seenAt: number;
  /** Tokens of the forms that were shown and not posted yet. */
  readonly csrf: Set<string>;
  /** Confirmation pages to be fetched, by number. */
  readonly confirmations: Map<string, Uint8Array>;
}

// A client that opens sessions without end is a mistake in a test; the oldest is forgotten, as portals do.
const GUESTS_MAX = 10_000;
const EMPTY = Buffer.alloc(0);

export type Door =
  | { readonly kind: 'open'; readonly guest: Guest }
  | { readonly kind: 'shut'; readonly answer: AnswerPlan };

/** Login, form and confirmation pages of a portal with the driver `html-form`. */
export class PageEndpoints {
  private readonly state: PortalState;
  private readonly bodies: PageBodies;
  private readonly sessions: SessionWatch;
  private readonly rule: FormRule;
  private readonly guests = new Map<string, Guest>();
  private made = 0;
  private signIns = 0;
  private lastConfirmation: Uint8Array | undefined;

  constructor(state: PortalState, bodies: PageBodies, sessions: SessionWatch, rule: FormRule) {
    this.state = state;
    this.bodies = bodies;
    this.sessions = sessions;
    this.rule = rule;
  }

  /** The pages around the filing; undefined when the path is none of them. */
  page(request: PortalRequest, now: Instant): AnswerPlan | undefined {
    const { profile } = this.state;
    const path = request.path.split('?')[0] ?? '';
    const act = `${request.method} ${path}`;
    const login = profile.session?.login;
    if (login !== undefined && act === `GET ${login.path}`) return this.showLogin();
    const entrance = login?.submitPath ?? login?.path;
    if (login !== undefined && act === `POST ${entrance}`) return this.signIn(request, now);
    if (act === `GET ${this.rule.path}`) return this.showForm(request, now);
    if (act === `GET ${profile.session?.keepAlive?.path}`) return this.stay(request, now);
    if (request.method === 'GET' && profile.redirects.includes(path)) {
      return this.confirmation(request, now);
    }
    return undefined;
  }

  /** Whether the filing may come in: a live session, and the token of a form that was shown in it. */
  enter(request: PortalRequest, fields: URLSearchParams, now: Instant): Door {
    const guest = this.guest(this.sessions.token(request), now);
    const { profile, truth } = this.state;
    if (guest === undefined) {
      truth.countRefusal('session');
      return { kind: 'shut', answer: this.toLogin(profile.submit.path) };
    }
    if (!guest.csrf.delete(fields.get('csrf_token') ?? '')) {
      truth.countRefusal('session');
      return { kind: 'shut', answer: respondPage(403, this.bodies.errorPage(403)) };
    }
    return { kind: 'open', guest };
  }

  fieldsOf(request: PortalRequest): URLSearchParams {
    return new URLSearchParams(Buffer.from(request.body).toString('utf8'));
  }

  /** The payload as the form brought it, put back where the profile took it from. */
  payloadOf(fields: URLSearchParams): Record<string, unknown> {
    const payload: Record<string, unknown> = {};
    for (const field of this.rule.fields) {
      const value = fields.get(field.name);
      if ('at' in field && value !== null) put(payload, field.at.split('/').slice(1), value);
    }
    return payload;
  }

  keyOf(fields: URLSearchParams): string | undefined {
    const { keyField } = this.rule;
    return keyField === undefined ? undefined : (fields.get(keyField) ?? undefined);
  }

  /** A page of success is not shown but led to, as portals do against a second press of the button. */
  afterPost(answer: AnswerPlan, guest: Guest): AnswerPlan {
    const { profile } = this.state;
    const [target] = profile.redirects;
    const isWhole = answer.kind === 'respond' && answer.delivery.kind === 'whole';
    if (!isWhole || answer.status < 200 || answer.status > 299 || target === undefined) {
      return answer;
    }
    const number = String(++this.made);
    guest.confirmations.set(number, answer.body);
    this.lastConfirmation = answer.body;
    const location = `${relative(profile.submit.path, target)}?n=${number}`;
    return respondPage(303, EMPTY, { location });
  }

  private showLogin(): AnswerPlan {
    if (this.state.behaviour.login === 'hangs') return { kind: 'silence' };
    return respondPage(200, this.bodies.login());
  }

  private signIn(request: PortalRequest, now: Instant): AnswerPlan {
    const { behaviour, profile } = this.state;
    const given = this.fieldsOf(request);
    const login = profile.session?.login;
    const fields = login?.fields ?? [];
    const isComplete = fields.every(({ name }) => (given.get(name) ?? '') !== '');
    if (behaviour.login === 'refused' || !isComplete || [...given.values()].includes('wrong')) {
      return respondPage(200, this.bodies.login('<p class="error">Not known.</p>'));
    }
    if (behaviour.login === 'turned_away') {
      return respondPage(200, this.bodies.problem('Sign in', 'Name or password not known.'));
    }
    if (behaviour.login === 'hangs_after_post') return { kind: 'silence' };
    this.signIns += 1;
    const isBroken = behaviour.login === 'error_500_at_times' && this.signIns % 3 === 0;
    if (isBroken || behaviour.login === 'error_500') {
      return respondPage(500, this.bodies.errorPage(500));
    }
    if (behaviour.login === 'ends_former') this.guests.clear();
    const token = behaviour.login === 'shared' ? `${profile.code}.shared` : this.sessions.next();
    this.guests.set(token, newGuest(now));
    const [oldest] = this.guests.keys();
    if (this.guests.size > GUESTS_MAX && oldest !== undefined) this.guests.delete(oldest);
    return respondPage(303, EMPTY, {
      location: relative(login?.submitPath ?? login?.path ?? '/', this.rule.path),
      'set-cookie': this.sessions.issue(token),
    });
  }

  private showForm(request: PortalRequest, now: Instant): AnswerPlan {
    const token = this.sessions.token(request);
    const guest = this.guest(token, now);
    if (guest === undefined) return this.toLogin(this.rule.path);
    const csrf = `${token}-${++this.made}`;
    guest.csrf.add(csrf);
    const { behaviour } = this.state;
    return respondPage(200, this.bodies.form(this.rule, csrf, behaviour.form === 'changed'));
  }

  private stay(request: PortalRequest, now: Instant): AnswerPlan {
    const path = this.state.profile.session?.keepAlive?.path ?? '/';
    if (this.guest(this.sessions.token(request), now) === undefined) return this.toLogin(path);
    return respondPage(200, this.bodies.errorPage(200));
  }

  private confirmation(request: PortalRequest, now: Instant): AnswerPlan | undefined {
    const guest = this.guest(this.sessions.token(request), now);
    if (guest === undefined) return this.toLogin(request.path.split('?')[0] ?? '');
    const number = new URLSearchParams(request.path.split('?')[1]).get('n') ?? '';
    const isOfAccount = this.state.behaviour.confirmation === 'account';
    const own = guest.confirmations.get(number);
    const body = isOfAccount && own !== undefined ? this.lastConfirmation : own;
    return body === undefined ? undefined : respondPage(200, body);
  }

  private toLogin(from: string): AnswerPlan {
    const login = this.state.profile.session?.login;
    if (login === undefined) return respondPage(403, this.bodies.errorPage(403));
    return respondPage(302, EMPTY, { location: relative(from, login.path) });
  }

  /** The guest behind a token, if signed in and not idle for too long. */
  private guest(token: string, now: Instant): Guest | undefined {
    const { behaviour, profile } = this.state;
    if (behaviour.login === 'open' || profile.session?.login === undefined) {
      const anyone = this.guests.get('') ?? newGuest(now);
      this.guests.set('', anyone);
      return anyone;
    }
    const guest = this.guests.get(token);
    const idleMs = behaviour.sessionIdleMs ?? profile.session.idleMs;
    if (guest === undefined || now - guest.seenAt >= idleMs) {
      this.guests.delete(token);
      return undefined;
    }
    guest.seenAt = now;
    return guest;
  }
}

function newGuest(now: Instant): Guest {
  return { seenAt: now, csrf: new Set(), confirmations: new Map() };
}

function put(target: Record<string, unknown>, path: readonly string[], value: string): void {
  const [step = '', ...rest] = path;
  const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const inner: Record<string, unknown> = {};
  // Only objects made here stand in between.
  const next = (target[name] as Record<string, unknown> | undefined) ?? inner;
  target[name] = next;
  put(next, rest, value);
}

/** Whether the profile's portal has pages at all. */
export function formOf(profile: Profile): FormRule | undefined {
  return profile.driver === 'html-form' ? profile.form : undefined;
}
