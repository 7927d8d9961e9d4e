/** What closes a docket. A hard date never closes because somebody has seen it. */
import { formatDay } from '../../../calendar/index.ts';
import { FilewrightError, type Instant, isPlainText } from '../../../core/index.ts';
import type { PatentLaw } from '../matter.ts';
import { type DocketDates, isInTime } from './dates.ts';
import type { Docket } from './docket.ts';

export type Closing =
  | { readonly kind: 'proof'; readonly receipt: string; readonly filedAt: Instant }
  | { readonly kind: 'override'; readonly by: string; readonly reason: string }
  | { readonly kind: 'seen'; readonly by: string };

export interface Closed {
  readonly how: Closing['kind'];
  /** Undefined where there was no date to keep. */
  readonly inTime: boolean | undefined;
}

/** Short reasons ("ok", "done") explain nothing to whoever reads the ledger in three years. */
const REASON_CHARACTERS_MIN = 10;
/** Long ones belong in the file; the ledger keeps this for ever. */
const REASON_CHARACTERS_MAX = 2_000;

/** Whether a text can stand in the ledger as the reason for what a person did: lines and tabs, no other controls. */
function isReason(text: string): boolean {
  const { length } = text.trim();
  if (length < REASON_CHARACTERS_MIN || length > REASON_CHARACTERS_MAX) return false;
  return !/[\p{Surrogate}\p{Cc}]/u.test(text.replaceAll(/[\t\r\n]/g, ' '));
}

/**
 * Whether a date obliges somebody to act. Terms, receipts and openings of windows do not. A docket without a date does:
 * nobody knows that there is none.
 */
export function isHard(docket: Docket, dates: DocketDates, law: PatentLaw): boolean {
  if (dates.kind === 'undated') return true;
  if (docket.event?.stated.due !== undefined || docket.event?.stated.final !== undefined)
    return true;
  const rule = dates.rule === undefined ? undefined : law.rules.rules.get(dates.rule);
  return rule?.roll ?? true;
}

/** Throws with what is missing; returns what to record. */
export function closingOf(
  docket: Docket,
  closing: Closing,
  at: { readonly dates: DocketDates; readonly law: PatentLaw; readonly now: Instant },
): Closed {
  const { dates, now } = at;
  switch (closing.kind) {
    case 'proof':
      if (closing.receipt.trim() === '') throw refusal(docket, 'the proof has no receipt');
      if (!isPlainText(closing.receipt)) {
        throw refusal(
          docket,
          'the proof needs a receipt of at most 500 characters, without control characters',
        );
      }
      if (closing.filedAt > now) throw refusal(docket, 'the proof is dated in the future');
      return {
        how: 'proof',
        inTime: dates.kind === 'dated' ? isInTime(dates, closing.filedAt) : undefined,
      };
    case 'override':
      if (closing.by.trim() === '') throw refusal(docket, 'an override needs a named person');
      if (!isReason(closing.reason)) {
        throw refusal(
          docket,
          `an override needs a reason of ${REASON_CHARACTERS_MIN} to ${REASON_CHARACTERS_MAX} characters`,
        );
      }
      return { how: 'override', inTime: undefined };
    case 'seen':
      if (isHard(docket, dates, at.law)) {
        const what =
          dates.kind === 'dated'
            ? `it has the hard date ${formatDay(dates.due)}`
            : `its date is not known (${dates.why})`;
        throw refusal(docket, what);
      }
      return { how: 'seen', inTime: undefined };
  }
}

function refusal(docket: Docket, why: string): FilewrightError {
  return new FilewrightError('PROOF_NEEDED', `Docket "${docket.id}" stays open: ${why}`, {
    details: { docket: docket.id },
  });
}
