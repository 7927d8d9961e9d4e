import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catchAll, namesOfMissed, table } from '../plant.ts';
import { privateBuild, PROJECT_ROOT } from '../private-build.ts';
import { ROUTING_BUGS } from './planted-bugs.ts';

/** A bug that needs more worlds than this to show itself is not caught. */
const SEEDS_MAX = 300;
const MINUTES_10_MS = 600_000;

let build = '';

beforeAll(() => {
  build = privateBuild('sim/routing/main.ts');
}, MINUTES_10_MS);

afterAll(() => rmSync(build, { recursive: true, force: true }));

test(
  `each planted bug breaks the invariant that is named for it within ${SEEDS_MAX} seeds`,
  async () => {
    const catches = await catchAll(ROUTING_BUGS, {
      build: join(build, 'out'),
      nodeModules: join(PROJECT_ROOT, 'node_modules'),
      beside: [join(PROJECT_ROOT, 'law')],
      main: 'sim/routing/main.js',
      seedsMax: SEEDS_MAX,
    });
    process.stdout.write(table(catches));
    expect(namesOfMissed(catches)).toEqual([]);
  },
  MINUTES_10_MS,
);
