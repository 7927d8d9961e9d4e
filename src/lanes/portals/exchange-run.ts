import {
  type Answer,
  type Exchange,
  type FailureCode,
  type Profile,
  RESPONSE_BYTES_MAX,
  type WriteGuard,
} from '../../core/index.ts';
import { mayKeepBusy } from '../rules/busy.ts';
import {
  type Connection,
  type Requester,
  type ResponseHeaders,
  type WireAnswer,
  WireExchange,
  type WireFailure,
} from '../../wire/index.ts';
import type { LaneWire } from './lane-wire.ts';
import type { LeaseHolder, LeaseWatch } from './lease-watch.ts';
import type { Session } from './session.ts';
import { declaredRedirect, type RequestPlan } from './request-plan.ts';

/** One request; a declared redirect adds another. */
export interface Leg {
  readonly method: 'POST' | 'PUT' | 'GET' | 'HEAD';
  readonly path: string;
  readonly body: Uint8Array | null;
  readonly contentType: string | undefined;
  /** It files nothing (a login, say): where it leads to is the answer, whatever that says. */
  readonly isHarmless?: true;
  /** The address of the page whose form is posted. */
  readonly from?: string;
}

interface RunOptions {
  readonly wire: LaneWire;
  readonly plan: RequestPlan;
  readonly profile: Profile;
  readonly session: Session;
  readonly guard: WriteGuard;
  readonly leases: LeaseWatch;
  readonly timeoutMs: number;
  readonly monotonicMs: () => number;
  readonly resolve: (exchange: Exchange) => void;
}

// A portal that sends us further than this goes in circles.
const REDIRECTS_MAX = 3;

const BODY_LIMITS = {
  keptBytesMax: RESPONSE_BYTES_MAX,
  readBytesMax: 64 * 1024 * 1024,
};

/**
 * One exchange with a portal, from its first attempt to connect to its recorded end. It asks for each leg, is its own
 * timer target and its own lease holder, so that an exchange costs few objects.
 */
export class ExchangeRun implements Requester, LeaseHolder {
  private readonly options: RunOptions;
  private readonly startedAt: number;
  private timer: NodeJS.Timeout | undefined;
  /** Of every leg: names and values in turn. */
  private commonHeaders: readonly string[] = [];
  private leg: Leg | undefined;
  /** Held from dispatch to the end of the leg. */
  private connection: Connection | undefined;
  private exchange: WireExchange | undefined;
  private isSettled = false;
  /** One of the legs before this one. */
  private wasWritten = false;
  private redirects = 0;
  /** The answer to a filing that led elsewhere: it stands unless the redirect ends in a success. */
  private redirectAnswer: Answer | undefined;
  private tlsHandshakeMs: number | undefined;

  constructor(options: RunOptions) {
    this.options = options;
    this.startedAt = options.monotonicMs();
  }

  /** Starts the clock. Nothing is sent before `send`. */
  begin(): void {
    const { guard, leases, timeoutMs } = this.options;
    if (guard.signal.aborted) {
      this.fail('lease_lost', 'The lease was lost before the request began.');
      return;
    }
    this.timer = setTimeout(onTimeout, timeoutMs, this);
    leases.add(guard.signal, this);
  }

  send(leg: Leg, commonHeaders: readonly string[]): void {
    this.commonHeaders = commonHeaders;
    this.dispatch(leg);
  }

  /** Ends the exchange; a request in flight is cut off, which does not recall what was written. */
  fail(code: FailureCode, message: string): void {
    if (this.isSettled) return;
    const written = this.wasWritten || this.exchange?.isWritten === true;
    this.exchange?.stop();
    this.settle({ kind: 'failure', written, code, message, elapsedMs: this.elapsedMs() });
    this.dropConnection();
  }

  onTimeout(): void {
    this.fail('timeout', `No complete answer within ${this.options.timeoutMs} ms.`);
  }

  onLeaseLost(): void {
    this.fail('lease_lost', 'The lease was lost while the request was in flight.');
  }

  mayWrite(): boolean {
    return this.options.guard.mayWrite();
  }

