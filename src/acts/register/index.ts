/** Apart from the room's main door, because reading law loads time zones, which most commands never need. */
export { type BatchQuestion, createBatch, type ObligationBatch } from './batch.ts';
export { type Completed, nextObligation, onFilingComplete } from './completion.ts';
export { type EntityDetail, type EntityView, viewEntities, viewEntity } from './entities.ts';
export { type FeedQuestion, issueFeed, type IssuedFeed } from './feed.ts';
export { importRegister, type RegisterImport, type RegisterReport } from './import.ts';
export { registerLaw, today } from './law.ts';
export { listObligations } from './obligations.ts';
export type { ObligationState } from '../../store/register/index.ts';
export type { FieldMove, Move } from './obligation-move.ts';
export { type Recomputation, recompute, type RecomputeInput } from './recompute.ts';
