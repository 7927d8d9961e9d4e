import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catchAll, namesOfMissed, table } from '../../plant.ts';
import { privateBuild, PROJECT_ROOT } from '../../private-build.ts';
import { ROUTER_BUGS } from './planted-bugs.ts';

/** A bug that needs more worlds than this to show itself is not caught. */
const SEEDS_MAX = 400;
const MINUTES_10_MS = 600_000;

let build = '';

beforeAll(() => {
  // Its own build, so that a stale dist can neither hide a bug nor miss a place to plant one.
  build = privateBuild('sim/main.ts', 'sim/seed-thread.ts');
}, MINUTES_10_MS);

afterAll(() => rmSync(build, { recursive: true, force: true }));

test.each(Object.keys(ROUTER_BUGS))(
  `each bug planted in %s breaks the invariant that is named for it within ${SEEDS_MAX} seeds`,
  async (part) => {
    const catches = await catchAll(ROUTER_BUGS[part] ?? [], {
      build: join(build, 'out'),
      nodeModules: join(PROJECT_ROOT, 'node_modules'),
      beside: [join(PROJECT_ROOT, 'law')],
      main: 'sim/main.js',
      args: ['--json', '--world', 'routers', '--threads', '1'],
      seedsMax: SEEDS_MAX,
    });
    process.stdout.write(table(catches));
    expect(namesOfMissed(catches)).toEqual([]);
  },
  MINUTES_10_MS,
);
