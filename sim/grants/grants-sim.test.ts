import { afterAll, beforeAll, expect, test } from 'vitest';
import { dropRoles } from '../../src/postgres/roles.ts';
import { Session } from '../../src/postgres/session.ts';
import { type FreshDatabase, freshDatabase } from '../../test/fixtures/database.ts';
import { bookOfSeed } from './book-of-seed.ts';
import { CRASH_POINTS } from './dying-session.ts';
import { runGrantsSeed } from './run-seed.ts';

/** Each is another quarter of another office; more with FILEWRIGHT_SIM_GRANTS_SEEDS. */
const SEEDS = Number(process.env['FILEWRIGHT_SIM_GRANTS_SEEDS'] ?? 30);
const MINUTES_5_MS = 300_000;

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(async () => {
  const session = new Session({ target: database.target, schema: database.schema, name: 'drop' });
  await dropRoles(session);
  await session.close();
  await database.close();
});

test(
  `no promise of the grants pipeline is broken in the worlds of ${SEEDS} seeds`,
  async () => {
    const counts: Record<string, number> = {};
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const result = await runGrantsSeed(seed, database);
      expect({ seed, violations: result.violations }).toEqual({ seed, violations: [] });
      for (const [name, count] of Object.entries(result.counts))
        counts[name] = (counts[name] ?? 0) + count;
    }
    process.stdout.write(`${JSON.stringify(counts)}\n`);
    // Worlds in which nothing goes wrong prove nothing: every kind of command died at every kind of moment.
    const commands = [
      'ingest',
      'feed',
      'reconcile',
      'settle',
      'close',
      'hand off',
      'fetch',
      'verify',
      'retry',
    ];
    for (const command of commands) {
      for (const point of CRASH_POINTS) {
        expect(counts[`${command}: ${point}`] ?? 0, `${command}: ${point}`).toBeGreaterThan(0);
      }
    }
    for (const name of ['paid_short', 'paid_twice', 'corrected', 'contradicted', 'crossing']) {
      expect(counts[name] ?? 0, name).toBeGreaterThan(0);
    }
  },
  MINUTES_5_MS,
);

test(
  'a seed gives the same course twice',
  async () => {
    const once = await runGrantsSeed(3, database, { tenant: 'once' });
    const again = await runGrantsSeed(3, database, { tenant: 'again' });
    expect(again.traceHash).toBe(once.traceHash);
    expect(bookOfSeed(3)).toEqual(bookOfSeed(3));
    expect(bookOfSeed(4)).not.toEqual(bookOfSeed(3));
  },
  MINUTES_5_MS,
);
