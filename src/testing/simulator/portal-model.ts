import { type Instant, invariant, type Profile } from '../../core/index.ts';
import { AnswerBodies } from './answer-bodies.ts';
import {
  type Behaviour,
  type BehaviourChange,
  changeBehaviour,
  DEFAULT_BEHAVIOUR,
} from './behaviour.ts';
import { Dice } from './dice.ts';
import { FaultPlan } from './fault-plan.ts';
import { isHealthFault } from './faults.ts';
import { type Filing, Reception, NO_FILING } from './reception.ts';
import { OpeningClock } from './opening-hours.ts';
import { PageBodies } from './page-bodies.ts';
import { formOf, PageEndpoints } from './page-endpoints.ts';
import { type AnswerPlan, deliveryMs, type Plan, type PortalRequest } from './plan.ts';
import {
  beyondTimeoutMs,
  type Handled,
  honest,
  type PortalState,
  worksOnMs,
} from './portal-state.ts';
import { ReceiptMaker } from './receipt-maker.ts';
import { type Route, Routes } from './routes.ts';
import { SessionWatch } from './session-watch.ts';
import { StatusEndpoint } from './status-endpoint.ts';
import { respond, respondPage } from './submit-answers.ts';
import { type Refusal, Truth } from './truth.ts';

// Enough to look back on the last seconds of a bench; a test that checks every request asks for more.
export const REQUEST_LOG_MAX = 20_000;

export interface PortalModelOptions {
  readonly profile: Profile;
  readonly behaviour?: BehaviourChange;
  /** How many requests the log keeps. Default: REQUEST_LOG_MAX. */
  readonly requestLogMax?: number;
}

/**
 * One portal, played from its profile. It does no I/O and has no clock: whoever drives it (an HTTP server, a simulation
 * on a virtual clock) says what arrives and when, and carries out the plan. In flight is counted from `arrive` to
 * `finish`, which the driver calls when the portal is done, not when the client has gone.
 */
export class PortalModel {
  readonly truth: Truth;
  private readonly state: PortalState;
  private readonly routes: Routes;
  private readonly reception: Reception;
  private readonly statusEndpoint: StatusEndpoint;
  private readonly sessions: SessionWatch;
  private readonly opening: OpeningClock | undefined;
  private readonly pages: PageEndpoints | undefined;
  private readonly open = new Map<number, string>();
  private arrivals = 0;
  private blockedUntil = Number.NEGATIVE_INFINITY;
  private blocks = 0;

  constructor(options: PortalModelOptions) {
    const { profile } = options;
    const quirks = changeBehaviour(DEFAULT_BEHAVIOUR, quirksOf(profile));
    const behaviour = changeBehaviour(quirks, options.behaviour ?? {});
    const form = formOf(profile);
    const pageBodies = form === undefined ? undefined : new PageBodies(profile);
    this.truth = new Truth(profile.code, options.requestLogMax ?? REQUEST_LOG_MAX);
    this.state = {
      profile,
      bodies: pageBodies ?? new AnswerBodies(profile),
      receipts: new ReceiptMaker(profile.receipt.pattern),
      truth: this.truth,
      dice: new Dice(),
      behaviour,
      faultPlan: new FaultPlan(behaviour, profile),
      receiptsIssued: 0,
      lastTaken: undefined,
      pause: { from: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY },
    };
    this.routes = new Routes(profile);
    this.statusEndpoint = new StatusEndpoint(this.state);
    this.sessions = new SessionWatch(profile.code, profile.session?.cookies[0]);
    this.pages =
      form === undefined || pageBodies === undefined
        ? undefined
        : new PageEndpoints(this.state, pageBodies, this.sessions, form);
    this.reception = new Reception(this.state, this.pages, () => this.latencyMs());
    this.opening = profile.hours === undefined ? undefined : new OpeningClock(profile.hours);
  }

  get behaviour(): Behaviour {
    return this.state.behaviour;
  }

