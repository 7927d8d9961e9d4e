import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catchAll, namesOfMissed, table } from './plant.ts';
import { PLANTED_BUGS } from './planted-bugs.ts';
import { privateBuild, PROJECT_ROOT } from './private-build.ts';

/** A bug that needs more worlds than this to show itself is not caught. */
const SEEDS_MAX = 500;
const MINUTES_10_MS = 600_000;

let build = '';

beforeAll(() => {
  // Its own build, so that a stale dist can neither hide a bug nor miss a place to plant one.
  build = privateBuild('sim/main.ts', 'sim/seed-thread.ts');
}, MINUTES_10_MS);

afterAll(() => rmSync(build, { recursive: true, force: true }));

test(
  `each planted bug breaks the invariant that is named for it within ${SEEDS_MAX} seeds`,
  async () => {
    const catches = await catchAll(PLANTED_BUGS, {
      build: join(build, 'out'),
      nodeModules: join(PROJECT_ROOT, 'node_modules'),
      main: 'sim/main.js',
      args: ['--json', '--world', 'filings', '--threads', '1'],
      seedsMax: SEEDS_MAX,
    });
    process.stdout.write(table(catches));
    expect(catches.length).toBeGreaterThanOrEqual(14);
    expect(namesOfMissed(catches)).toEqual([]);
  },
  MINUTES_10_MS,
);
