/** All SQL of the grants pipeline. */
export * from './award-ends.ts';
export * from './awards.ts';
export * from './balances.ts';
export * from './escalations.ts';
export * from './evaluations.ts';
export * from './feeds.ts';
export * from './fetches.ts';
export * from './handoffs.ts';
export * from './late-lines.ts';
export * from './matches.ts';
export * from './metadata.ts';
export * from './parts.ts';
export * from './results.ts';
export type { StoredSnapshot } from './snapshots.ts';
export {
  type KeyDomain,
  type SealedBytes,
  StageDesk,
  type StageParts,
  type StageRun,
} from './stage.ts';
export * from './statements.ts';
export * from './verifications.ts';
export * from './withdrawals.ts';
export { type Stage, STAGE_TABLES, STAGES } from './walls.ts';
