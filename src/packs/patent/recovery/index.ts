/**
 * The way back of a target whose breaker has opened (pure): health twice, schema of a sample, queues drained, fallback log
 * reconciled, a synthetic transaction, closed. `nextRecovery` decides; who calls it owns the wires, the store and the
 * clock.
 */
export * from './drain.ts';
export * from './next-recovery.ts';
export * from './reconcile.ts';
export * from './state.ts';
