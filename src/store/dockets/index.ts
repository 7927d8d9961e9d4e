/** Dockets, their routing and the recovery of targets: all of their SQL. */
export * from './assignments.ts';
export * from './breakers.ts';
export * from './differences.ts';
export { type DocketFact, recordDocketFacts } from './docket-facts.ts';
export {
  DOCKET_PHASES,
  type DocketAdmission,
  type DocketFilter,
  type DocketPhase,
  type NewDocket,
  type StoredDocket,
} from './docket-rows.ts';
export * from './dockets.ts';
export * from './handoffs.ts';
export * from './manual.ts';
export * from './queues.ts';
export * from './identities.ts';
export * from './recovery.ts';
export * from './setup.ts';
export * from './steps.ts';
