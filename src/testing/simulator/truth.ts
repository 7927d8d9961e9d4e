import { type Instant, invariant } from '../../core/index.ts';
import type { Own } from '../../lanes/index.ts';
import type { Endpoint, FaultKind } from './faults.ts';
import { type ReceivedRequest, RequestLog } from './request-log.ts';

/** The hidden truth of one portal: what it really took, and what really reached it. */

/** One time that the portal took a filing. */
export interface Acceptance {
  readonly receipt: string;
  readonly sha256: string;
  /** When the request came. */
  readonly arrivedAt: Instant;
  /** When the filing was taken; may lie ahead of the present, and nothing stops it then. */
  at: Instant;
}

/** What a portal that has not taken a filing knows about it. */
export type Ruling =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'processing';
      readonly submissionId: string;
      readonly from: number;
      readonly until: number;
      readonly end: 'accepted' | 'refused' | 'stuck';
    }
  | { readonly kind: 'refused'; readonly at: number };

/** All that happened under one key. */
export interface Submission {
  readonly key: string;
  /** How often it was submitted and how often its status was asked. */
  received: number;
  asked: number;
  /** Submissions that were recognised as repeats of one already taken. */
  repeats: number;
  /** More than one: filed twice. */
  readonly acceptances: Acceptance[];
  ruling: Ruling;
  /** What the filing is called in answers that name it; kept where status answers do. */
  own?: Own;
}

/** Why an honest portal turned a request away. */
export type Refusal =
  | 'blocked'
  | 'closed'
  | 'duplicate'
  | 'key_reused'
  | 'full'
  /** Came without credentials. */
  | 'stranger'
  /** Examined and found wanting: a limit of the profile, an unknown entity, the wrong rail, too early. */
  | 'examined'
  /** Without a session, or with the token of another form. */
  | 'session';

export interface TruthSummary {
  readonly lane: string;
  /** Acceptances, counting each of a filing that was accepted twice. */
  readonly accepted: number;
  readonly keys: number;
  readonly keysAccepted: number;
  readonly keysAcceptedTwice: number;
  readonly repeats: number;
  readonly inFlight: number;
  readonly inFlightMax: number;
  readonly arrivedOverCeiling: number;
  /** Requests that came after the portal had asked for a pause and before the moment it named. */
  readonly arrivedWhilePaused: number;
  readonly requests: Readonly<Record<Endpoint, number>>;
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>;
  readonly refusals: Readonly<Partial<Record<Refusal, number>>>;
  readonly sessions: { readonly foreign: number; readonly shared: number };
  /** The first keys that were accepted twice, up to DUPLICATES_LISTED. */
  readonly duplicates: readonly { readonly key: string; readonly times: number }[];
}

export interface AcceptedLine {
  readonly key: string;
  readonly receipt: string;
  readonly sha256: string;
  readonly at: number;
  /** 1 for the first acceptance of the key, 2 for a double filing. */
  readonly nth: number;
  readonly received: number;
  readonly repeats: number;
}

// The truth must not be forgotten, so keys are not dropped but refused beyond this. Measured at 640 bytes a key, with
// its acceptance and its share of the log: 1.3 GB, which the default heap still holds.
export const KEYS_MAX = 2_000_000;
export const DUPLICATES_LISTED = 1_000;
const NO_RULING: Ruling = { kind: 'none' };

export class Truth {
  readonly lane: string;
  readonly log: RequestLog;
  readonly requests: Record<Endpoint, number> = { submit: 0, status: 0, health: 0, other: 0 };
  readonly faults: Partial<Record<FaultKind, number>> = {};
  readonly refusals: Partial<Record<Refusal, number>> = {};
  readonly sessions = { foreign: 0, shared: 0 };
  inFlight = 0;
  inFlightMax = 0;
  arrivedOverCeiling = 0;
  arrivedWhilePaused = 0;
  private readonly submissions = new Map<string, Submission>();
  private readonly keyOfSubmission = new Map<string, string>();
  private acceptedCount = 0;
  private keysAcceptedCount = 0;
  private repeatCount = 0;

