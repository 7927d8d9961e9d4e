import type { BatchId, FilingId, IdempotencyKey, LaneCode, Sha256Hex, WorkerId } from './ids.ts';
import type { Effect } from './profile.ts';
import type { Instant } from './time.ts';

/** The public status of a filing. `rejected` and `fallout` leave an exception for a person; `accepted` is final. */
export const FILING_STATUSES = ['pending', 'submitted', 'accepted', 'rejected', 'fallout'] as const;
export type FilingStatus = (typeof FILING_STATUSES)[number];

/**
 * Every legal change of status, and when it may happen. The same table is enforced here, by a trigger in the
 * database (sql/0005_filings.sql) and by the ledger verifier; a test compares the three.
 */
export const LEGAL_TRANSITIONS: readonly {
  readonly from: FilingStatus | null;
  readonly to: FilingStatus;
  readonly when: string;
}[] = [
  { from: null, to: 'pending', when: 'intake froze the payload (revision 1)' },
  { from: 'pending', to: 'submitted', when: 'an intent is committed' },
  {
    from: 'pending',
    to: 'fallout',
    when: 'a gate refuses at send time, the slack is gone, or every tier is closed',
  },
  { from: 'pending', to: 'rejected', when: 'a person withdrew it before anything was sent' },
  {
    from: 'submitted',
    to: 'pending',
    when: 'transient or throttled with proof that nothing was accepted',
  },
  {
    from: 'submitted',
    to: 'submitted',
    when: 'the portal is processing, or the outcome is unknown and being settled',
  },
  { from: 'submitted', to: 'accepted', when: 'receipt' },
  { from: 'submitted', to: 'rejected', when: 'proven refusal' },
  { from: 'submitted', to: 'fallout', when: 'automation gives up' },
  { from: 'rejected', to: 'pending', when: 'review: replay or correct' },
  { from: 'fallout', to: 'pending', when: 'review: replay or correct' },
  { from: 'rejected', to: 'accepted', when: 'review: accepted as filed, with the evidence' },
  { from: 'fallout', to: 'accepted', when: 'review: accepted as filed, with the evidence' },
  { from: 'fallout', to: 'rejected', when: 'review: closed, or withdrawn' },
];

export function isLegalTransition(from: FilingStatus | null, to: FilingStatus): boolean {
  return LEGAL_TRANSITIONS.some((row) => row.from === from && row.to === to);
}

/**
 * What a queued filing does when its turn comes. A filing in an end state has no step.
 *
 * - `send`: write the payload for the first time, or again after proof that nothing was accepted.
 * - `resend`: the outcome is unknown and the portal honours keys: the same bytes with the same key settle it.
 * - `ask`: the outcome is unknown, or the portal said 409: ask status by key.
 * - `poll`: the portal is processing: ask status by submission id.
 */
export type Step =
  | { readonly action: 'send' }
  | {
      readonly action: 'resend';
      /** When the payload may first have been written; keys are honoured for a time from then. */
      readonly firstSentAt: Instant;
      readonly lastSentAt: Instant;
    }
  | {
      readonly action: 'ask';
      /** After a throttle the portal is asked, and a send that follows costs no budget. */
      readonly cause: 'unknown' | 'conflict' | 'throttled';
      readonly firstSentAt: Instant;
      readonly lastSentAt: Instant;
      /** Set by the first "not found" that counts; the second must come later than the visibility lag. */
      readonly notFoundAt?: Instant;
      /** Consecutive answers that told nothing; bounded by the retry policy. */
      readonly unclear: number;
    }
  | {
      readonly action: 'poll';
      /** Undefined: the portal named none, so it is asked by key. */
      readonly submissionId: string | undefined;
      readonly firstSentAt: Instant;
      readonly lastSentAt: Instant;
      /** The profile's bound: after it the filing goes to a person. */
      readonly until: Instant;
      readonly unclear: number;
    };

export type StepAction = Step['action'];

/** The immutable part: what is owed to whom by when. */
export interface Envelope {
  readonly id: FilingId;
  readonly batch: BatchId;
  readonly lane: LaneCode;
  readonly jurisdiction: string;
  readonly effect: Effect;
  /** Who the filing is about; also the unit of encryption keys, so that one client's data can be destroyed alone. */
  readonly entityId: string;
  readonly filingKind: string;
  readonly period: string;
  readonly revision: number;
  readonly key: IdempotencyKey;
  readonly payloadSha256: Sha256Hex;
  readonly notBefore: Instant;
  readonly due: Instant;
  /** The due moment less the expected service time and the time a person would need. */
  readonly lastSafe: Instant;
}

/** The envelope with its present state. */
export interface Filing extends Envelope {
  readonly status: FilingStatus;
  /** Number of the latest attempt (of any action); 0 before the first. */
  readonly attempt: number;
  readonly step: Step | undefined;
  /** Consecutive transient failures and when the row of them began; both reset by any real answer. */
  readonly failures: number;
  readonly failingSince: Instant | undefined;
  readonly captchaMarks: number;
  readonly holder: WorkerId | undefined;
}
