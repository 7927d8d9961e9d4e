import { Pool, type PoolConfig, type QueryResult } from 'pg';

/**
 * The runner's connections. Its timetable asks the pool itself and nothing else does; where that fails, the runner drops
 * a rejection that nobody can catch, and a database that is away at a full minute would end the process, filings and
 * all. So such a question waits, and what was due is done when the database is back.
 */
export function patientPool(
  config: PoolConfig,
  /** Resolves when it is time to ask again; false when nobody wants to know any more. */
  wait: (error: unknown) => Promise<boolean>,
): Pool {
  const pool = new Pool(config);
  // A cut idle connection is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined);
  // The one form of it that the timetable uses.
  type Ask = (text: string, values?: unknown[]) => Promise<Pick<QueryResult, 'rows'>>;
  const ask: Ask = pool.query.bind(pool);
  const askUntilAnswered: Ask = async (text, values) => {
    for (;;) {
      try {
        return await ask(text, values);
      } catch (error) {
        if (!(await wait(error))) return { rows: [] };
      }
    }
  };
  pool.query = askUntilAnswered as typeof pool.query;
  return pool;
}
