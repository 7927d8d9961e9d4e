import type { Installation } from '../store/installation.ts';

/** Brings the ledger up to date, where no worker does it. */
export async function sequenceAll(app: Pick<Installation, 'sequencer'>): Promise<void> {
  while ((await app.sequencer.sequence()) > 0);
}
