/** What must hold before an exception may be touched, in words. The database holds to the same rules by itself. */
import { FilewrightError, type Profile, ruledOut } from '../../core/index.ts';
import type { ExceptionView } from '../store/filings.ts';
import type { ReviewCandidate } from '../store/reviews.ts';

export function checkOpen(exception: ExceptionView): void {
  const { filing } = exception;
  if (filing.status === 'rejected' || filing.status === 'fallout') return;
  throw ruledOut(`Filing ${filing.id} is ${filing.status}; only rejected and fallout are reviewed`);
}

export function checkInTime(filing: string, isLate: boolean): void {
  if (!isLate) return;
  throw ruledOut(
    `The last safe moment of filing ${filing} has passed; file it manually, and record it with review accept-as-filed`,
  );
}

/**
 * What a replay does first. Where an earlier send may have been accepted, the portal is asked, whatever anybody believes;
 * only where it cannot be asked does a person's evidence take the place of its answer.
 */
export function replayAction(
  candidate: Pick<ReviewCandidate, 'filing' | 'unsettled'>,
  profile: Profile | undefined,
  notFiled: string | undefined,
): 'send' | 'ask' {
  if (candidate.unsettled === undefined) return 'send';
  if (profile?.status !== undefined) return 'ask';
  if (notFiled !== undefined) return 'send';
  throw new FilewrightError(
    'MAY_BE_FILED',
    `An earlier send of filing ${candidate.filing} may have been accepted, and its portal cannot be queried. ` +
      'Check with the portal, and replay with --not-filed "<how you know>" only if it was not',
  );
}

/** A correction gets a new key, which no portal can match with the old one: the old must be known not to be accepted. */
export function checkNotAccepted(
  exception: ExceptionView,
  profile: Profile | undefined,
  notFiled: string | undefined,
): void {
  if (exception.unsettled === undefined) return;
  const { id } = exception.filing;
  if (profile?.status !== undefined) {
    throw new FilewrightError(
      'MAY_BE_FILED',
      `An earlier send of filing ${id} may have been accepted. Replay it first: that queries the portal, and changes nothing`,
    );
  }
  if (notFiled !== undefined) return;
  throw new FilewrightError(
    'MAY_BE_FILED',
    `An earlier send of filing ${id} may have been accepted, and its portal cannot be queried. ` +
      'Check with the portal, and correct it with --not-filed "<how you know>" only if it was not',
  );
}
