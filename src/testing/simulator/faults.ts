/**
 * Every way in which a simulated portal can misbehave, as data. What the portal then truly did with the filing is part
 * of the entry, so that a reader (and a test) sees truth and answer side by side.
 */

/** The part of the portal that a request reaches. `other` is any path the profile does not name. */
export type Endpoint = 'submit' | 'status' | 'health' | 'other';

/** What a submission comes to inside the portal, whatever the client is told. */
export type Fate = 'accepted' | 'nothing' | 'refused' | 'processing';

const accepted = { on: 'submit', fate: 'accepted', survivable: true } as const;
const nothing = { on: 'submit', fate: 'nothing', survivable: true } as const;
const refused = { on: 'submit', fate: 'refused', survivable: true } as const;
const processing = { on: 'submit', fate: 'processing', survivable: true } as const;
const status = { on: 'status', survivable: true } as const;
// No client can tell these from the truth. They are for tests that show what the promise's conditions are worth.
const acceptedLie = { on: 'submit', fate: 'accepted', survivable: false } as const;
const statusLie = { on: 'status', survivable: false } as const;
const health = { on: 'health', survivable: true } as const;

export const FAULTS = {
  // Taken, but the client does not get a plain receipt.
  accept_then_cut: accepted,
  accept_then_cut_after_headers: accepted,
  accept_then_500: accepted,
  accept_then_504: accepted,
  accept_then_silence: accepted,
  slow: accepted,
  slow_drip: accepted,
  truncated_json: accepted,
  truncated_body: accepted,
  wrong_charset_utf8: accepted,
  wrong_charset_latin1: accepted,
  login_page_200_accepted: accepted,
  receipt_missing: accepted,
  receipt_malformed: accepted,
  redirect_after_accept: accepted,
  conflict_true: accepted,
  duplicate_answer: accepted,
  // The same again, when the next request is on that connection.
  duplicate_answer_late: accepted,
  // Somebody else's: what the client is told belongs to the filing that was taken before this one.
  receipt_reissued: accepted,
  receipt_of_another: acceptedLie,
  answer_of_another: accepted,
  // Taken, and a gateway or a limiter behind the endpoint answers as if nothing had been.
  accept_then_429: accepted,
  accept_then_503_retry_after: accepted,
  accept_then_403_reset: accepted,
  accept_then_403_captcha: accepted,
  accept_then_401: accepted,
  accept_then_403: accepted,
  accept_then_405: accepted,
  accept_then_418: accepted,
  accept_then_423: accepted,
  accept_then_425: accepted,
  accept_then_511: accepted,

  // The portal takes its time to decide.
  received_202_then_accepted: processing,
  received_202_then_refused: processing,
  received_202_stuck: processing,

  // Not taken, and the client cannot always know it.
  cut_before_accept: nothing,
  silence: nothing,
  error_500_before_accept: nothing,
  error_502: nothing,
  error_503: nothing,
  error_504: nothing,
  busy_503_retry_after: nothing,
  conflict_false: nothing,
  login_page_200: nothing,
  redirect_undeclared: nothing,

  // Not taken: too many requests. The stamps are those seen in the wild, and some that are nonsense.
  throttle_429_bare: nothing,
  throttle_429_seconds: nothing,
  throttle_429_date: nothing,
  throttle_429_reset_epoch_s: nothing,
  throttle_429_reset_epoch_ms: nothing,
  throttle_429_reset_rfc3339: nothing,
  throttle_429_reset_delta: nothing,
  throttle_429_absurd_negative: nothing,
  throttle_429_absurd_year_9999: nothing,
  throttle_429_absurd_garbage: nothing,
  throttle_429_absurd_empty: nothing,
  throttle_403_reset: nothing,
  throttle_403_captcha: nothing,

  // Refused for good.
  rejected_400: refused,
  rejected_422: refused,
  denied_401: nothing,
  denied_403: nothing,
  not_found_404: nothing,

  // Rare statuses, nothing taken.
  http_304: nothing,
  http_402: nothing,
  http_405: nothing,
  http_407: nothing,
  http_408: nothing,
  http_410: nothing,
  http_413: nothing,
  http_414: nothing,
  http_415: nothing,
  http_418: nothing,
  http_423: nothing,
  http_425: nothing,
  http_426: nothing,
  http_431: nothing,
  http_451: nothing,
  http_501: nothing,
  http_505: nothing,
  http_511: nothing,

  // The status endpoint is down, or lies in a way that a careful client notices.
  status_500: status,
  status_cut: status,
  status_silence: status,
  status_throttled_429: status,
  status_truncated_json: status,
  status_login_page_200: status,
  status_404_page: status,
  status_no_receipt: status,
  status_other_key: status,
  status_other_entity: status,
  status_unknown_word: status,
  // Lies that nobody can notice.
  status_hidden: statusLie,
  status_says_refused: statusLie,
  status_invents_receipt: statusLie,
  status_receipt_of_another: statusLie,

  health_500: health,
  health_cut: health,
  health_silence: health,
} as const satisfies Record<string, FaultEntry>;

interface FaultEntry {
  readonly on: Endpoint;
  /** Only for submissions. */
  readonly fate?: Fate;
  /** False: no client can be right under it, so it is never part of a mix and must be asked for by name. */
  readonly survivable: boolean;
}

export type FaultKind = keyof typeof FAULTS;

type KindsOn<Name extends Endpoint> = {
  [Kind in FaultKind]: (typeof FAULTS)[Kind]['on'] extends Name ? Kind : never;
}[FaultKind];

export type SubmitFault = KindsOn<'submit'>;
export type StatusFault = KindsOn<'status'>;
export type HealthFault = KindsOn<'health'>;

/** All kinds, in the order of the catalogue: the order is part of what a seed means. */
export const FAULT_KINDS: readonly FaultKind[] =
  // Object.keys is typed as string[]; the table above has no other keys.
  Object.keys(FAULTS) as FaultKind[];

export function isFaultKind(text: string): text is FaultKind {
  return Object.hasOwn(FAULTS, text);
}

// The three guards below exist because TypeScript does not narrow a key by looking it up in a table.
export function isSubmitFault(kind: FaultKind): kind is SubmitFault {
  return FAULTS[kind].on === 'submit';
}

export function isStatusFault(kind: FaultKind): kind is StatusFault {
  return FAULTS[kind].on === 'status';
}

export function isHealthFault(kind: FaultKind): kind is HealthFault {
  return FAULTS[kind].on === 'health';
}
