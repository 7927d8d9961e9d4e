/** One request on one connection: written once, read within bounds, ended exactly once. */
import type { Dispatcher } from 'undici';
import type { FailureCode } from '../core/index.ts';
import { BodyKeeper, type BodyLimits, emptyBody } from './body-keeper.ts';
import type { SocketNews } from './connector.ts';
import { ConnectionFailure, failureCodeOf, type PhaseTimes } from './failure.ts';

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface WireRequest {
  readonly method: 'POST' | 'PUT' | 'GET' | 'HEAD';
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: Uint8Array | null;
}

export interface WireAnswer {
  readonly kind: 'answer';
  readonly status: number;
  /** Lower-case names; repeated headers joined by a comma and a space. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** `cut` when the connection ended before the body did; `beyond_limit` when only its first part was kept. */
  readonly bodyEnd: 'whole' | 'cut' | 'beyond_limit';
  /** Over all bytes that were read. */
  readonly bodySha256: string;
}

export interface WireFailure {
  readonly kind: 'failure';
  readonly code: FailureCode;
  /** Holds no payload, no header and no credential. */
  readonly message: string;
  /** Of a connection that did not come about. */
  readonly times?: PhaseTimes;
}

export interface Requester {
  /** Asked in the same synchronous call that writes the request; nothing is written when it says no. */
  mayWrite(): boolean;
  /** The status line and the headers are here. */
  onHead?(status: number, headers: ResponseHeaders): void;
  onEnd(end: WireAnswer | WireFailure): void;
}

// undici wants an error with an abort; nobody reads it, because the exchange is over.
const STOPPED = new Error('The exchange was stopped.');
const LEASE_LOST = new ConnectionFailure(
  'lease_lost',
  'The lease had run out directly before the write.',
);

/**
 * undici's handler. `isWritten` becomes true in `onRequestStart` and nowhere else: undici calls it in the same
 * synchronous call that writes the request (client-h1.js, writeH1), and writes nothing when it is aborted there. undici
 * never writes a request twice with `pipelining: 1`; should it ever try, the second start is refused.
 */
export class WireExchange implements Dispatcher.DispatchHandler {
  isWritten = false;
  /** Of an answer that has begun; 0 before. */
  status = 0;
  headers: ResponseHeaders = {};
  private readonly requester: Requester;
  private readonly news: SocketNews;
  private readonly limits: BodyLimits;
  private body: BodyKeeper | undefined;
  private isOver = false;

  constructor(requester: Requester, news: SocketNews, limits: BodyLimits) {
    this.requester = requester;
    this.news = news;
    this.limits = limits;
  }

  /** Whoever asked has given up: nothing is written any more, and nothing is told. */
  stop(): void {
    this.isOver = true;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.isOver || this.isWritten) controller.abort(STOPPED);
    else if (this.requester.mayWrite()) this.isWritten = true;
    else controller.abort(LEASE_LOST);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ResponseHeaders,
  ): void {
    // Interim answers say nothing about the outcome.
    if (status < 200 || this.isOver) return;
    this.status = status;
    this.headers = headers;
    this.requester.onHead?.(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.isOver) return;
    this.body ??= new BodyKeeper(this.limits);
    this.body.add(chunk);
    if (this.body.isFlood) this.answer('cut');
  }

  onResponseEnd(): void {
    if (this.news.hasFailed) this.answer('cut');
    else this.answer(this.body?.isBeyondLimit === true ? 'beyond_limit' : 'whole');
  }

  onResponseError(_controller: unknown, error: Error): void {
    // With the status line here the other side has spoken; what is missing is the rest of the body.
    if (this.status !== 0) return this.answer('cut');
    const failure = {
      kind: 'failure',
      code: failureCodeOf(error),
      message: error.message,
    } as const;
    return this.end(
      error instanceof ConnectionFailure ? { ...failure, times: error.times } : failure,
    );
  }

  private answer(bodyEnd: WireAnswer['bodyEnd']): void {
    if (this.isOver) return;
    const { status } = this;
    const headers = joinRepeated(this.headers);
    const { body, bodySha256 } = this.body?.end() ?? emptyBody();
    this.end({ kind: 'answer', status, headers, body, bodyEnd, bodySha256 });
  }

  private end(end: WireAnswer | WireFailure): void {
    if (this.isOver) return;
    this.isOver = true;
    this.requester.onEnd(end);
  }
}

export function joinRepeated(headers: ResponseHeaders): Readonly<Record<string, string>> {
  const joined: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) joined[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return joined;
}
