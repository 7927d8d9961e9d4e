/** The line between one process and the database: every way in which a call can go wrong. */
import { FilewrightError } from '../../src/core/errors.ts';
import type { StoreCall } from '../../src/testing/memory-store.ts';
import type { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

/** A statement that takes longer than this counts as delayed on purpose. */
const USUAL_MS_MAX = 4;
const DELAY_MS_MAX = 2_500;
/** A statement whose client has gone may commit this much later. */
const LATE_MS_MAX = 1_500;

/**
 * Repeating these leaves the caller's next look at the database as it was, or is what a lost answer leaves anyway.
 * A tick is not among them: the loop never repeats one, because it makes new attempt ids for each.
 */
const REPEATABLE = new Set([
  'registerWorker',
  'beat',
  'endWorker',
  'survey',
  'acquireSlots',
  'adopt',
  'takeOrphans',
  'takeLate',
  'changeLane',
  'leaseProbe',
  'openQuestions',
  'history',
  'receiptOwner',
  'dataKeys',
  'sequence',
]);

export function storeLine(world: World, process: SimProcess): StoreCall {
  return <T>(method: string, work: () => T) =>
    new Promise<T>((resolve, reject) => {
      if (process.isDead) return;
      const { faults } = world;
      const { draw } = faults;
      const name = `${process.name} ${method}`;
      const fault = faults.beforeStore(method);
      if (fault !== undefined) world.fault(`store ${fault}`, name);
      const unreachable = (): void =>
        reject(new FilewrightError('DATABASE_UNREACHABLE', `Simulated: ${method}`));
      const effect = (): T => {
        world.note(`${name} runs`);
        return work();
      };
      const answerAfter = (ms: number, answer: () => void): void => {
        world.after(ms, () => process.deliver(answer));
      };
      if (fault === 'crash_before') {
        world.crash(process);
        return;
      }
      if (fault === 'zombie_before') {
        // The call leaves the process only when it wakes.
        world.stop(process);
      }
      if (fault === 'fail_before') {
        answerAfter(draw.int(1, USUAL_MS_MAX), unreachable);
        return;
      }
      if (fault === 'late_effect') {
        // The connection broke, but the server goes on with the statement.
        answerAfter(draw.int(1, USUAL_MS_MAX), unreachable);
        world.after(draw.int(10, LATE_MS_MAX), () => {
          if (!world.databaseIsAway) world.observe(effect);
        });
        return;
      }
      const travelMs = draw.int(0, 1) + (fault === 'delay' ? draw.int(50, DELAY_MS_MAX) : 0);
      process.after(0, () => {
        world.after(travelMs, () => {
          if (world.databaseIsAway) {
            answerAfter(draw.int(1, USUAL_MS_MAX), unreachable);
            return;
          }
          const { result, error, changed } = world.observe(effect);
          const backMs = draw.int(1, USUAL_MS_MAX);
          const matters = changed || (Array.isArray(result) && result.length > 0);
          const after = faults.afterStore(method, matters);
          if (after !== undefined && (after !== 'duplicate' || REPEATABLE.has(method))) {
            world.fault(`store ${after}`, name);
          }
          if (after === 'duplicate' && REPEATABLE.has(method)) {
            world.after(draw.int(0, 300), () => {
              if (!world.databaseIsAway) world.observe(effect);
            });
          }
          if (after === 'crash_after') {
            world.crash(process);
            return;
          }
          if (after === 'zombie_after') world.stop(process);
          answerAfter(backMs, () => {
            if (after === 'answer_lost') unreachable();
            else if (error !== undefined) reject(error);
            // Present whenever there is no error.
            else resolve(result as T);
          });
        });
      });
    });
}
