/** What the ledger says of a filing by hand: when it was filed and what was paid, as it was recorded and corrected since. */
import type { FilingId } from '../../core/index.ts';
import { entriesOfFiling, type Installation, parseEntry, sequenceAll } from '../../ledger/index.ts';

interface RecordedByHand {
  /** RFC 3339. */
  readonly filedAt: string | undefined;
  readonly feeCents: number | undefined;
}

export async function recordedByHand(app: Installation, filing: FilingId): Promise<RecordedByHand> {
  await sequenceAll(app);
  let filedAt: string | undefined;
  let feeCents: number | undefined;
  for await (const { bytes } of entriesOfFiling(app.session, app.tenant, filing)) {
    const { data } = parseEntry(bytes);
    if (typeof data['filed_at'] === 'string') filedAt = data['filed_at'];
    if (typeof data['fee_cents'] === 'number') feeCents = data['fee_cents'];
  }
  return { filedAt, feeCents };
}
