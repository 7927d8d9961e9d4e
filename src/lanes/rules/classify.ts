/**
 * From an exchange to a verdict (design § 4). The line that matters is whether the body was written: before it a
 * failure proves that nothing happened; after it anything but a proven receipt or a proven refusal is `unknown`.
 * A refusal is proven by the application that has read the filing. Limiters, gateways, doors and routers (429, 503,
 * 401, 403, 423, ...) answer for themselves, and may do so when the application behind them is done. Only the
 * profile can say that they come before it.
 */
import { type Own, strangerIn } from './echoes.ts';
import {
  type Answer,
  type AnswerRule,
  byStatus,
  decodeJson,
  type Exchange,
  type Failure,
  type FailureCode,
  hasStamp,
  type Instant,
  isPlainText,
  patternOf,
  pointer,
  type Profile,
  stampWaitMs,
  type StatusAnswer,
  statusMeaning,
  type StatusRules,
  textAt,
  type Throttle,
  type Verdict,
} from '../../core/index.ts';

/** What a whole answer by its status alone means to a filing; successes and pauses are heard before. */
const BY_STATUS: StatusRules<(code: string) => Verdict> = {
  meanings: {
    changed: (code) => ({ kind: 'drift', code, written: true }),
    refused: (code) => ({ kind: 'rejected', code }),
    // The application does not know what was sent to; three in a row are a wrong address, and then nothing is proven.
    missing: (code) => ({ kind: 'rejected', code, missing: true }),
    denied: (code) => ({ kind: 'denied', code, written: true }),
    conflict: () => ({ kind: 'conflict' }),
    network_login: (code) => ({ kind: 'session', code, written: true }),
    unclear: (code) => ({ kind: 'unclassified', code }),
  },
  // "Not now", every other 5xx and undeclared redirects: the portal may have taken the filing before it said so.
  otherwise: (code) => ({ kind: 'unknown', code }),
};

/** Marks are looked for in the first part of a page only; a CAPTCHA page says so at its head. */
const MARK_BYTES_MAX = 64 * 1024;

/**
 * Our own misconfiguration, another portal than the profile describes, or a mixed session: each would meet every filing
 * of the lane, so the lane stops instead of the filings.
 */
const LANE_FAULTS: ReadonlySet<FailureCode> = new Set([
  'address_refused',
  'credential',
  'login_refused',
  'form_changed',
  'redirect',
  'session_collision',
]);

export function classifySend(
  exchange: Exchange,
  profile: Profile,
  own: Own,
  now: Instant,
): Verdict {
  if (exchange.kind === 'failure') {
    if (exchange.written) return { kind: 'unknown', code: exchange.code.toUpperCase() };
    return classifyUnwritten(exchange, profile, now);
  }
  const verdict = classifyAnswer(exchange, profile, now);
  if (profile.receipt.echoes === undefined || exchange.bodyEnd === 'cut') return verdict;
  return ifOurs(verdict, exchange, profile, own);
}

/** The verdict, unless the answer speaks of another filing: then it says nothing about this one, neither yes nor no. */
function ifOurs(verdict: Verdict, answer: Answer, profile: Profile, own: Own): Verdict {
  const body = readBody(answer, profile);
  if (body === undefined) return verdict;
  const textOf = (place: string): string | undefined => textIn(body, place);
  const all = verdict.kind === 'accepted';
  const code = strangerIn(profile.receipt.echoes, textOf, own, { all });
  if (code === undefined) return verdict;
  // A pause is asked of the lane, whoever the answer was for.
  return verdict.kind === 'throttled' ? { ...verdict, written: true } : { kind: 'unknown', code };
}

function classifyAnswer(exchange: Answer, profile: Profile, now: Instant): Verdict {
  const refined = profile.answers.find((rule) => matches(rule, exchange, profile));
  if (refined !== undefined) return refinedVerdict(refined, exchange, profile, now);
  if (exchange.bodyEnd === 'cut') return classifyCut(exchange, profile, now);
  const { status } = exchange;
  if (statusMeaning(status) === 'success') return classifySuccess(exchange, profile);
  const throttle = throttleOf(exchange, profile, now);
  if (throttle !== undefined) return { ...throttle, written: mayBeTaken(profile) };
  return byStatus(BY_STATUS, status)(`HTTP_${status}`);
}

/** Half an answer proves nothing about the filing; but its head came whole, and a block is waited out all the same. */
function classifyCut(answer: Answer, profile: Profile, now: Instant): Verdict {
  const throttle = throttleOf(answer, profile, now);
  if (throttle === undefined) return { kind: 'unknown', code: 'BODY_TRUNCATED' };
  return { ...throttle, written: true };
}

/** After the body was written a throttle proves nothing, unless the profile vouches for it. */
function mayBeTaken({ throttle }: Profile): boolean {
  return throttle.provesNothingTaken !== true;
}

