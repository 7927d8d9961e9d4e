/** The line between one process and the database: delays, cuts before and after the effect, processes that stop or die on it. */
import type { SimProcess } from '../../world/sim-process.ts';
import type { Line } from '../memory/connection.ts';
import type { Backend } from '../memory/database.ts';
import { PgError } from '../memory/pg-error.ts';
import type { RouterWorld } from './world.ts';

const DELAY_MS_MAX = 2_500;
/** Most statements are looks that find nothing; a commit of something written is where it hurts. */
const RATE = { other: 0.0012, commit: 0.03 } as const;

/** The host of the people around the routers. */
export const OFFICE = 'office';

type Fault = 'cut' | 'delay' | 'kill' | 'freeze';

export function lineOf(world: RouterWorld, process: SimProcess): Line {
  const { faults } = world;
  let backend: Backend | undefined;
  const answer = (act: () => void): void => {
    world.after(faults.int(0, 2), () => process.deliver(act));
  };
  const cutOff = (): Error => new PgError('ECONNRESET', 'Connection terminated unexpectedly');
  const faultAt = (where: string, statement: string): Fault | undefined => {
    const isCommit = statement === 'commit' && (backend?.hasWritten ?? false);
    const rate =
      where === 'after' && statement === 'commit'
        ? RATE.commit / 4
        : isCommit
          ? RATE.commit
          : RATE.other;
    if (!world.hits(rate)) return undefined;
    // Of the office nobody takes the place.
    const isOffice = process.host === OFFICE;
    const fault = faults.weighted({
      cut: 4,
      delay: 4,
      kill: isOffice ? 0 : 1.5,
      freeze: isOffice ? 0 : 2,
    });
    world.fault(
      `${fault} ${where} ${statement === 'commit' ? 'commit' : 'a statement'}`,
      `${process.name} ${statement}`,
    );
    return fault;
  };
  const travel = (ms: number, act: () => void): void => {
    if (process.isFrozen) process.after(0, () => world.after(ms, act));
    else world.after(ms, act);
  };
  return {
    open: (served, failed) => {
      travel(faults.int(1, 5), () => {
        if (world.isDatabaseAway) {
          answer(() => failed(new PgError('ECONNREFUSED', 'connect ECONNREFUSED')));
          return;
        }
        const opened = world.database.connect(process.name);
        backend = opened;
        const known = world.backends.get(process) ?? new Set();
        world.backends.set(process, known.add(opened));
        answer(() => served(opened));
      });
    },
    there: (statement, serve, failed) => {
      if (process.isDead) return;
      const fault = faultAt('before', statement);
      if (fault === 'kill') {
        world.control?.crash(process);
        return;
      }
      if (fault === 'freeze') world.control?.freeze(process);
      const delayMs = fault === 'delay' ? faults.int(50, DELAY_MS_MAX) : 0;
      const own = backend;
      travel(faults.int(0, 1) + delayMs, () => {
        if (fault === 'cut') own?.cut();
        if (own === undefined || own.isClosed || world.isDatabaseAway) {
          answer(() => failed(cutOff()));
          return;
        }
        serve();
      });
    },
    back: (statement, take, failed) => {
      if (process.isDead) return;
      const fault = faultAt('after', statement);
      if (fault === 'kill') {
        world.control?.crash(process);
        return;
      }
      if (fault === 'freeze') world.control?.freeze(process);
      if (fault === 'cut') {
        backend?.cut();
        answer(() => failed(cutOff()));
        return;
      }
      const delayMs = fault === 'delay' ? faults.int(50, DELAY_MS_MAX) : 0;
      if (delayMs > 0) world.after(delayMs, () => process.deliver(take));
      else answer(take);
    },
  };
}

/** The server starts anew: nothing that was open is there afterward. */
export function crashServer(world: RouterWorld): void {
  for (const backends of world.backends.values()) {
    for (const backend of backends) backend.crash();
  }
  world.backends.clear();
}
