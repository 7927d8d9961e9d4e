import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dropRoles } from '../../src/postgres/roles.ts';
import { Session } from '../../src/postgres/session.ts';
import { type FreshDatabase, freshDatabase } from '../../test/fixtures/database.ts';
import { type Catch, catchBug } from '../plant.ts';
import { privateBuild, PROJECT_ROOT } from '../private-build.ts';
import { GRANTS_BUGS } from './planted-bugs.ts';

/** A bug that needs more worlds than this to show itself is not caught. */
const SEEDS_MAX = 40;
/** Bugs looked for at the same time, one process each. */
const AT_ONCE = 2;
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
    const waiting = [...GRANTS_BUGS];
    const catches: Catch[] = [];
    const hunt = {
      build: join(build, 'out'),
      nodeModules: join(PROJECT_ROOT, 'node_modules'),
      beside: [join(PROJECT_ROOT, 'law'), join(PROJECT_ROOT, 'sql')],
      main: { file: 'sim/grants/main.js', args: ['--seeds', String(SEEDS_MAX)] },
      environment: {
        FILEWRIGHT_SIM_DATABASE: JSON.stringify({
          target: database.target,
          schema: database.schema,
        }),
      },
    };
    const lane = async (): Promise<void> => {
      for (let bug = waiting.shift(); bug !== undefined; bug = waiting.shift()) {
        catches.push(await catchBug(bug, hunt));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    process.stdout.write(
      `${catches.map(({ bug, seeds, fired }) => `${bug.name.padEnd(70)} ${bug.invariant.padEnd(22)} ${seeds ?? `missed: ${fired.join(', ')}`}`).join('\n')}\n`,
    );
    expect(catches.length).toBeGreaterThanOrEqual(8);
    const missed = catches.filter(({ seeds }) => seeds === undefined).map(({ bug }) => bug.name);
    expect(missed).toEqual([]);
  },
  MINUTES_5_MS,
);
