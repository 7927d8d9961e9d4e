/** Virtual time, the memory store and the portal simulator: what it takes to run the real engine without a world. */
export * from './simulator/index.ts';
export {
  type RunEnd,
  type Scheduled,
  SeededIds,
  SeededRandom,
  VirtualClock,
  VirtualTime,
} from './virtual-clock.ts';
export { MemoryStore, type StoreCall } from './memory-store.ts';
export { MemoryDatabase, type MemoryDatabaseOptions } from './memory/database.ts';
export type { NewLane } from './memory/lanes.ts';
export type { MemoryBoundary } from './memory/ledger.ts';
export type {
  AttemptRow,
  BatchRow,
  ExceptionRow,
  FilingRow,
  LaneRow,
  OutboxRow,
  OutcomeRow,
  SlotRow,
  WorkerRow,
} from './memory/rows.ts';
export * from './rehearsal/index.ts';
