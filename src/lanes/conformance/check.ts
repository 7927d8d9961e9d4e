import type { Exchange, Receipt, StatusAnswer, Verdict } from '../../core/index.ts';
import type { Inspector } from './inspector.ts';

/** Why a portal does not conform. The codes are stable: scripts may look for them. */
export const CHECK_REASONS = {
  UNREACHABLE: 'No server answers at the address.',
  ADDRESS_REFUSED: 'The host name resolves to an address that is not on the public internet.',
  TLS_BROKEN: 'The TLS handshake fails or takes longer than tlsHandshakeMsMax.',
  PROTOCOL_BROKEN: 'The answer is not HTTP.',
  TOO_SLOW: 'No complete answer within timeoutMs.',
  HEALTH_BAD: 'The health endpoint does not answer 2xx.',
  UNKNOWN_PATH_ANSWERED: 'A path that does not exist is answered with success.',
  CREDENTIAL_UNREADABLE:
    'A credential reference in the profile has no value, or the proxy refuses it.',
  AUTH_NOT_REQUIRED: 'The status is shown without the credentials of the profile.',
  AUTH_REFUSED: 'The synthetic filing is denied with the credentials of the profile.',
  SESSION_NOT_REQUIRED: 'The form is shown without a login.',
  SESSION_SHARED: 'Two logins get the same session token.',
  SESSION_ENDS_EARLY: 'The portal asks for a login again directly after one.',
  LOGIN_REFUSED: 'The portal refuses the login, or asks for it again at once.',
  FORM_CHANGED: 'The form is not the one that the profile describes.',
  REGISTRY_UNREADABLE:
    'The registry gives no usable answer, or does not know the synthetic entity.',
  REGISTRY_INVENTS: 'The registry knows an entity that cannot exist.',
  STATUS_INVENTS: 'The status knows a key that was never sent.',
  STATUS_OTHER_KEY: 'The status answers about another key.',
  STATUS_UNREADABLE: 'The status answer has no state word that the profile lists.',
  STATUS_NOT_FOUND: 'The status does not find the accepted filing within the visibility lag.',
  STATUS_OTHER_RECEIPT: 'The status contradicts the receipt.',
  STATUS_STILL_PROCESSING: 'The status is still processing, although there was a receipt.',
  RECEIPT_MISSING: 'The answer has nothing where the receipt number should be.',
  RECEIPT_MALFORMED: 'The receipt number does not match receipt.pattern.',
  RECEIPT_NOT_UNIQUE: 'Two filings have one receipt number.',
  REDIRECT_UNDECLARED: 'The portal redirects to a path that redirects does not list.',
  SYNTHETIC_REFUSED: 'The portal refuses the synthetic filing.',
  SYNTHETIC_CONFLICT: 'The portal already knows the synthetic filing, under a new key.',
  OUTCOME_UNKNOWN: 'The answer to the synthetic filing proves neither acceptance nor refusal.',
  THROTTLED: 'The portal asked for a pause; run the check again after it.',
  THROTTLE_STAMP_UNREADABLE: 'The portal asked for a pause until a moment that cannot be read.',
  IDEMPOTENCY_NOT_HONOURED:
    'The same filing with the same key got another receipt, although the profile says that keys are honored.',
  CONFLICT_UNSETTLED: 'A repeat got 409, and the status does not know the filing.',
  KEY_REUSE_ACCEPTED: 'Another payload was accepted under a used key.',
  DUPLICATE_ACCEPTED: 'The same entity was accepted twice inside the duplicate window.',
  LIMIT_NOT_ENFORCED: 'A payload that exceeds a limit of the profile was accepted.',
} as const;

export type CheckReason = keyof typeof CHECK_REASONS;

export type CheckOutcome =
  | { readonly state: 'passed'; readonly found: string }
  | { readonly state: 'failed'; readonly reason: CheckReason; readonly found: string }
  | { readonly state: 'skipped'; readonly found: string };

/** What one check leaves for the next: the first synthetic filing that was accepted. */
export interface Findings {
  /** What the first request to the health endpoint came to. */
  reached?: Exchange;
  fingerprint?: string;
  filed?: { readonly key: string; readonly receipt: Receipt };
}

export interface Check {
  readonly name: string;
  /** What is asked of the portal, in one sentence. */
  readonly claim: string;
  run(inspector: Inspector, findings: Findings): Promise<CheckOutcome>;
}

export const passed = (found: string): CheckOutcome => ({ state: 'passed', found });
export const skipped = (found: string): CheckOutcome => ({ state: 'skipped', found });
export const failed = (reason: CheckReason, found: string): CheckOutcome => ({
  state: 'failed',
  reason,
  found,
});

/** Words for what the portal said; never more of its answer than a code. */
export function describe(answer: Verdict | StatusAnswer): string {
  if (answer.kind === 'accepted') return `accepted with the receipt ${answer.receipt.number}`;
  return 'code' in answer ? `${answer.kind} (${answer.code})` : answer.kind;
}