export function classifyStatus(
  exchange: Exchange,
  profile: Profile,
  own: Own,
  now: Instant,
): StatusAnswer {
  if (exchange.kind === 'failure') {
    const before = stopAskedBy(exchange, profile, now);
    return before ?? { kind: 'unclear', code: exchange.code.toUpperCase() };
  }
  const rule = profile.status;
  if (rule === undefined) return { kind: 'unclear', code: 'NO_STATUS_RULE' };
  const throttle = throttleOf(exchange, profile, now);
  if (throttle !== undefined) return throttle;
  const code = `HTTP_${exchange.status}`;
  if (exchange.bodyEnd !== 'whole') return { kind: 'unclear', code: 'BODY_TRUNCATED' };
  // A bare 404 may come from a wrong path or a gateway. Only the portal's own word counts as "not found", because two
  // of them permit sending again.
  if (exchange.status !== 200 && exchange.status !== 404) return { kind: 'unclear', code };
  const body = readBody(exchange, profile);
  if (body === undefined) return { kind: 'unclear', code: `${code}_${unreadable(profile)}` };
  if (exchange.page?.kind === 'login') return { kind: 'unclear', code: 'LOGIN_PAGE' };
  if (rule.keyAt !== undefined && textIn(body, rule.keyAt) !== own('key')) {
    return { kind: 'unclear', code: 'OTHER_KEY' };
  }
  const state = textIn(body, rule.stateAt);
  if (state === undefined) return { kind: 'unclear', code: 'STATE_MISSING' };
  const all = rule.accepted.includes(state);
  const stranger = strangerIn(rule.echoes, (place) => textIn(body, place), own, { all });
  if (stranger !== undefined) return { kind: 'unclear', code: stranger };
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
    return { kind: 'processing', submissionId: textIn(body, profile.received.submissionIdAt) };
  }
  return { kind: 'unclear', code: 'STATE_UNKNOWN' };
}

/** A probe is good when the health endpoint answers 2xx whole. */
export function isHealthy(exchange: Exchange): boolean {
  if (exchange.kind === 'failure' || exchange.bodyEnd !== 'whole') return false;
  return statusMeaning(exchange.status) === 'success';
}

/** Nothing of the filing was written, so nothing can have happened to it. */
function classifyUnwritten(failure: Failure, profile: Profile, now: Instant): Verdict {
  const throttle = stopAskedBy(failure, profile, now);
  if (throttle !== undefined) return { ...throttle, written: false };
  const code = failure.code.toUpperCase();
  if (LANE_FAULTS.has(failure.code)) return { kind: 'drift', code, written: false };
  if (failure.code === 'session' || failure.code === 'session_rivals')
    return { kind: 'session', code, written: false };
  // This payload can never fill in that form: a person has to look, and nothing is in doubt.
  if (failure.code === 'payload') return { kind: 'denied', code, written: false };
  return { kind: 'transient', code };
}

function classifySuccess(answer: Answer, profile: Profile): Verdict {
  // A 202 needs no body: the portal has the filing and says no more. Taken for unknown it could be sent again, because
  // what is still being processed need not be found by its status.
  if (answer.status === 202 && answer.body.length === 0) {
    return { kind: 'received', submissionId: undefined };
  }
  const body = readBody(answer, profile);
  if (body === undefined) return { kind: 'unknown', code: `ANSWER_${unreadable(profile)}` };
  if (body.kind === 'page') {
    const verdict = classifyPage(answer, profile);
    if (verdict !== undefined) return verdict;
  }
  if (profile.receipt.statuses.includes(answer.status)) {
    const number = receiptNumber(body, profile);
    if (number !== undefined) return { kind: 'accepted', receipt: { number } };
  }
  if (answer.status === 202) {
    return { kind: 'received', submissionId: textIn(body, profile.received.submissionIdAt) };
  }
  if (!profile.receipt.statuses.includes(answer.status)) {
    return { kind: 'unknown', code: `HTTP_${answer.status}_WITHOUT_RECEIPT` };
  }
  // The field is there but not of the agreed shape: this answer cannot be trusted. The field is gone: the answer's
  // format has changed, and the next ones will fail alike.
  return isMissing(body, profile.receipt.numberAt)
    ? { kind: 'drift', code: 'RECEIPT_FIELD_MISSING', written: true }
    : { kind: 'unknown', code: 'RECEIPT_MALFORMED' };
}

/** What a page means before its receipt is looked at; undefined for the confirmation page. */
function classifyPage({ page }: Answer, profile: Profile): Verdict | undefined {
  switch (page?.kind) {
    case 'confirmation':
      return undefined;
    case 'refusal': {
      const code = page.texts[profile.form?.refusal?.codeAt ?? ''] ?? 'REFUSED';
      return { kind: 'rejected', code: `PORTAL_${code.toUpperCase()}` };
    }
    case 'login':
      return { kind: 'unknown', code: 'LOGIN_PAGE' };
    case 'form':
      return { kind: 'unknown', code: 'FORM_PAGE' };
    case 'other':
    case undefined:
      return { kind: 'unknown', code: 'PAGE_UNKNOWN' };
  }
}

/** The readable part of an answer, by driver. */
type Readable =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'page'; readonly texts: Readonly<Record<string, string>> };

