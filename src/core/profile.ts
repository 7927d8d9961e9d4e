/**
 * A portal described as data. The JSON format is the same, field for field; its schema with defaults is
 * portals/profile-schema.ts, published as docs/reference/profile.schema.json.
 */

export type Automation = 'allowed' | 'forbidden' | 'unknown';

/** `filing` must not happen twice; `notice` must not fail to happen. */
export type Effect = 'filing' | 'notice';

export interface Profile {
  /** Version of the profile format. */
  readonly format: 1;
  /** The lane's code and the jurisdiction it serves, for instance `US-DE`. */
  readonly code: string;
  readonly jurisdiction: string;
  readonly title: string;
  readonly automation: Automation;
  readonly effect: Effect;
  readonly driver: 'json-api';
  readonly baseUrl: string;
  /** Off by default: a profile must say so to reach loopback or a private network. */
  readonly allowPrivateAddresses: boolean;
  /** Most requests in flight at once, over all processes. */
  readonly ceiling: number;
  readonly timeoutMs: number;
  readonly tlsHandshakeMsMax: number;
  /**
   * The longest time the portal may go on working on a request whose connection is gone. A dead worker's slot rests
   * that long, and "not found" proves nothing before it has passed.
   */
  readonly longestServiceMs: number;
  /** What a request usually takes, and what a person needs to file by hand; both are subtracted from the due moment. */
  readonly expectedServiceMs: number;
  readonly personMs: number;
  readonly submit: { readonly method: 'POST' | 'PUT'; readonly path: string };
  /** Absent where the portal cannot be asked: then an unknown outcome goes to a person. */
  readonly status?: StatusRule;
  readonly health: { readonly method: 'HEAD' | 'GET'; readonly path: string };
  readonly idempotency: {
    readonly header: string;
    /** 0: keys are not honoured. Otherwise for how long after the first send a repeat with the same key is safe. */
    readonly honouredMs: number;
  };
  readonly receipt: ReceiptRule;
  readonly received: {
    /** JSON pointer of the portal's own submission id in a 202. */
    readonly submissionIdAt: string;
    readonly pollMs: number;
    /** After this the filing goes to a person. */
    readonly boundMs: number;
  };
  /** Refinements of the default verdicts, first match wins. */
  readonly answers: readonly AnswerRule[];
  readonly captcha: { readonly marks: readonly string[]; readonly threshold: number };
  readonly throttle: { readonly pauseMsMax: number };
  /** Paths (exact) to which a redirect is followed; anything else is an undeclared redirect. */
  readonly redirects: readonly string[];
  readonly retry: RetryPolicy;
  readonly breaker: BreakerPolicy;
  /** After a pause the ceiling doubles from 1 at this pace; 0 starts at full width. */
  readonly slowStartStepMs: number;
  readonly hours?: OpeningHours;
  /** Extra request headers whose values are references (`env:NAME`, `file:/path`, `command:...`), never secrets. */
  readonly credentials: readonly { readonly header: string; readonly value: string }[];
  /** What the profile claims about the portal, and whether anybody checked it. */
  readonly quirks: readonly {
    readonly name: string;
    readonly note: string;
    readonly verified: boolean;
  }[];
}

export interface StatusRule {
  /** `{key}` and `{submissionId}` are replaced. */
  readonly path: string;
  /** How long after acceptance the status endpoint may still answer "not found". */
  readonly visibilityLagMs: number;
  /** JSON pointer of the state word, and what the words mean. */
  readonly stateAt: string;
  readonly accepted: readonly string[];
  readonly refused: readonly string[];
  readonly processing: readonly string[];
  readonly notFound: readonly string[];
  /** JSON pointer of the key that the answer speaks about; an answer about another key is no answer. */
  readonly keyAt?: string;
}

export interface ReceiptRule {
  readonly statuses: readonly number[];
  /** JSON pointer of the receipt number, and the shape it must have. */
  readonly numberAt: string;
  readonly pattern: string;
}

export interface AnswerRule {
  readonly status: number;
  /** JSON pointer and the value it must have; absent: the status alone decides. */
  readonly at?: string;
  readonly equals?: string;
  readonly verdict: 'rejected' | 'denied' | 'transient' | 'unknown' | 'throttled' | 'drift';
}

export interface RetryPolicy {
  readonly inARowMax: number;
  readonly totalMsMax: number;
  readonly delayMsMin: number;
  readonly delayMsMax: number;
}

export interface BreakerPolicy {
  readonly failures: number;
  readonly coolDownMs: number;
  readonly probeSpacingMs: number;
}

export interface OpeningHours {
  /** IANA zone, for instance `America/New_York`. */
  readonly zone: string;
  readonly weekly: readonly {
    readonly days: readonly Weekday[];
    readonly from: string;
    readonly to: string;
  }[];
  /** ISO dates on which the portal is closed all day. */
  readonly closedOn: readonly string[];
}

export type Weekday = 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun';
