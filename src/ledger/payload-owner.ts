import type { PayloadOwner } from '../core/index.ts';
import type { LedgerEntry } from './entry-type.ts';

/** Whose payload the body of an entry is: of the filing that it admits, or for which it proposes a correction. */
export function payloadOwner({
  type,
  subj,
  data,
}: Partial<Pick<LedgerEntry, 'type' | 'subj' | 'data'>>): PayloadOwner | undefined {
  if (subj === undefined || data === undefined) return undefined;
  const { key, filing } = data;
  if (typeof key !== 'string') return undefined;
  if (type === 'filing.state' && data.from === null) return { filing: subj.id, key };
  const isCorrection = type === 'review.proposed' && typeof filing === 'string';
  return isCorrection ? { filing, key } : undefined;
}
