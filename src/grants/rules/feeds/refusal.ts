import { type ErrorCode, FilewrightError } from '../../../core/index.ts';
import type { FeedPlace } from './feed-events.ts';
import { QUOTED_CHARS_MAX } from './limits.ts';

export interface Refusal {
  readonly code?: Extract<
    ErrorCode,
    'FEED_MALFORMED' | 'FEED_INCONSISTENT' | 'FEED_UNSUPPORTED' | 'INPUT_LIMIT'
  >;
  /** What was expected and what was found, without a full stop. */
  readonly reason: string;
  readonly remedy?: string;
}

const REMEDIES = {
  FEED_MALFORMED: 'Download the feed from the bank again and import it unchanged',
  FEED_INCONSISTENT: 'Download the feed again; if it is the same, ask the bank to correct it',
  FEED_UNSUPPORTED: 'Ask the bank for camt.053, BAI2, OFX, MT940 or NACHA CCD',
  INPUT_LIMIT: 'Check that the file is the right bank feed',
} as const;

/** Throws: a feed with one fault is not used at all, since nobody could say which half to trust. */
export function refuse(place: FeedPlace, refusal: Refusal): never {
  const code = refusal.code ?? 'FEED_MALFORMED';
  const remedy = refusal.remedy ?? REMEDIES[code];
  const { line, column } = place;
  throw new FilewrightError(
    code,
    `Line ${line}, column ${column}: ${refusal.reason}. ${remedy}. Nothing in this feed was used.`,
    { details: { line, column, reason: refusal.reason, remedy } },
  );
}

/** Feed text inside a message: quoted, with escapes, cut. */
export function quoted(text: string): string {
  return JSON.stringify(
    text.length > QUOTED_CHARS_MAX ? `${text.slice(0, QUOTED_CHARS_MAX)}…` : text,
  );
}
