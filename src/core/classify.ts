/**
 * From an exchange to a verdict (design § 4). The line that matters is whether the body was written: before it a
 * failure proves that nothing happened; after it anything but a proven receipt or a proven refusal is `unknown`.
 */
import type { Answer, Exchange } from './exchange.ts';
import type { IdempotencyKey } from './ids.ts';
import { decodeJson, pointer, textAt } from './json-pointer.ts';
import type { AnswerRule, Profile } from './profile.ts';
import { hasStamp, stampWaitMs } from './stamp.ts';
import type { Instant } from './time.ts';
import type { StatusAnswer, Verdict } from './verdict.ts';

const REJECTED = new Set([400, 413, 414, 422, 431]);
const DENIED = new Set([401, 402, 403, 407, 451]);
const TRANSIENT = new Set([423, 425]);
const DRIFT = new Set([304, 405, 410, 415, 426, 501, 505]);

/** Marks are looked for in the first part of a page only; a CAPTCHA page says so at its head. */
const MARK_BYTES_MAX = 64 * 1024;

export function classifySend(exchange: Exchange, profile: Profile, now: Instant): Verdict {
  if (exchange.kind === 'failure') {
    const code = exchange.code.toUpperCase();
    if (exchange.written) return { kind: 'unknown', code };
    // A refused address or an unreadable credential is our own misconfiguration (or an attack on DNS): it would
    // fail for every filing of the lane, so the lane stops instead of the filings.
    if (exchange.code === 'address_refused' || exchange.code === 'credential') {
      return { kind: 'drift', code, written: false };
    }
    return { kind: 'transient', code };
  }
  const refined = profile.answers.find((rule) => matches(rule, exchange));
  if (refined !== undefined) return refinedVerdict(refined, exchange, profile, now);
  if (exchange.bodyEnd === 'cut') return { kind: 'unknown', code: 'BODY_TRUNCATED' };
  const { status } = exchange;
  const code = `HTTP_${status}`;
  if (status >= 200 && status < 300) return classifySuccess(exchange, profile);
  const throttle = throttleOf(exchange, profile, now);
  if (throttle !== undefined) return throttle;
  if (DRIFT.has(status)) return { kind: 'drift', code, written: true };
  if (REJECTED.has(status)) return { kind: 'rejected', code, missing: false };
  if (status === 404) return { kind: 'rejected', code, missing: true };
  if (DENIED.has(status)) return { kind: 'denied', code };
  if (TRANSIENT.has(status)) return { kind: 'transient', code };
  if (status === 409) return { kind: 'conflict' };
  if (status === 511) return { kind: 'session', code, written: true };
  // 408, every other 5xx and undeclared redirects: the portal may have taken the filing before it said so.
  if (status === 408 || status >= 500 || status < 400) return { kind: 'unknown', code };
  return { kind: 'unclassified', code };
}

export function classifyStatus(
  exchange: Exchange,
  profile: Profile,
  key: IdempotencyKey,
  now: Instant,
): StatusAnswer {
  if (exchange.kind === 'failure') return { kind: 'unclear', code: exchange.code.toUpperCase() };
  const rule = profile.status;
  if (rule === undefined) return { kind: 'unclear', code: 'NO_STATUS_RULE' };
  const throttle = throttleOf(exchange, profile, now);
  if (throttle !== undefined) return throttle;
  const code = `HTTP_${exchange.status}`;
  if (exchange.bodyEnd !== 'whole') return { kind: 'unclear', code: 'BODY_TRUNCATED' };
  // A bare 404 may come from a wrong path or a gateway. Only the portal's own word counts as "not found", because two
  // of them permit sending again.
  if (exchange.status !== 200 && exchange.status !== 404) return { kind: 'unclear', code };
  const body = decodeJson(exchange.body);
  if (body === undefined) return { kind: 'unclear', code: `${code}_NOT_JSON` };
  if (rule.keyAt !== undefined && textAt(body, rule.keyAt) !== key) {
    return { kind: 'unclear', code: 'OTHER_KEY' };
  }
  const state = textAt(body, rule.stateAt);
  if (state === undefined) return { kind: 'unclear', code: 'STATE_MISSING' };
  if (rule.notFound.includes(state)) return { kind: 'not_found' };
  if (exchange.status !== 200) return { kind: 'unclear', code };
  if (rule.accepted.includes(state)) {
    const number = receiptNumber(body, profile);
    return number === undefined
      ? { kind: 'unclear', code: 'ACCEPTED_WITHOUT_RECEIPT' }
      : { kind: 'accepted', receipt: { number } };
  }
  if (rule.refused.includes(state)) return { kind: 'refused', code: 'PORTAL_REFUSED' };
  if (rule.processing.includes(state)) {
    return { kind: 'processing', submissionId: textAt(body, profile.received.submissionIdAt) };
  }
  return { kind: 'unclear', code: 'STATE_UNKNOWN' };
}

