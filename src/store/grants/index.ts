/** All SQL of the grants pipeline. */
export * from './award-ends.ts';
export * from './awards.ts';
export * from './balances.ts';
export * from './escalations.ts';
export * from './evaluations.ts';
export * from './feeds.ts';
export * from './handoffs.ts';
export * from './late-lines.ts';
export * from './matches.ts';
export * from './metadata.ts';
export * from './parts.ts';
export * from './questions.ts';
export * from './results.ts';
export {
  type KeyDomain,
  type SealedBytes,
  StageDesk,
  type StageParts,
  type StageRun,
} from './stage.ts';
export * from './statements.ts';
export * from './withdrawals.ts';
export { type Purpose, purposeOf, type Stage, STAGE_TABLES, STAGES } from './walls.ts';