  /** From the next arrival on. What is already planned stays. */
  behave(change: BehaviourChange): void {
    this.state.behaviour = changeBehaviour(this.state.behaviour, change);
    this.state.faultPlan = new FaultPlan(this.state.behaviour, this.state.profile);
  }

  /** A whole request has reached the portal. */
  arrive(request: PortalRequest, now: Instant): Plan {
    const number = ++this.arrivals;
    const session = this.enter(number, request, now);
    const route = this.routes.match(request.method, request.path);
    const filing = route.endpoint === 'submit' ? this.reception.read(request) : NO_FILING;
    const { sha256 } = filing;
    const key = route.endpoint === 'submit' ? filing.key : route.key;
    const handled =
      this.turnAway(number, request, route, now) ??
      this.handle({ number, request, route, filing, now });
    const { fault, delayMs, acceptsAfterMs } = handled;
    const answer = this.asPage(this.withSession(handled.answer, session), route);
    if (fault !== undefined) this.truth.countFault(fault);
    this.truth.countRequest({
      number,
      at: now,
      method: request.method,
      path: request.path,
      endpoint: route.endpoint,
      key,
      sha256,
      session,
      fault,
      status: answer.kind === 'respond' ? answer.status : 0,
    });
    const finishAfterMs =
      answer.kind === 'silence'
        ? this.silenceMs()
        : delayMs + deliveryMs(answer) + worksOnMs(answer, this.state);
    return {
      request: number,
      endpoint: route.endpoint,
      fault,
      acceptsAfterMs,
      delayMs,
      answer,
      finishAfterMs,
    };
  }

  /** The portal is done with a request, whether or not the client heard the answer. */
  finish(request: number): void {
    const session = this.open.get(request);
    invariant(session !== undefined, 'A request is finished once, after it has arrived.', {
      lane: this.state.profile.code,
      request,
    });
    this.open.delete(request);
    this.truth.inFlight = this.open.size;
    if (session !== '') this.sessions.leave(session);
  }

  private enter(number: number, request: PortalRequest, now: Instant): string {
    const { truth, state } = this;
    const session = this.sessions.token(request);
    this.open.set(number, session);
    truth.inFlight = this.open.size;
    if (truth.inFlight > truth.inFlightMax) truth.inFlightMax = truth.inFlight;
    if (now >= state.pause.from && now < state.pause.until) truth.arrivedWhilePaused += 1;
    if (session !== '') {
      if (this.sessions.isForeign(session)) truth.sessions.foreign += 1;
      if (this.sessions.enter(session)) truth.sessions.shared += 1;
    }
    return session;
  }

  /** The refusals that come before anybody reads the request: a block, and closed doors. */
  private turnAway(
    number: number,
    request: PortalRequest,
    route: Route,
    now: Instant,
  ): Handled | undefined {
    const { state, truth } = this;
    const { behaviour, bodies, profile } = state;
    if (truth.inFlight > profile.ceiling) {
      truth.arrivedOverCeiling += 1;
      if (behaviour.overCeiling === 'blocked') this.blockedUntil = now + behaviour.blockMs;
    }
    if (now < this.blockedUntil) {
      const reset = String(Math.ceil(this.blockedUntil / 1000));
      // A client that keeps coming is taken for a machine.
      this.blocks += 1;
      const isSuspect =
        this.blocks >= profile.captcha.threshold && profile.captcha.marks.length > 0;
      const page = isSuspect ? bodies.captchaPage() : bodies.errorPage(403);
      const answer = respondPage(403, page, { 'x-ratelimit-reset': reset });
      return this.refusal('blocked', number, answer);
    }
    if (behaviour.credentials === 'checked' && route.endpoint !== 'health') {
      const isStranger = profile.credentials.some(
        ({ header }) => (request.headers[header.toLowerCase()] ?? '') === '',
      );
      if (isStranger)
        return this.refusal('stranger', number, respondPage(401, bodies.errorPage(401)));
    }
    if (behaviour.closedHours === 'ignored' || (this.opening?.isOpen(now) ?? true)) {
      return undefined;
    }
    const status = behaviour.closedHours === 'page_503' ? 503 : 403;
    return this.refusal('closed', number, respondPage(status, bodies.closedPage()));
  }

