export { attachCheck, handOff } from './handoff.ts';
export { ingestFeed } from './ingest-feed.ts';
export type { ReconciliationParts } from './parts.ts';
export { closePeriod, periods, reconcile, settle, unmatched } from './reconcile.ts';
export { runRetryQueue, verifyGrantor } from './verify.ts';
