import type { Filewright } from '../filewright.ts';

/** Brings the ledger up to date, where no worker does it. */
export async function sequenceAll(app: Pick<Filewright, 'sequencer'>): Promise<void> {
  while ((await app.sequencer.sequence()) > 0);
}