  constructor(lane: string, requestLogMax: number) {
    this.lane = lane;
    this.log = new RequestLog(requestLogMax);
  }

  find(key: string): Readonly<Submission> | undefined {
    return this.submissions.get(key);
  }

  findById(submissionId: string): Readonly<Submission> | undefined {
    const key = this.keyOfSubmission.get(submissionId);
    return key === undefined ? undefined : this.submissions.get(key);
  }

  /** The record of a key, made when it is new; undefined when there is no room for another. */
  open(key: string): Submission | undefined {
    const known = this.submissions.get(key);
    if (known !== undefined) return known;
    if (this.submissions.size >= KEYS_MAX) return undefined;
    const fresh: Submission = {
      key,
      received: 0,
      asked: 0,
      repeats: 0,
      acceptances: [],
      ruling: NO_RULING,
    };
    this.submissions.set(key, fresh);
    return fresh;
  }

  accept(submission: Submission, acceptance: Acceptance): void {
    submission.acceptances.push(acceptance);
    this.acceptedCount += 1;
    if (submission.acceptances.length === 1) this.keysAcceptedCount += 1;
  }

  /** A repeat that is done sooner than the first one brings the acceptance forward. */
  repeat(submission: Submission, at: Instant): void {
    submission.repeats += 1;
    this.repeatCount += 1;
    const latest = submission.acceptances.at(-1);
    invariant(latest !== undefined, 'Only a filing that was taken can be repeated.');
    if (submission.ruling.kind === 'none' && at < latest.at) latest.at = at;
  }

  rule(submission: Submission, ruling: Ruling): void {
    submission.ruling = ruling;
    if (ruling.kind === 'processing') this.keyOfSubmission.set(ruling.submissionId, submission.key);
  }

  countFault(fault: FaultKind): void {
    this.faults[fault] = (this.faults[fault] ?? 0) + 1;
  }

  countRefusal(refusal: Refusal): void {
    this.refusals[refusal] = (this.refusals[refusal] ?? 0) + 1;
  }

  countRequest(request: ReceivedRequest): void {
    this.requests[request.endpoint] += 1;
    this.log.add(request);
  }

  summary(): TruthSummary {
    return {
      lane: this.lane,
      accepted: this.acceptedCount,
      keys: this.submissions.size,
      keysAccepted: this.keysAcceptedCount,
      keysAcceptedTwice: [...this.twice(Number.POSITIVE_INFINITY)].length,
      repeats: this.repeatCount,
      inFlight: this.inFlight,
      inFlightMax: this.inFlightMax,
      arrivedOverCeiling: this.arrivedOverCeiling,
      arrivedWhilePaused: this.arrivedWhilePaused,
      requests: { ...this.requests },
      faults: { ...this.faults },
      refusals: { ...this.refusals },
      sessions: { ...this.sessions },
      duplicates: [...this.twice(DUPLICATES_LISTED)],
    };
  }

  /** Every acceptance, key by key in order of first arrival. Keys that come while it is read are left out. */
  *accepted(): Generator<AcceptedLine> {
    let left = this.submissions.size;
    for (const { key, received, repeats, acceptances } of this.submissions.values()) {
      if (left-- === 0) return;
      for (const [index, { receipt, sha256, at }] of acceptances.entries()) {
        yield { key, receipt, sha256, at, nth: index + 1, received, repeats };
      }
    }
  }

  private *twice(limit: number): Generator<{ key: string; times: number }> {
    if (this.acceptedCount === this.keysAcceptedCount) return;
    let listed = 0;
    for (const { key, acceptances } of this.submissions.values()) {
      if (acceptances.length < 2) continue;
      if (++listed > limit) return;
      yield { key, times: acceptances.length };
    }
  }
}
