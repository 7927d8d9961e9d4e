/** Facts of any boundary, by the statement that records those of the foundation. */
import type { LedgerFact } from '../../core/index.ts';
import { type Boundary, recordFact } from './facts.ts';
import type { Session } from '../../postgres/index.ts';

/** `ver` must have been assigned while the subject's row was locked in this same transaction. */
export function recordLedgerFact(
  run: Session['run'],
  log: { readonly tenant: string; readonly boundary: string },
  subject: { readonly kind: string; readonly id: string; readonly ver: number },
  fact: LedgerFact,
): Promise<void> {
  // The database holds the column to the names of boundaries.
  const boundary = log.boundary as Boundary;
  return recordFact(run, { tenant: log.tenant, boundary }, subject, fact);
}
