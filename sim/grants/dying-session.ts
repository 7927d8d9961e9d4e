/** A process that dies: before a statement, at the end of a transaction that is not committed yet, or right after the commit. */
import type { Session } from '../../src/postgres/session.ts';
import type { Draw } from '../world/draw.ts';

/** Thrown where the process would be gone. */
export class Crash extends Error {}

export const CRASH_POINTS = ['statement', 'before commit', 'after commit'] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

export interface Doom {
  readonly point: CrashPoint;
  /** How often the point is passed alive. */
  readonly after: number;
}

/** Most commands are one or two transactions of some ten statements; a doom beyond the end is a command that lives. */
export function drawDoom(draw: Draw): Doom {
  const point = draw.pick(CRASH_POINTS);
  return { point, after: point === 'statement' ? draw.int(0, 25) : draw.int(0, 3) };
}

export function dyingSession(session: Session, doom: Doom | undefined): Session {
  let left = doom?.after ?? 0;
  let isDead = false;
  const pass = (point: CrashPoint): void => {
    if (isDead) throw new Crash();
    if (doom?.point !== point) return;
    if (left === 0) {
      isDead = true;
      throw new Crash(point);
    }
    left -= 1;
  };
  const mortal = {
    run: (...args: Parameters<Session['run']>) => {
      pass('statement');
      return session.run(...args);
    },
    transaction: async <T>(work: (run: Session['run']) => Promise<T>): Promise<T> => {
      const result = await session.transaction(async (run) => {
        const done = await work((...args) => {
          pass('statement');
          return run(...args);
        });
        pass('before commit');
        return done;
      });
      pass('after commit');
      return result;
    },
  };
  // The pipeline uses these two methods and nothing else of a session.
  return mortal as unknown as Session;
}
