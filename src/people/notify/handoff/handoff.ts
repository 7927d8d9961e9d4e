/** Handing a docket over to a target. A handoff is a notice: it may arrive twice under one id, it must not fail to arrive. */
import type { Sha256Hex } from '../../../core/index.ts';

export interface HandoffTarget {
  readonly id: string;
  readonly kind: 'http' | 'mail' | 'rabbitmq';
  /** A URL, an e-mail address or the name of a queue. */
  readonly address: string;
}

export interface HandoffLoad {
  /** The same in every attempt and tier: receivers deduplicate by it. */
  readonly id: string;
  /** Names this handing over, to this target. */
  readonly handoff: string;
  /** Names the letter: a reminder has another one, because mail programs drop what they have seen. Default: `id`. */
  readonly letter?: string;
  /** Goes out exactly as it came in. */
  readonly payload: Uint8Array;
  readonly payloadSha256: Sha256Hex;
  readonly contentType: string;
  /**
   * What a person reads in a mail. The payload itself is not mailed: it would lie on servers that no right was ever
   * checked for.
   */
  readonly notice: { readonly subject: string; readonly text: string };
}

/** What a transport showed that may be a trigger; the routing rules say whether it is one. */
export type HandoffSign =
  | { readonly kind: 'http'; readonly target: string; readonly status: number }
  | { readonly kind: 'tls'; readonly target: string; readonly handshakeMs: number };

export interface HandoffEvidence {
  readonly code: string;
  readonly elapsedMs: number;
  /** How far it came, and how long each phase took or had taken when it was given up. */
  readonly connectMs?: number;
  readonly tlsHandshakeMs?: number;
  readonly responseMs?: number;
  readonly status?: number;
  readonly answerSha256?: Sha256Hex;
  readonly retryAfterMs?: number;
  /** In words, without payload or secret. */
  readonly message?: string;
}

interface Shown {
  readonly evidence: HandoffEvidence;
  readonly signs: readonly HandoffSign[];
}

export type HandoffOutcome = Shown &
  (
    | { readonly kind: 'confirmed'; readonly receipt: string }
    /** Taken for delivery; a person has yet to acknowledge. */
    | { readonly kind: 'sent' }
    /** Nothing was taken. */
    | { readonly kind: 'failed' }
    /** It was written, and no answer came that means anything. */
    | { readonly kind: 'unknown' }
    /** 401, 403 or 407, or a mailbox that does not exist: asking again changes nothing. */
    | { readonly kind: 'denied' }
    /** The target is well and does not take this message. */
    | { readonly kind: 'refused' }
    /** Nothing was written: this message cannot be, to whichever target of this kind. */
    | { readonly kind: 'unsendable' }
    /** Nothing was written: this process was too late, or had no room. That is no attempt. */
    | { readonly kind: 'not_made' }
  );
