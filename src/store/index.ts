export {
  approveBatch,
  type Batch,
  findBatch,
  type LaneCounts,
  laneCounts,
  listBatches,
  releaseBatch,
} from './batches.ts';
export { history, PostgresDeliveryStore } from './delivery-store.ts';
export * from './embedded/index.ts';
export {
  type ExceptionView,
  type FilingFilter,
  type FilingView,
  findException,
  findFiling,
  findPayload,
  listExceptions,
  listFilings,
  replayFiling,
} from './filings.ts';
export { PostgresIntakeStore } from './intake-store.ts';
export { addLane, changeLaneByPerson, type LaneView, listLanes } from './lanes.ts';
export {
  ledgerBlobs,
  ledgerEntries,
  ledgerHeads,
  ledgerWaiting,
  type LogHead,
  type StoredBlob,
} from './ledger-entries.ts';
export { migrate, readMigrations } from './migrate.ts';
export { packageRoot } from './package-root.ts';
export { addPerson, disablePerson, findPerson, listPeople, type Person } from './people.ts';
export { PostgresSequencer } from './sequencer.ts';
export { type SequencerThread, startSequencerThread } from './sequencer-thread.ts';
export { describeServer } from './server.ts';
export { type ConnectionTarget, Session, type SessionOptions } from './session.ts';
export { LEASE_MS } from './slots.ts';
export { hasTenantKey, openTenant, type Tenant } from './tenants.ts';
// For the test of its query plan.
export { PLANNER, TICK, tickValues } from './tick.ts';
