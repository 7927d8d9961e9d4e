/**
 * Routing of dockets (pure). Everything here is a function of values; who calls it owns the store, the wires and the
 * clock. The order of use:
 *
 *   readMatrix, readPeople      texts → values; shape faults are told by line
 *   requireSoundMatrix          whole or nothing: acyclic, complete, every name leads somewhere (`checkMatrix` lists)
 *   triggersOf, activationOf    an observation → triggers with evidence → an activation of one docket's tier
 *   startRouting                the first state of a docket, to be stored with it
 *   nextStep                    state + happening + now → step; the only decision there is
 *
 * The shell around `nextStep` does this, in one transaction with the docket's row locked:
 *
 *   1. reads the state and the breakers of the matrix's targets,
 *   2. calls `nextStep(state, happening, now, desk)` with the clock of the database,
 *   3. stores `step.next`, each of `step.breakers` (compare-and-set on `before`), `step.facts` into the ledger, and
 *      `wakeAt(step.next)` as the moment of the next `clock`,
 *   4. after the commit, and only for `send` and `manual`, hands `step.message` to `step.target` and reports the result as
 *      an `outcome` with the tier and attempt of the step.
 *
 * An exchange of a handoff is told as its `outcome`, with the trigger it showed; it has two attempts. An `activation` is
 * for what is seen elsewhere (a saturated queue, drift, a denied look-up) and leaves the tier at once. After a change of
 * law, calendar, matrix or people, every open docket hears the `clock` once.
 *
 * A crash between 3 and 4 leaves the state `sending`; its `until` passes, the clock calls it unknown, and the same
 * message id goes out again. Receivers deduplicate by that id: notices may repeat, never vanish.
 */
export * from './activation.ts';
export * from './assignment.ts';
export * from './assignment-table.ts';
export * from './breakers.ts';
export * from './check-matrix.ts';
export * from './fact-data.ts';
export * from './facts.ts';
export * from './happening.ts';
export * from './matrix.ts';
export * from './message.ts';
export * from './next-step.ts';
export * from './policy.ts';
export * from './read-matrix.ts';
export * from './route-of.ts';
export * from './state.ts';
export * from './tier-timer.ts';
export * from './tiers.ts';
export * from './triggers.ts';
export * from './working-time.ts';
