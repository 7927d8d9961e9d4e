import type { Instant } from '../../core/index.ts';
import type { Own } from '../../lanes/index.ts';
import type { AnswerBodies } from './answer-bodies.ts';
import type { SubmitFault } from './faults.ts';
import { type AnswerPlan, type Delivery, WHOLE } from './plan.ts';
import { isThrottle, type ThrottleFault, throttleStamp } from './throttle-stamps.ts';

/** What an answer to a submission can be made of. */
export interface SubmitScene {
  readonly bodies: AnswerBodies;
  readonly now: Instant;
  readonly key: string;
  /** Of the filing that this request made or repeated; empty when nothing was taken. */
  readonly receipt: string;
  readonly submissionId: string;
  /** What the filing is called in the answers that name it. */
  readonly own: Own;
  /** The filing that was taken before this one. */
  readonly another: Pick<SubmitScene, 'key' | 'receipt' | 'own'> | undefined;
  /** A status that the profile's receipt rule takes. */
  readonly acceptedStatus: number;
  readonly malformedReceipt: string | undefined;
  readonly throttleMs: number;
  readonly drip: Delivery;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' } as const;
const HTML_TYPE = { 'content-type': 'text/html; charset=utf-8' } as const;
const EMPTY = Buffer.alloc(0);
// Long enough for the next request to be written, and shorter than an answer to it takes.
const LATE_MS = 4;
const CUT: AnswerPlan = { kind: 'cut' };
const SILENCE: AnswerPlan = { kind: 'silence' };
// Some statuses are wrong without the header that explains them (RFC 9110 §§ 11.6.1, 10.2.1, 7.8).
const STATUS_HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'www-authenticate': 'Bearer' },
  405: { allow: 'GET' },
  407: { 'proxy-authenticate': 'Basic realm="proxy"' },
  426: { upgrade: 'TLS/1.2', connection: 'upgrade' },
};

export function respond(
  status: number,
  body: Uint8Array,
  delivery: Delivery = WHOLE,
  headers: Readonly<Record<string, string>> = JSON_TYPE,
): AnswerPlan {
  return { kind: 'respond', status, headers, body, delivery };
}

export function respondPage(
  status: number,
  body: Uint8Array,
  headers?: Readonly<Record<string, string>>,
): AnswerPlan {
  return respond(status, body, WHOLE, headers ? { ...HTML_TYPE, ...headers } : HTML_TYPE);
}

/** What a client sees of a filing that the portal took, when nothing goes wrong. */
export function acceptedAnswer(scene: SubmitScene, delivery: Delivery = WHOLE): AnswerPlan {
  return respond(scene.acceptedStatus, acceptedBody(scene), delivery);
}

function acceptedBody({ bodies, key, receipt, own }: SubmitScene): Buffer {
  return bodies.accepted(key, receipt, own);
}

export function receivedAnswer(scene: SubmitScene): AnswerPlan {
  return respond(202, scene.bodies.received(scene.key, scene.submissionId));
}

/** A refusal or failure with a small JSON body; 304 has none. */
export function plainAnswer(scene: SubmitScene, status: number): AnswerPlan {
  const headers = { ...JSON_TYPE, ...STATUS_HEADERS[status] };
  if (status === 304) return respond(304, EMPTY, WHOLE, headers);
  return respond(status, scene.bodies.problem(`HTTP_${status}`, 'Not taken.'), WHOLE, headers);
}

/** Faults that are a status with a small body, which their names end with. */
const PLAIN_FAULTS = [
  'accept_then_401',
  'accept_then_403',
  'accept_then_405',
  'accept_then_418',
  'accept_then_423',
  'accept_then_425',
  'accept_then_511',
  'denied_401',
  'denied_403',
  'not_found_404',
  'http_304',
  'http_402',
  'http_405',
  'http_407',
  'http_408',
  'http_410',
  'http_413',
  'http_414',
  'http_415',
  'http_418',
  'http_423',
  'http_425',
  'http_426',
  'http_431',
  'http_451',
  'http_501',
  'http_505',
  'http_511',
] as const satisfies readonly SubmitFault[];

/** Faults that are a page of an error. */
const ERROR_PAGES = {
  accept_then_500: 500,
  error_500_before_accept: 500,
  error_502: 502,
  error_503: 503,
  accept_then_504: 504,
  error_504: 504,
} as const satisfies Partial<Record<SubmitFault, number>>;

