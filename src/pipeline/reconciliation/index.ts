export { closePeriod } from './close-period.ts';
export { attachCheck, handOff } from './handoff.ts';
export { ingestFeed } from './ingest-feed.ts';
export type { ReconciliationParts } from './parts.ts';
export { listStatements, stateBalance } from './state-balance.ts';
export { withdrawalsOf } from './withdraw.ts';
export { periods, reconcile, settle, unmatched } from './reconcile.ts';
export { runRetryQueue, verifyGrantor } from './verify.ts';
