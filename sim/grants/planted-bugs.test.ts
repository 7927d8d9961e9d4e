import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dropRoles } from '../../src/postgres/roles.ts';
import { Session } from '../../src/postgres/session.ts';
import { type FreshDatabase, freshDatabase } from '../../test/fixtures/database.ts';
import { catchAll, namesOfMissed, table } from '../plant.ts';
import { privateBuild, PROJECT_ROOT } from '../private-build.ts';
import { GRANTS_BUGS } from './planted-bugs.ts';

/** A bug that needs more worlds than this to show itself is not caught. */
const SEEDS_MAX = 40;
const MINUTES_5_MS = 300_000;

let build = '';
let database: FreshDatabase;

beforeAll(async () => {
  database = await freshDatabase();
  build = privateBuild('sim/grants/main.ts');
}, MINUTES_5_MS);

afterAll(async () => {
  rmSync(build, { recursive: true, force: true });
  const session = new Session({ target: database.target, schema: database.schema, name: 'drop' });
  await dropRoles(session);
  await session.close();
  await database.close();
});

test(
  `each planted bug breaks the invariant that is named for it within ${SEEDS_MAX} seeds`,
  async () => {
    const catches = await catchAll(GRANTS_BUGS, {
      build: join(build, 'out'),
      nodeModules: join(PROJECT_ROOT, 'node_modules'),
      beside: [join(PROJECT_ROOT, 'law'), join(PROJECT_ROOT, 'sql')],
      main: 'sim/grants/main.js',
      seedsMax: SEEDS_MAX,
      environment: {
        FILEWRIGHT_SIM_DATABASE: JSON.stringify({
          target: database.target,
          schema: database.schema,
        }),
      },
    });
    process.stdout.write(table(catches));
    expect(catches.length).toBeGreaterThanOrEqual(8);
    expect(namesOfMissed(catches)).toEqual([]);
  },
  MINUTES_5_MS,
);
