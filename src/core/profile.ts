/**
 * A portal described as data. The JSON format is the same, field for field; its schema with defaults is
 * portals/profile-schema.ts, published as docs/reference/profile.schema.json.
 */

import type { JsonValue } from './canonical-json.ts';
import { invariant } from './invariant.ts';

type Automation = 'allowed' | 'forbidden' | 'unknown';

/** `filing` must not happen twice; `notice` must not fail to happen. */
export type Effect = 'filing' | 'notice';
/** A lane that is only asked (`question`) changes nothing: nothing is filed there. */
type LaneEffect = Effect | 'question';

/** The effect of what is filed on a lane; intake offers it none that is only asked. */
export function effectOfFilings(effect: LaneEffect): Effect {
  invariant(effect !== 'question', 'Nothing is filed on a lane that is only asked');
  return effect;
}

export interface Profile {
  /** Version of the profile format. */
  readonly format: 1;
  /** The lane's code and the jurisdiction it serves, for instance `US-DE`. */
  readonly code: string;
  readonly jurisdiction: string;
  readonly title: string;
  readonly automation: Automation;
  readonly effect: LaneEffect;
  /**
   * `json-api`: one filing is one request. `html-form`: it is a form that is opened, filled in and posted. `person`: no
   * program speaks with the portal; people file there, and what is about requests is never used.
   */
  readonly driver: 'json-api' | 'html-form' | 'person';
  /** With the driver `person`: where the office's filing pages begin. */
  readonly baseUrl: string;
  /** Off by default: a profile must say so to reach loopback or a private network. */
  readonly allowPrivateAddresses: boolean;
  /** Most requests in flight at once, over all processes; with the driver `person`, how many people the forecast counts on. */
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
    /** Place of the portal's own submission id in a 202. */
    readonly submissionIdAt: string;
    readonly pollMs: number;
    /** After this the filing goes to a person. */
    readonly boundMs: number;
    /** The portal takes every filing this way: submit, then poll. */
    readonly always?: boolean;
  };
  /** Refinements of the default verdicts, first match wins. */
  readonly answers: readonly AnswerRule[];
  readonly captcha: { readonly marks: readonly string[]; readonly threshold: number };
  readonly throttle: {
    readonly pauseMsMax: number;
    /**
     * The portal's limiter stands before the application: whatever it throttles was not taken. Without that word a
     * throttle after the filing was written is settled like any other unknown outcome.
     */
    readonly provesNothingTaken?: boolean;
  };
  /** Paths (exact) to which a redirect is followed; anything else is an undeclared redirect. */
  readonly redirects: readonly string[];
  readonly retry: RetryPolicy;
  readonly breaker: BreakerPolicy;
  /** After a pause the ceiling doubles from 1 at this pace; 0 starts at full width. */
  readonly slowStartStepMs: number;
  readonly hours?: OpeningHours;
  /** Extra request headers whose values are references (`env:NAME`, `file:/path`, `command:...`), never secrets. */
  readonly credentials: readonly { readonly header: string; readonly value: string }[];
  /** Exactly with the driver `html-form`: the pages around the filing. */
  readonly form?: FormRule;
  /** Exactly with the driver `person`. */
  readonly byHand?: ByHandRule;
  readonly session?: SessionRule;
  readonly egress?: EgressRule;
  readonly registry?: RegistryRule;
  /** What the portal refuses in a payload; the gates check it before anything is frozen. */
  readonly limits?: PayloadLimits;
  /** A filing without effect, as the portal defines it: for `portal check` and for recovery. */
  readonly synthetic?: { readonly payload: Readonly<Record<string, JsonValue>> };
  /** What the profile claims about the portal, and whether anybody checked it. */
  readonly quirks: readonly {
    readonly name: string;
    readonly note: string;
    readonly verified: boolean;
  }[];
}

/**
 * Where something stands in an answer (`...At`): a JSON pointer with the driver `json-api`, a CSS selector with
 * `html-form`. Places in a payload are always JSON pointers.
 */
export interface StatusRule {
  /** `{key}` and `{submissionId}` are replaced. */
  readonly path: string;
  /** How long after acceptance the status endpoint may still answer "not found". */
  readonly visibilityLagMs: number;
  /** Place of the state word, and what the words mean. */
  readonly stateAt: string;
  readonly accepted: readonly string[];
  readonly refused: readonly string[];
  readonly processing: readonly string[];
  readonly notFound: readonly string[];
  /** Place of the key that the answer speaks about; an answer about another key is no answer. */
  readonly keyAt?: string;
  /** What else of the filing a status answer names. */
  readonly echoes?: readonly Echo[];
}

interface ReceiptRule {
  readonly statuses: readonly number[];
  /** Place of the receipt number, and the shape it must have. */
  readonly numberAt: string;
  readonly pattern: string;
  /** What of the filing an answer to its submission names. An answer that names another one proves nothing. */
  readonly echoes?: readonly Echo[];
}

