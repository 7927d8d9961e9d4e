/** What became of one attempt to tell somebody, and what follows from it. Pure. */
import { type Backoff, type FailureCode, fractionOf, nextDelayMs } from '../../core/index.ts';

export type SendOutcome =
  | { readonly verdict: 'sent'; readonly code: string }
  /** Nothing was taken; `retryAfterMs` when the receiver said how long to wait. */
  | { readonly verdict: 'transient'; readonly code: string; readonly retryAfterMs?: number }
  /** It was written and the answer got lost: the receiver may have it, and knows it again by its id. */
  | { readonly verdict: 'unknown'; readonly code: string }
  | {
      readonly verdict: 'permanent';
      readonly code: string;
      /** Whether the receiver itself is refused, and with it everything that is ever sent there. */
      readonly about?: 'recipient' | 'message';
    }
  /** The receiver never wants to hear from us again. */
  | { readonly verdict: 'gone'; readonly code: string };

/** What a wire's failure is called to those who are told of a message that was not sent. */
const WIRE_CODES: Partial<Readonly<Record<FailureCode, string>>> = {
  dns: 'NAME_UNRESOLVED',
  connect: 'UNREACHABLE',
  tls: 'TLS_FAILED',
  tls_slow: 'TLS_FAILED',
  protocol: 'ANSWER_UNREADABLE',
};

export function wireCode(code: FailureCode): string {
  return WIRE_CODES[code] ?? code.toUpperCase();
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Waits before the second attempt, the third and so on: the schedule of the Standard Webhooks specification, over three
 * days. Mail keeps the same one: a greylisting server takes the third attempt.
 */
const WAITS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

export const ATTEMPTS_MAX = WAITS_MS.length + 1;

/** Notices of one moment must not all come back in one moment. */
const BACKOFF: Backoff = { steps: WAITS_MS, spread: [1, 1.1] };
/** A receiver that asks for more than a day is asked again after a day. */
const RETRY_AFTER_MS_MAX = 24 * HOUR_MS;

/** How long to wait after a failed attempt, counted from 1; undefined when there is no further one. */
export function retryMs(notice: string, attempt: number, outcome: SendOutcome): number | undefined {
  if (outcome.verdict !== 'transient' && outcome.verdict !== 'unknown') return undefined;
  if (attempt >= ATTEMPTS_MAX) return undefined;
  const askedMs = outcome.verdict === 'transient' ? (outcome.retryAfterMs ?? 0) : 0;
  const waitMs = nextDelayMs(BACKOFF, attempt, fractionOf(`${notice}/${attempt}`));
  return Math.max(waitMs, Math.min(askedMs, RETRY_AFTER_MS_MAX));
}
