/** Proof that the portal took the filing. */
export interface Receipt {
  readonly number: string;
}

/** The class of an outcome. Every kind carries only what the decision needs. */
export type Verdict =
  | { readonly kind: 'accepted'; readonly receipt: Receipt }
  | { readonly kind: 'received'; readonly submissionId: string | undefined }
  /** `missing` marks a 404: three in a row on a lane mean a wrong address, not three bad filings. */
  | { readonly kind: 'rejected'; readonly code: string; readonly missing?: true }
  /** A person looks at it. `written`: he is told that it may have been taken all the same. */
  | { readonly kind: 'denied'; readonly code: string; readonly written: boolean }
  /** The lane pauses either way. `written`: the filing may have been taken, and is settled after the pause. */
  | (Throttle & { readonly written: boolean })
  | { readonly kind: 'conflict' }
  | { readonly kind: 'transient'; readonly code: string }
  | { readonly kind: 'unknown'; readonly code: string }
  /** `written` says whether the filing may have been taken; then it is unknown first. */
  | { readonly kind: 'drift'; readonly code: string; readonly written: boolean }
  /** A session that expired before the filing was posted is harmless; a 511 came after it. */
  | { readonly kind: 'session'; readonly code: string; readonly written: boolean }
  /** A 4xx that no rule names: a person looks at it, who is told that it may have been taken. */
  | { readonly kind: 'unclassified'; readonly code: string };

/** The portal asks to be left alone, until a moment of its own where it names one. */
export interface Throttle {
  readonly kind: 'throttled';
  readonly code: string;
  readonly waitMs?: number;
  readonly captcha: boolean;
}

/** What the portal said when asked about a key or a submission. */
export type StatusAnswer =
  | { readonly kind: 'accepted'; readonly receipt: Receipt }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'processing'; readonly submissionId: string | undefined }
  | { readonly kind: 'not_found' }
  | Throttle
  /** No usable answer: ask again within the retry bounds. */
  | { readonly kind: 'unclear'; readonly code: string };
