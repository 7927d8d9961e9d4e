import type { Session } from '../../src/postgres/session.ts';

/** The process dies here: before a statement, after one, before a commit's answer arrives, or between two transactions. */
export class Cut extends Error {}

export interface Cutter {
  readonly session: Session;
  readonly moments: () => number;
}

/** A session that dies at the given moment and never answers again. */
export function cutAt(session: Session, moment: number): Cutter {
  let moments = 0;
  const pass = (): void => {
    moments += 1;
    if (moments >= moment) throw new Cut();
  };
  const cut = {
    run: (...args: Parameters<Session['run']>) => {
      pass();
      return session.run(...args);
    },
    transaction: async <T>(work: (run: Session['run']) => Promise<T>): Promise<T> => {
      pass();
      const result = await session.transaction((run) =>
        work(async (...args) => {
          pass();
          const rows = await run(...args);
          return rows;
        }),
      );
      // Committed, and the answer is lost.
      pass();
      return result;
    },
  };
  // The pipeline uses these two methods and nothing else of a session.
  return { session: cut as unknown as Session, moments: () => moments };
}
