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
  /** The path that answered, where declared redirects led to another one than was asked. */
  readonly path?: string;
  /** With the driver `html-form`: what stands on the page. Absent when the page cannot be read. */
  readonly page?: PageReading;
  /** This answer is whole, but a request after it, to which it led, may still keep the portal busy. */
  readonly mayBeBusy?: true;
}

/** What a driver read on a page at the places that the profile names; the exact bytes stay in the answer. */
export interface PageReading {
  /** Which of the profile's pages it is, by their marks. */
  readonly kind: 'confirmation' | 'refusal' | 'login' | 'form' | 'other';
  /** By selector; a selector that leads to nothing, or to several texts, has no entry. */
  readonly texts: Readonly<Record<string, string>>;
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
  /** The page that stopped the exchange before the filing was posted. */
  readonly answer?: Answer;
  /** Not the filing, but a request before it may still keep the portal busy. */
  readonly mayBeBusy?: true;
  /** With `login_refused`: or somebody else's login has ended the new session at once. */
  readonly mayBeRivals?: true;
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
  | 'lease_lost'
  /** Before the post: signed in anew, and the session was over again. */
  | 'session'
  /** Before the post: the portal does not take the name or the password. */
  | 'login_refused'
  /** Before the post: the login broke; nobody knows whether the portal has seen the password. */
  | 'login_failed'
  /** Before the post: sessions of one account end each other. */
  | 'session_rivals'
  /** Before the post: the form is another one than the profile describes. */
  | 'form_changed'
  /** Before the post: the portal led where the profile does not allow. */
  | 'redirect'
  /** Before the post: a page that says neither yes nor no. */
  | 'page'
  /** Before the post: a session token was seen in two places; the lane is isolated. */
  | 'session_collision'
  /** Before the post: the payload lacks what the form needs. */
  | 'payload';

/** Responses are kept exactly up to here; beyond it the digest and a flag remain. */
export const RESPONSE_BYTES_MAX = 8 * 1024 * 1024;
