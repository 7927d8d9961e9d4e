/** One request on a connection of its own. Every outcome is a value; nothing is retried here. */
import type { WriteGuard } from '../core/index.ts';
import type { BodyLimits } from './body-keeper.ts';
import { Connection } from './connections.ts';
import { after, type ConnectorOptions, processMs } from './connector.ts';
import {
  joinRepeated,
  type Requester,
  type WireAnswer,
  WireExchange,
  type WireFailure,
} from './exchange.ts';
import type { PhaseTimes } from './failure.ts';
import type { AllowedPrivate } from './private-networks.ts';

interface OnceRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Networks off the public internet that it may reach too. */
  readonly allowPrivateAddresses: AllowedPrivate;
}

export interface OnceLimits extends BodyLimits {
  /** For all of it, and for each phase that has no limit of its own. */
  readonly wholeMs: number;
  /** Name and TCP connection. */
  readonly connectMs?: number;
  readonly handshakeMs?: number;
  /** From the write to the end of the answer, however it drips. */
  readonly answerMs?: number;
}

export type OnceDeps = Pick<ConnectorOptions, 'monotonicMs' | 'lookup' | 'certificateAuthorities'>;

interface OnceTimes extends PhaseTimes {
  /** From the moment at which the connection was open; absent where it never was. */
  readonly responseMs?: number;
}

export type OnceEnd = { readonly times: OnceTimes; readonly elapsedMs: number } & (
  | WireAnswer
  | (Omit<WireFailure, 'times'> & {
      /** False is proof that nothing was sent. */
      readonly written: boolean;
      /** An answer that had begun when the time was over. */
      readonly heard?: Pick<WireAnswer, 'status' | 'headers'>;
    })
);

/** For requests that no slot stands behind, and that nobody takes back. */
export const UNGUARDED: WriteGuard = {
  mayWrite: () => true,
  signal: new AbortController().signal,
};

/** Ends with the answer, with its time, or when the guard's signal aborts. The connection is closed afterwards. */
export function askOnce(
  request: OnceRequest,
  limits: OnceLimits,
  deps: OnceDeps,
  guard: WriteGuard,
): Promise<OnceEnd> {
  return new Promise((resolve) => new Once(limits, deps, guard, resolve).send(request));
}

class Once implements Requester {
  private readonly limits: OnceLimits;
  private readonly deps: OnceDeps;
  private readonly guard: WriteGuard;
  private readonly resolve: (end: OnceEnd) => void;
  private readonly monotonicMs: () => number;
  private readonly startedAt: number;
  private openedAt: number | undefined;
  private whole: NodeJS.Timeout | undefined;
  private answering: NodeJS.Timeout | undefined;
  private connection: Connection | undefined;
  private exchange: WireExchange | undefined;

  constructor(
    limits: OnceLimits,
    deps: OnceDeps,
    guard: WriteGuard,
    resolve: (end: OnceEnd) => void,
  ) {
    this.limits = limits;
    this.deps = deps;
    this.guard = guard;
    this.resolve = resolve;
    this.monotonicMs = deps.monotonicMs ?? processMs;
    this.startedAt = this.monotonicMs();
  }

  send({ method, url, headers, body, allowPrivateAddresses }: OnceRequest): void {
    const { limits, guard } = this;
    const { lookup, certificateAuthorities } = this.deps;
    if (guard.signal.aborted) return this.onLeaseLost();
    this.whole = after(limits.wholeMs, this.onTimeOver);
    guard.signal.addEventListener('abort', this.onLeaseLost, { once: true });
    this.connection = new Connection(url.origin, {
      allowPrivateAddresses,
      connectMsMax: limits.connectMs ?? limits.wholeMs,
      tlsHandshakeMsMax: limits.handshakeMs ?? limits.wholeMs,
      monotonicMs: this.monotonicMs,
      lookup,
      certificateAuthorities,
    });
    this.exchange = new WireExchange(this, this.connection.news, limits);
    const path = url.pathname + url.search;
    const named = Object.entries(headers).flat();
    return this.connection.dispatch(
      { method, path, headers: named, body: body ?? null },
      this.exchange,
    );
  }

  mayWrite(): boolean {
    this.openedAt = this.monotonicMs();
    this.answering = after(this.limits.answerMs ?? this.limits.wholeMs, this.onTimeOver);
    return this.guard.mayWrite();
  }

  onEnd(end: WireAnswer | WireFailure): void {
    clearTimeout(this.whole);
    clearTimeout(this.answering);
    this.guard.signal.removeEventListener('abort', this.onLeaseLost);
    const nowMs = this.monotonicMs();
    const { openedAt, exchange } = this;
    const times = {
      ...this.connection?.times(),
      ...(end.kind === 'failure' ? end.times : {}),
      ...(openedAt === undefined ? {} : { responseMs: nowMs - openedAt }),
    };
    // Nobody has to wait for it.
    void this.connection?.destroy();
    const seen = { times, elapsedMs: nowMs - this.startedAt };
    if (end.kind === 'answer') return this.resolve({ ...end, ...seen });
    const heard =
      exchange === undefined || exchange.status === 0 ? {} : { heard: headOf(exchange) };
    const written = exchange?.isWritten === true;
    return this.resolve({ ...end, ...seen, ...heard, written });
  }

  private readonly onTimeOver = (): void => {
    this.giveUp({ kind: 'failure', code: 'timeout', message: 'No whole answer in time.' });
  };

  private readonly onLeaseLost = (): void => {
    this.giveUp({ kind: 'failure', code: 'lease_lost', message: 'The lease was lost.' });
  };

  private giveUp(failure: WireFailure): void {
    this.exchange?.stop();
    this.onEnd(failure);
  }
}

function headOf({ status, headers }: WireExchange): Pick<WireAnswer, 'status' | 'headers'> {
  return { status, headers: joinRepeated(headers) };
}
