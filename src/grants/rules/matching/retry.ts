/**
 * What follows the answer to a question over a lane: it is done, it is asked again later, or a person has it. A retry asks
 * the same frozen question again; it never changes a total.
 */
import {
  addMs,
  backoffMs,
  type Instant,
  invariant,
  type RetryPolicy,
} from '../../../core/index.ts';
import type { FailureVerdict } from '../intake/failures.ts';

/** The first wait is 2 to 4 seconds, the longest 30; at most 15 minutes in all, and after three failures in a row no more. */
export const QUESTION_RETRY: RetryPolicy = {
  inARowMax: 3,
  totalMsMax: 15 * 60_000,
  delayMsMin: 4_000,
  delayMsMax: 30_000,
};
export const RETRY_EXHAUSTED = 'RETRY_EXHAUSTED_PERMANENT_FAILURE';

/** A question after a try, which is counted already. */
export interface TriedQuestion {
  readonly id: string;
  readonly requestSha256: string;
  /** When it was first asked; the 15 minutes run from here. */
  readonly startedAt: Instant;
  readonly tries: number;
  readonly inARow: number;
}

export type Heard =
  | { readonly kind: 'good' }
  /** Nothing was read, or not all. */
  | { readonly kind: 'failed'; readonly verdict: FailureVerdict }
  /** It was read, and may not be taken: another try would find the same. */
  | { readonly kind: 'refused'; readonly code: string };

type AfterAnswer =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'again';
      readonly at: Instant;
      readonly inARow: number;
      readonly lastErrorCode: string;
    }
  | {
      readonly kind: 'person';
      readonly escalationCode: string;
      readonly inARow: number;
      readonly lastErrorCode: string;
    };

export function afterAnswer(
  question: TriedQuestion,
  heard: Heard,
  /** The hash of what was asked: it must be what was frozen. */
  asked: { readonly sha256: string; readonly now: Instant },
): AfterAnswer {
  const { id, requestSha256, startedAt, tries, inARow } = question;
  invariant(asked.sha256 === requestSha256, 'a retry must not change its payload', {
    payload: requestSha256,
  });
  if (heard.kind === 'good') return { kind: 'done' };
  if (heard.kind === 'refused') return toPerson(heard.code, inARow, heard.code);
  const { kind, code } = heard.verdict;
  if (kind === 'permanent') return toPerson(code, inARow, code);
  const failures = inARow + 1;
  const at = addMs(asked.now, backoffMs(QUESTION_RETRY, { id, attempt: tries, failures }));
  const isLate = at > addMs(startedAt, QUESTION_RETRY.totalMsMax);
  return failures >= QUESTION_RETRY.inARowMax || isLate
    ? toPerson(RETRY_EXHAUSTED, failures, code)
    : { kind: 'again', at, inARow: failures, lastErrorCode: code };
}

function toPerson(escalationCode: string, inARow: number, lastErrorCode: string): AfterAnswer {
  return { kind: 'person', escalationCode, inARow, lastErrorCode };
}
