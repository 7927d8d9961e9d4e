import type { Dispatcher } from 'undici';
import {
  type Answer,
  type Exchange,
  type FailureCode,
  mayKeepBusy,
  type Profile,
  type WriteGuard,
} from '../core/index.ts';
import { BodyKeeper, emptyBody } from './body-keeper.ts';
import { ConnectionFailure, failureCodeOf } from './failure.ts';
import type { Connection, LaneWire } from './lane-wire.ts';
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

export interface RunOptions {
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

// undici wants an error with an abort; nobody reads it, because the run is settled first.
const STOPPED = new Error('The exchange was stopped.');
const LEASE_LOST = new ConnectionFailure(
  'lease_lost',
  'The lease had run out directly before the write.',
);

type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * One exchange, from its first attempt to connect to its recorded end. It is undici's handler, its own timer target and
 * its own lease holder, so that an exchange costs one object.
 *
 * `isWritten` becomes true in `onRequestStart` and nowhere else: undici calls it in the same synchronous call that
 * writes the request (client-h1.js, writeH1), and writes nothing when it is aborted there. undici never writes a
 * request twice with `pipelining: 1`; should it ever try, the second start is refused.
 */
export class ExchangeRun implements Dispatcher.DispatchHandler, LeaseHolder {
  private readonly options: RunOptions;
  private readonly startedAt: number;
  private timer: NodeJS.Timeout | undefined;
  /** Of every leg: names and values in turn. */
  private commonHeaders: readonly string[] = [];
  private leg: Leg | undefined;
  /** Held from dispatch to the end of the leg. */
  private connection: Connection | undefined;
  private isLegStarted = false;
  private isSettled = false;
  private isWritten = false;
  private redirects = 0;
  /** The answer to a filing that led elsewhere: it stands unless the redirect ends in a success. */
  private redirectAnswer: Answer | undefined;
  private tlsHandshakeMs: number | undefined;
  private status = 0;
  private headers: ResponseHeaders = {};
  private body: BodyKeeper | undefined;

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
    const written = this.isWritten;
    this.settle({ kind: 'failure', written, code, message, elapsedMs: this.elapsedMs() });
    this.dropConnection();
  }

  onTimeout(): void {
    this.fail('timeout', `No whole answer within ${this.options.timeoutMs} ms.`);
  }

  onLeaseLost(): void {
    this.fail('lease_lost', 'The lease was lost while the request was under way.');
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.isSettled || this.isLegStarted) {
      controller.abort(STOPPED);
      return;
    }
    if (!this.options.guard.mayWrite()) {
      controller.abort(LEASE_LOST);
      return;
    }
    this.isLegStarted = true;
    this.isWritten = true;
    const news = this.connection?.news;
    if (news?.tlsHandshakeMs === undefined) return;
    this.tlsHandshakeMs ??= news.tlsHandshakeMs;
    news.tlsHandshakeMs = undefined;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ResponseHeaders,
  ): void {
    // Interim answers say nothing about the outcome.
    if (status < 200 || this.isSettled) return;
    this.status = status;
    this.headers = headers;
    this.options.session.keep(this.leg?.path ?? '/', headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.isSettled) return;
    this.body ??= new BodyKeeper();
    this.body.add(chunk);
    if (this.body.isFlood) this.endCut();
  }

  onResponseEnd(): void {
    if (this.isSettled || this.connection === undefined) return;
    if (this.connection.news.hasFailed) {
      this.endCut();
      return;
    }
    this.options.wire.giveBack(this.connection);
    this.connection = undefined;
    this.conclude(this.answer(this.body?.isBeyondLimit === true ? 'beyond_limit' : 'whole'));
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.isSettled) return;
    // With the status line here the portal has spoken; what is missing is the rest of the body.
    if (this.status !== 0) this.endCut();
    else this.fail(failureCodeOf(error), error.message);
  }

  private endCut(): void {
    // Never followed: undici may still report the end of this leg, and would be heard as the next one.
    this.settleAnswer(this.answer('cut'));
    this.dropConnection();
  }

  private dropConnection(): void {
    const { connection } = this;
    this.connection = undefined;
    if (connection !== undefined) this.options.wire.drop(connection);
  }

  private dispatch(leg: Leg): void {
    if (this.isSettled) return;
    const { method, path, body, contentType } = leg;
    const { wire } = this.options;
    this.leg = leg;
    this.isLegStarted = false;
    this.status = 0;
    this.body = undefined;
    const headers = [...this.commonHeaders];
    if (contentType !== undefined) headers.push('content-type', contentType);
    // As browsers send it: frameworks take a form without it for one that another site made them post.
    if (leg.from !== undefined) headers.push('origin', wire.origin, 'referer', leg.from);
    this.options.session.addHeaders(headers, path);
    this.connection = wire.take();
    if (this.connection === undefined) this.fail('connect', 'The lane has no free connection.');
    else this.connection.client.dispatch({ method, path, body, headers }, this);
  }

  private answer(bodyEnd: Answer['bodyEnd']): Answer {
    const { body, bodySha256 } = this.body?.end() ?? emptyBody();
    const answer: Answer = {
      kind: 'answer',
      status: this.status,
      headers: joinRepeated(this.headers),
      body,
      bodyEnd,
      bodySha256,
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

function joinRepeated(headers: ResponseHeaders): Readonly<Record<string, string>> {
  const joined: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) joined[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return joined;
}