  private refusal(why: Refusal, number: number, answer: AnswerPlan): Handled {
    this.truth.countRefusal(why);
    this.state.dice.reseed(this.behaviour.seed, why, number);
    return honest(answer, this.latencyMs());
  }

  private handle(arrival: {
    readonly number: number;
    readonly request: PortalRequest;
    readonly route: Route;
    readonly filing: Filing;
    readonly now: Instant;
  }): Handled {
    const { number, request, route, filing, now } = arrival;
    switch (route.endpoint) {
      case 'submit':
        return this.reception.take(number, request, filing, now);
      case 'status': {
        const { key, submissionId } = route;
        return this.statusEndpoint.tell({ number, key, submissionId, now }, () => this.latencyMs());
      }
      case 'health':
        return this.health(number);
      case 'other': {
        this.state.dice.reseed(this.behaviour.seed, 'other', number);
        const delayMs = this.latencyMs();
        const found = this.pages?.page(request, now) ?? this.reception.registry(request);
        return honest(found ?? this.nothingHere(route), delayMs);
      }
    }
  }

  private nothingHere(route: Route): AnswerPlan {
    const status = route.wrongMethod ? 405 : 404;
    return respond(status, this.state.bodies.problem(`HTTP_${status}`, 'No such thing here.'));
  }

  /** A portal with pages answers in HTML, whatever it has to say. */
  private asPage(answer: AnswerPlan, { endpoint }: Route): AnswerPlan {
    if (this.pages === undefined || answer.kind !== 'respond' || endpoint === 'health') {
      return answer;
    }
    const headers = { ...answer.headers, 'content-type': 'text/html; charset=utf-8' };
    return { ...answer, headers };
  }

  private health(number: number): Handled {
    const { dice, faultPlan, behaviour, bodies } = this.state;
    const nth = this.truth.requests.health + 1;
    dice.reseed(behaviour.seed, 'health', nth);
    const fault = faultPlan.choose({ endpoint: 'health', request: number, key: '', nth }, dice);
    const good = respond(200, bodies.problem('OK', 'Open.'));
    const bad = respondPage(behaviour.health === 'bad' ? 503 : 500, bodies.errorPage(500));
    if (fault === undefined || !isHealthFault(fault)) {
      return honest(behaviour.health === 'good' ? good : bad, this.latencyMs());
    }
    const answers = {
      health_500: bad,
      health_cut: { kind: 'cut' },
      health_silence: { kind: 'silence' },
    } as const satisfies Record<typeof fault, AnswerPlan>;
    return { ...honest(answers[fault], this.latencyMs()), fault };
  }

  /** One throw of the dice, in whole milliseconds: timers know no smaller ones. */
  private latencyMs(): number {
    const { mean, spread } = this.behaviour.latencyMs;
    return Math.max(0, Math.round(mean + (this.state.dice.next() * 2 - 1) * spread));
  }

  private silenceMs(): number {
    return this.behaviour.timings.silenceMs ?? beyondTimeoutMs(this.state.profile);
  }

  private withSession(answer: AnswerPlan, session: string): AnswerPlan {
    const isOwn = this.pages !== undefined || this.behaviour.sessions === 'none';
    if (isOwn || session !== '' || answer.kind !== 'respond') return answer;
    return { ...answer, headers: { ...answer.headers, 'set-cookie': this.sessions.issue() } };
  }
}

/** What a profile says about its portal beyond its answers: serial sessions are watched, and too many are blocked. */
function quirksOf(profile: Profile): BehaviourChange {
  if (profile.driver !== 'json-api' || profile.session?.scope !== 'slot') return {};
  return { overCeiling: 'blocked', sessions: 'tracked' };
}