type ErrorPage = keyof typeof ERROR_PAGES;

function isErrorPage(fault: SubmitFault): fault is ErrorPage {
  return Object.hasOwn(ERROR_PAGES, fault);
}

type PlainFault = (typeof PLAIN_FAULTS)[number];

function isPlain(fault: SubmitFault): fault is PlainFault {
  return PLAIN_FAULTS.some((plain) => plain === fault);
}

/** The answer of a faulty portal; what it did with the filing is told by `FAULTS`. */
export function faultyAnswer(fault: SubmitFault, scene: SubmitScene): AnswerPlan {
  if (isThrottle(fault)) return throttledAnswer(fault, scene);
  if (isPlain(fault)) return plainAnswer(scene, Number(fault.slice(-3)));
  if (isErrorPage(fault)) {
    const status = ERROR_PAGES[fault];
    return respondPage(status, scene.bodies.errorPage(status));
  }
  return oddAnswer(fault, scene);
}

function oddAnswer(
  fault: Exclude<SubmitFault, ThrottleFault | PlainFault | ErrorPage>,
  scene: SubmitScene,
): AnswerPlan {
  const { bodies, key, receipt, acceptedStatus } = scene;
  switch (fault) {
    case 'accept_then_cut':
    case 'cut_before_accept':
      return CUT;
    case 'accept_then_silence':
    case 'silence':
      return SILENCE;
    case 'accept_then_cut_after_headers':
      return acceptedAnswer(scene, { kind: 'truncated', atBytes: 0 });
    case 'truncated_body': {
      const half = Math.floor(acceptedBody(scene).length / 2);
      return acceptedAnswer(scene, { kind: 'truncated', atBytes: half });
    }
    case 'truncated_json': {
      const whole = acceptedBody(scene);
      return respond(acceptedStatus, whole.subarray(0, Math.floor(whole.length / 2)));
    }
    case 'slow':
      return acceptedAnswer(scene);
    case 'slow_drip':
      return acceptedAnswer(scene, scene.drip);
    case 'duplicate_answer':
      return acceptedAnswer(scene, { kind: 'twice' });
    case 'duplicate_answer_late':
      return acceptedAnswer(scene, { kind: 'twice', againAfterMs: LATE_MS });
    case 'receipt_reissued':
      return acceptedAnswer(scene);
    case 'receipt_of_another':
      return acceptedAnswer({ ...scene, receipt: scene.another?.receipt ?? receipt });
    case 'answer_of_another':
      return acceptedAnswer({ ...scene, ...scene.another });
    case 'wrong_charset_utf8':
      return respond(acceptedStatus, bodies.inWrongCharset(acceptedBody(scene), 'utf8'));
    case 'wrong_charset_latin1':
      return respond(acceptedStatus, bodies.inWrongCharset(acceptedBody(scene), 'latin1'));
    case 'receipt_missing':
      return respond(acceptedStatus, bodies.acceptedWithoutReceipt(key));
    case 'receipt_malformed':
      // Where the pattern takes every text, only an absent receipt is malformed.
      return respond(
        acceptedStatus,
        scene.malformedReceipt === undefined
          ? bodies.acceptedWithoutReceipt(key)
          : bodies.accepted(key, scene.malformedReceipt, scene.own),
      );
    case 'received_202_then_accepted':
    case 'received_202_then_refused':
    case 'received_202_stuck':
      return receivedAnswer(scene);
    case 'login_page_200':
    case 'login_page_200_accepted':
      return respondPage(200, bodies.loginPage());
    case 'redirect_undeclared':
    case 'redirect_after_accept':
      return respondPage(302, bodies.errorPage(302), { location: '/elsewhere' });
    case 'conflict_true':
    case 'conflict_false':
      return respond(409, bodies.problem('DUPLICATE', 'This filing is already known.'));
    case 'rejected_400':
      return respond(400, bodies.rejection('MALFORMED'));
    case 'rejected_422':
      return respond(422, bodies.rejection('FIELD_INVALID'));
  }
}

function throttledAnswer(fault: ThrottleFault, scene: SubmitScene): AnswerPlan {
  const { status, headers } = throttleStamp(fault, scene.now, scene.throttleMs);
  return fault === 'throttle_403_captcha' || fault === 'accept_then_403_captcha'
    ? respondPage(status, scene.bodies.captchaPage(), headers)
    : respondPage(status, scene.bodies.errorPage(status), headers);
}