  onHead(_status: number, headers: ResponseHeaders): void {
    const news = this.connection?.news;
    this.tlsHandshakeMs ??= news?.times?.tlsHandshakeMs;
    if (news !== undefined) news.times = undefined;
    this.options.session.keep(this.leg?.path ?? '/', headers);
  }

  onEnd(end: WireAnswer | WireFailure): void {
    if (end.kind === 'failure') {
      this.fail(end.code, end.message);
      return;
    }
    const answer = this.answer(end);
    if (end.bodyEnd === 'cut' || this.connection === undefined) {
      // Never followed: half of an answer leads nowhere.
      this.settleAnswer(answer);
      this.dropConnection();
      return;
    }
    this.options.wire.connections.giveBack(this.connection);
    this.connection = undefined;
    this.conclude(answer);
  }

  private dropConnection(): void {
    const { connection } = this;
    this.connection = undefined;
    if (connection !== undefined) this.options.wire.connections.drop(connection);
  }

  private dispatch(leg: Leg): void {
    if (this.isSettled) return;
    const { method, path, body, contentType } = leg;
    const { wire } = this.options;
    this.leg = leg;
    this.wasWritten ||= this.exchange?.isWritten === true;
    this.exchange = undefined;
    const headers = [...this.commonHeaders];
    if (contentType !== undefined) headers.push('content-type', contentType);
    // As browsers send it: frameworks take a form without it for one that another site made them post.
    if (leg.from !== undefined) headers.push('origin', wire.origin, 'referer', leg.from);
    this.options.session.addHeaders(headers, path);
    const connection = wire.connections.take();
    if (connection === undefined) {
      this.fail('connect', 'The lane has no free connection.');
      return;
    }
    this.connection = connection;
    this.exchange = new WireExchange(this, connection.news, BODY_LIMITS);
    connection.dispatch({ method, path, body, headers }, this.exchange);
  }

  private answer(end: WireAnswer): Answer {
    // Field by field: objects made by spreading other ones are slow to make and to read, and this is every answer.
    const answer: Answer = {
      kind: 'answer',
      status: end.status,
      headers: end.headers,
      body: end.body,
      bodyEnd: end.bodyEnd,
      bodySha256: end.bodySha256,
      elapsedMs: this.elapsedMs(),
      ...(this.redirects > 0 && this.leg !== undefined ? { path: this.leg.path } : {}),
    };
    const { tlsHandshakeMs } = this;
    return tlsHandshakeMs === undefined ? answer : { ...answer, tlsHandshakeMs };
  }

  /** A whole answer ends the exchange, or leads on. */
  private conclude(answer: Answer): void {
    const { plan, wire } = this.options;
    const { leg } = this;
    if (plan.redirectPaths.size > 0 && leg !== undefined && this.redirects < REDIRECTS_MAX) {
      const { location } = answer.headers;
      const url = wire.origin + leg.path;
      const path = declaredRedirect(plan, { status: answer.status, location, url });
      if (path !== undefined) {
        this.redirects += 1;
        if (leg.body !== null && leg.isHarmless !== true) this.redirectAnswer = answer;
        this.dispatch({ method: 'GET', path, body: null, contentType: undefined });
        return;
      }
    }
    this.settleAnswer(answer);
  }

  private settleAnswer(answer: Answer): void {
    // The page behind a redirect speaks about itself. Its 404 or 403 must not pass for a refusal of the filing, which
    // the portal may well have taken; the redirect itself is then the answer, and its meaning is unknown.
    const { redirectAnswer } = this;
    const isSuccess = answer.status >= 200 && answer.status < 300;
    if (isSuccess || redirectAnswer === undefined) this.settle(answer);
    else if (!mayKeepBusy(answer, this.options.profile)) this.settle(redirectAnswer);
    else this.settle({ ...redirectAnswer, mayBeBusy: true });
  }

  private settle(exchange: Exchange): void {
    if (this.isSettled) return;
    this.isSettled = true;
    clearTimeout(this.timer);
    this.options.leases.remove(this.options.guard.signal, this);
    this.options.resolve(exchange);
  }

  private elapsedMs(): number {
    return this.options.monotonicMs() - this.startedAt;
  }
}

// A plain function with the run as its argument: no closure for each request.
function onTimeout(run: ExchangeRun): void {
  run.onTimeout();
}