/** Every rule of a profile looks at the answer; it is parsed once, because eight megabytes take a fifth of a second. */
const parsed = new WeakMap<Answer, { readonly value: unknown }>();

function readBody(answer: Answer, profile: Profile): Readable | undefined {
  if (profile.driver === 'html-form') {
    return answer.page === undefined ? undefined : { kind: 'page', texts: answer.page.texts };
  }
  let json = parsed.get(answer);
  if (json === undefined) {
    json = { value: decodeJson(answer.body) };
    parsed.set(answer, json);
  }
  return json.value === undefined ? undefined : { kind: 'json', value: json.value };
}

function unreadable(profile: Profile): string {
  return profile.driver === 'html-form' ? 'NOT_A_PAGE' : 'NOT_JSON';
}

function textIn(body: Readable, place: string): string | undefined {
  if (body.kind === 'json') return textAt(body.value, place);
  const text = body.texts[place];
  return text !== undefined && isPlainText(text) ? text : undefined;
}

function isMissing(body: Readable, place: string): boolean {
  return body.kind === 'json'
    ? pointer(body.value, place) === undefined
    : body.texts[place] === undefined;
}

function receiptNumber(body: Readable, profile: Profile): string | undefined {
  const number = textIn(body, profile.receipt.numberAt);
  // However wide the pattern is, nothing is no receipt.
  if (number === undefined || number.trim() === '') return undefined;
  return patternOf(profile.receipt.pattern).test(number) ? number : undefined;
}

/** The pause that an answer to a question asks for, also one on the way to what was asked. */
export function pauseAskedBy(
  exchange: Exchange,
  profile: Profile,
  now: Instant,
): (Verdict & { kind: 'throttled' }) | undefined {
  const throttle =
    exchange.kind === 'answer'
      ? throttleOf(exchange, profile, now)
      : stopAskedBy(exchange, profile, now);
  return throttle && { ...throttle, written: false };
}

/** The profile's word that whoever gave this answer did so before the portal began, or when it had finished. */
export function isVouchedFor(answer: Answer, profile: Profile): boolean {
  const rule = profile.answers.find((one) => matches(one, answer, profile));
  switch (rule?.verdict) {
    case 'rejected':
    case 'denied':
    case 'transient':
      return true;
    case 'drift':
    case 'unknown':
      return false;
    case 'throttled':
      return !mayBeTaken(profile);
    case undefined:
      return isThrottle(answer, profile) && !mayBeTaken(profile);
  }
}

/** The answer asks for a pause. */
export function isThrottle(answer: Answer, profile: Profile): boolean {
  const { status, headers } = answer;
  if (status === 403) return hasStamp(headers) || hasCaptchaMark(answer, profile);
  return status === 429 || (status === 503 && headers['retry-after'] !== undefined);
}

/**
 * The pause after a request that was stopped on its way. A login that breaks is waited out like a throttle: whoever
 * posts a password again and again to a portal in trouble finds the account locked when it is well.
 */
function stopAskedBy(failure: Failure, profile: Profile, now: Instant): Throttle | undefined {
  const throttle = failure.answer && throttleOf(failure.answer, profile, now);
  if (throttle !== undefined || failure.code !== 'login_failed') return throttle;
  const waitMs = failure.answer && stampWaitMs(failure.answer.headers, now);
  const pause = { kind: 'throttled', code: 'LOGIN_FAILED', captcha: false } as const;
  return waitMs === undefined ? pause : { ...pause, waitMs };
}

function throttleOf(answer: Answer, profile: Profile, now: Instant): Throttle | undefined {
  if (!isThrottle(answer, profile)) return undefined;
  const { status, headers } = answer;
  const captcha = status === 403 && hasCaptchaMark(answer, profile);
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

function matches(rule: AnswerRule, answer: Answer, profile: Profile): boolean {
  if (rule.status !== answer.status) return false;
  if (rule.at === undefined) return true;
  if (answer.bodyEnd !== 'whole') return false;
  const body = readBody(answer, profile);
  return body !== undefined && textIn(body, rule.at) === rule.equals;
}

function refinedVerdict(rule: AnswerRule, answer: Answer, profile: Profile, now: Instant): Verdict {
  const code = `HTTP_${rule.status}${rule.equals === undefined ? '' : `_${rule.equals.toUpperCase()}`}`;
  switch (rule.verdict) {
    case 'rejected':
      return { kind: 'rejected', code };
    case 'drift':
      return { kind: 'drift', code, written: true };
    case 'throttled': {
      const waitMs = stampWaitMs(answer.headers, now);
      const captcha = hasCaptchaMark(answer, profile);
      const throttle = { kind: 'throttled', code, captcha, written: mayBeTaken(profile) } as const;
      return waitMs === undefined ? throttle : { ...throttle, waitMs };
    }
    // The profile's own word for this very answer.
    case 'denied':
      return { kind: 'denied', code, written: false };
    case 'transient':
    case 'unknown':
      return { kind: rule.verdict, code };
  }
}