export interface Echo {
  readonly at: string;
  /** `key`, or a JSON pointer into the payload. */
  readonly of: string;
}

export interface AnswerRule {
  readonly status: number;
  /** Place and the value it must have; absent: the status alone decides. */
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

/** The page with the form, how it is filled in, and how the pages after it are told apart. */
export interface FormRule {
  readonly path: string;
  /** Selector of the form. Its action must be `submit.path`. */
  readonly selector: string;
  readonly fields: readonly FormField[];
  /** The field that takes the idempotency key; absent: the header alone carries it. */
  readonly keyField?: string;
  /** SHA-256 of the form's structure; another form is `drift` before anything is posted. */
  readonly fingerprint?: string;
  /** Selector that only the confirmation page has. */
  readonly confirmation: string;
  /** How a page says that the filing was refused, with a 2xx. */
  readonly refusal?: { readonly mark: string; readonly codeAt: string };
}

/** A field gets the text at a JSON pointer of the payload, or always the same text. */
export type FormField =
  | { readonly name: string; readonly at: string; readonly optional?: boolean }
  | { readonly name: string; readonly text: string };

/** What a person needs who files on the office's own pages. */
interface ByHandRule {
  readonly office: string;
  /** How long a filing is one person's before it counts as lost; each sign of work begins it anew. */
  readonly takeMs: number;
  /** How long after a filing the office's search may not show it yet. "Not there" proves nothing before. */
  readonly visibleAfterMs: number;
  /** What to type, in the order of the office's form. Whatever else the payload holds is shown after it. */
  readonly fields: readonly {
    readonly label: string;
    readonly at: string;
    readonly note?: string;
  }[];
  /** What the office asks for, each as far as it is known. */
  readonly kinds: readonly FiledKind[];
}

export interface FiledKind {
  readonly kind: string;
  readonly appliesTo: string;
  readonly name: string;
  readonly fee?: string;
  readonly window?: string;
  readonly citation?: string;
  /** As in law/rules/entity.json: a statute or agency page, a secondary source, or nothing that was read. */
  readonly verified: 'primary' | 'secondary' | 'none';
}

export interface SessionRule {
  /** `slot`: a session serves one filing at a time. `lane`: the slots of a lane share one. */
  readonly scope: 'slot' | 'lane';
  /** The portal ends a session that is idle for so long. */
  readonly idleMs: number;
  /** What carries the session; each is watched for collisions, and a header is sent back as it came. */
  readonly cookies: readonly string[];
  readonly headers: readonly string[];
  readonly keepAlive?: { readonly path: string; readonly everyMs: number };
  readonly login?: LoginRule;
}

interface LoginRule {
  readonly path: string;
  /** Where the login form posts to; `path` unless given. */
  readonly submitPath?: string;
  /** Selector of the login form: a page that has it is the login page. */
  readonly selector: string;
  /** Values are references, as in `credentials`. */
  readonly fields: readonly { readonly name: string; readonly value: string }[];
}

export interface EgressRule {
  /** Addresses of HTTP proxies (CONNECT); the first is used until a block ends. */
  readonly proxies: readonly string[];
  /** Reference to the value of `Proxy-Authorization`. */
  readonly authorization?: string;
  /** What follows a block, once its reset stamp has passed. `next` needs `terms`. */
  readonly afterBlock: 'stay' | 'next';
  /** Where the portal's terms allow another address after a block. */
  readonly terms?: string;
}

export interface RegistryRule {
  /** `{number}` is replaced. */
  readonly path: string;
  /** JSON pointer of the entity's number in the payload, and its shape. */
  readonly numberAt: string;
  readonly pattern: string;
  readonly stateAt: string;
  /** Place of the number that the answer speaks about; an answer about another number is no answer. */
  readonly entityAt?: string;
  readonly active: readonly string[];
  readonly inactive: readonly string[];
  readonly notFound: readonly string[];
}

export interface PayloadLimits {
  readonly fields: readonly FieldLimit[];
  /** `trimmed`: no text may begin or end with white space. */
  readonly whitespace: 'any' | 'trimmed';
  /** `ascii`: English characters only. Control characters are refused either way. */
  readonly characters: 'unicode' | 'ascii';
  /** Above 0: a second submission for the same entity and kind inside this time is refused as a duplicate. */
  readonly duplicateWindowMs: number;
  /** Not before the first day in the filing's month on which the portal is open; the month stands at `periodAt`. */
  readonly notBeforePeriod?: { readonly periodAt: string };
  readonly payment?: PaymentRule;
}

interface FieldLimit {
  /** JSON pointer into the payload. */
  readonly at: string;
  readonly required: boolean;
  readonly charactersMax?: number;
}

export interface PaymentRule {
  /** JSON pointers of the amount in cents and of the chosen rail. */
  readonly centsAt: string;
  readonly railAt: string;
  /** The rails that exist; one with `centsMax` takes no more than that. */
  readonly rails: readonly { readonly rail: string; readonly centsMax?: number }[];
}
