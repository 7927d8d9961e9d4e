/** What one HTTP exchange with a portal came to. Produced by `portals/`, read by the classifier. */
export type Exchange = Answer | Failure;

export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  /** Lower-case names; repeated headers joined by a comma and a space. */
  readonly headers: Readonly<Record<string, string>>;
  /** The exact bytes, up to RESPONSE_BYTES_MAX. */
  readonly body: Uint8Array;
  /** `cut` when the connection ended before the declared length; `beyond_limit` when only the first part was kept. */
  readonly bodyEnd: 'whole' | 'cut' | 'beyond_limit';
  /** SHA-256 over all bytes received, also those beyond the limit. */
  readonly bodySha256: string;
  readonly elapsedMs: number;
  /** Duration of the TLS handshake when this exchange opened the connection. */
  readonly tlsHandshakeMs?: number;
}

export interface Failure {
  readonly kind: 'failure';
  /**
   * The line that matters: false is proof that no byte of this request was handed to the connection, so nothing can
   * have happened. True when it was, or when that cannot be told.
   */
  readonly written: boolean;
  readonly code: FailureCode;
  readonly message: string;
  readonly elapsedMs: number;
}

export type FailureCode =
  | 'dns'
  | 'connect'
  | 'tls'
  | 'tls_slow'
  | 'address_refused'
  | 'credential'
  | 'timeout'
  | 'cut'
  | 'protocol'
  /** The slot's lease ran out before the write. */
  | 'lease_lost';

/** Responses are kept exactly up to here; beyond it the digest and a flag remain. */
export const RESPONSE_BYTES_MAX = 8 * 1024 * 1024;