/** A probe is good when the health endpoint answers 2xx whole. */
export function isHealthy(exchange: Exchange): boolean {
  if (exchange.kind === 'failure' || exchange.bodyEnd !== 'whole') return false;
  return exchange.status >= 200 && exchange.status < 300;
}

function classifySuccess(answer: Answer, profile: Profile): Verdict {
  const body = decodeJson(answer.body);
  if (body === undefined) return { kind: 'unknown', code: 'ANSWER_NOT_JSON' };
  if (profile.receipt.statuses.includes(answer.status)) {
    const number = receiptNumber(body, profile);
    if (number !== undefined) return { kind: 'accepted', receipt: { number } };
  }
  if (answer.status === 202) {
    return { kind: 'received', submissionId: textAt(body, profile.received.submissionIdAt) };
  }
  if (!profile.receipt.statuses.includes(answer.status)) {
    return { kind: 'unknown', code: `HTTP_${answer.status}_WITHOUT_RECEIPT` };
  }
  // The field is there but not of the agreed shape: this answer cannot be trusted. The field is gone: the answer's
  // format has changed, and the next ones will fail alike.
  return pointer(body, profile.receipt.numberAt) === undefined
    ? { kind: 'drift', code: 'RECEIPT_FIELD_MISSING', written: true }
    : { kind: 'unknown', code: 'RECEIPT_MALFORMED' };
}

function receiptNumber(body: unknown, profile: Profile): string | undefined {
  const number = textAt(body, profile.receipt.numberAt);
  if (number === undefined) return undefined;
  return patternOf(profile.receipt.pattern).test(number) ? number : undefined;
}

function throttleOf(
  answer: Answer,
  profile: Profile,
  now: Instant,
): (Verdict & { kind: 'throttled' }) | undefined {
  const { status, headers } = answer;
  const captcha = status === 403 && hasCaptchaMark(answer, profile);
  const throttled =
    status === 429 ||
    (status === 503 && headers['retry-after'] !== undefined) ||
    (status === 403 && (hasStamp(headers) || captcha));
  if (!throttled) return undefined;
  const waitMs = stampWaitMs(headers, now);
  return {
    kind: 'throttled',
    code: captcha ? 'CAPTCHA' : `HTTP_${status}`,
    captcha,
    ...(waitMs === undefined ? {} : { waitMs }),
  };
}

function hasCaptchaMark(answer: Answer, profile: Profile): boolean {
  if (profile.captcha.marks.length === 0) return false;
  // Latin-1 maps every byte to a character, so a page in any charset can be searched for an ASCII mark.
  const text = Buffer.from(answer.body.subarray(0, MARK_BYTES_MAX))
    .toString('latin1')
    .toLowerCase();
  return profile.captcha.marks.some((mark) => text.includes(mark.toLowerCase()));
}

function matches(rule: AnswerRule, answer: Answer): boolean {
  if (rule.status !== answer.status) return false;
  if (rule.at === undefined) return true;
  if (answer.bodyEnd !== 'whole') return false;
  const body = decodeJson(answer.body);
  return body !== undefined && textAt(body, rule.at) === rule.equals;
}

function refinedVerdict(rule: AnswerRule, answer: Answer, profile: Profile, now: Instant): Verdict {
  const code = `HTTP_${rule.status}${rule.equals === undefined ? '' : `_${rule.equals.toUpperCase()}`}`;
  switch (rule.verdict) {
    case 'rejected':
      return { kind: 'rejected', code, missing: false };
    case 'drift':
      return { kind: 'drift', code, written: true };
    case 'throttled': {
      const waitMs = stampWaitMs(answer.headers, now);
      const captcha = hasCaptchaMark(answer, profile);
      return { kind: 'throttled', code, captcha, ...(waitMs === undefined ? {} : { waitMs }) };
    }
    case 'denied':
    case 'transient':
    case 'unknown':
      return { kind: rule.verdict, code };
  }
}

const patterns = new Map<string, RegExp>();
/** Profiles are few; the bound only keeps a generator of profiles from growing the cache for ever. */
const PATTERNS_MAX = 1000;

function patternOf(source: string): RegExp {
  let pattern = patterns.get(source);
  if (pattern === undefined) {
    if (patterns.size >= PATTERNS_MAX) patterns.clear();
    // The whole number must have the shape: "ERROR DE-1 not found" is no receipt because it contains one.
    pattern = new RegExp(`^(?:${source})$`, 'u');
    patterns.set(source, pattern);
  }
  return pattern;
}
