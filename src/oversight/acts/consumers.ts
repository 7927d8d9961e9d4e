/** What follows by itself from an event; each runs once for each event, in the transaction that marks it done. */
import type { Filewright } from '../../filewright.ts';
import type { EventConsumer } from '../../people/index.ts';

/** Loaded on demand: the register brings the law with it, which most commands never need. */
export async function eventConsumers(app: Filewright): Promise<readonly EventConsumer[]> {
  const { nextObligation } = await import('../../filings/index.ts');
  return [nextObligation(app)];
}
