import { addMs, type Instant, toRfc3339 } from '../../core/index.ts';
import type { FaultKind, SubmitFault } from './faults.ts';

const AFTER_ACCEPTANCE = [
  'accept_then_429',
  'accept_then_503_retry_after',
  'accept_then_403_reset',
  'accept_then_403_captcha',
] as const;

type ThrottleAfterAcceptance = (typeof AFTER_ACCEPTANCE)[number];

export type ThrottleFault =
  | Extract<SubmitFault, `throttle_${string}` | 'busy_503_retry_after'>
  | ThrottleAfterAcceptance;

interface Stamp {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether a client can know from it when to come back. */
  readonly sane: boolean;
}

export function isThrottle(fault: SubmitFault): fault is ThrottleFault {
  if (fault.startsWith('throttle_') || fault === 'busy_503_retry_after') return true;
  return isThrottleAfterAcceptance(fault);
}

/** No client can be right under it where the profile says that a throttle proves that nothing was taken. */
export function isThrottleAfterAcceptance(fault: FaultKind): fault is ThrottleAfterAcceptance {
  return AFTER_ACCEPTANCE.some((kind) => kind === fault);
}

/**
 * The answer that asks a client to stay away for `waitMs`, in every spelling that portals use. Whole seconds are rounded
 * up, so a client that obeys never comes back before the moment that the portal has in mind.
 */
export function throttleStamp(fault: ThrottleFault, now: Instant, waitMs: number): Stamp {
  const until = addMs(now, waitMs);
  const waitS = String(Math.ceil(waitMs / 1000));
  const untilS = Math.ceil(until / 1000);
  switch (fault) {
    case 'throttle_429_bare':
      return { status: 429, headers: {}, sane: false };
    case 'accept_then_429':
    case 'throttle_429_seconds':
      return { status: 429, headers: { 'retry-after': waitS }, sane: true };
    case 'throttle_429_date':
      return { status: 429, headers: { 'retry-after': httpDate(untilS) }, sane: true };
    case 'throttle_429_reset_epoch_s':
      return { status: 429, headers: { 'x-ratelimit-reset': String(untilS) }, sane: true };
    case 'throttle_429_reset_epoch_ms':
      return { status: 429, headers: { 'x-ratelimit-reset': String(until) }, sane: true };
    case 'throttle_429_reset_rfc3339':
      return { status: 429, headers: { 'x-ratelimit-reset': toRfc3339(until) }, sane: true };
    case 'throttle_429_reset_delta':
      return { status: 429, headers: { 'x-ratelimit-reset': waitS }, sane: true };
    case 'throttle_429_absurd_negative':
      return { status: 429, headers: { 'retry-after': '-30' }, sane: false };
    case 'throttle_429_absurd_year_9999':
      return {
        status: 429,
        headers: { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' },
        sane: false,
      };
    case 'throttle_429_absurd_garbage':
      return { status: 429, headers: { 'retry-after': 'a while' }, sane: false };
    case 'throttle_429_absurd_empty':
      return { status: 429, headers: { 'retry-after': '' }, sane: false };
    case 'accept_then_403_reset':
    case 'throttle_403_reset':
      return { status: 403, headers: { 'x-ratelimit-reset': String(untilS) }, sane: true };
    case 'accept_then_403_captcha':
    case 'throttle_403_captcha':
      return { status: 403, headers: {}, sane: false };
    case 'accept_then_503_retry_after':
    case 'busy_503_retry_after':
      return { status: 503, headers: { 'retry-after': waitS }, sane: true };
  }
}

/** RFC 9110 § 5.6.7: IMF-fixdate. */
function httpDate(epochS: number): string {
  return new Date(epochS * 1000).toUTCString();
}
