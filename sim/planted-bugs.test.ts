import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Catch, catchBug, SEEDS_MAX } from './plant.ts';
import { PLANTED_BUGS } from './planted-bugs.ts';
import { privateBuild, PROJECT_ROOT } from './private-build.ts';

const nodeModules = join(PROJECT_ROOT, 'node_modules');
/** Bugs looked for at the same time, one process each. */
const AT_ONCE = 2;
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
    const catches = await catchAll();
    process.stdout.write(`${table(catches)}\n`);
    expect(catches.length).toBeGreaterThanOrEqual(14);
    const missed = catches.filter(({ seeds }) => seeds === undefined).map(({ bug }) => bug.name);
    expect(missed).toEqual([]);
  },
  MINUTES_10_MS,
);

async function catchAll(): Promise<readonly Catch[]> {
  const waiting = [...PLANTED_BUGS];
  const catches: Catch[] = [];
  const lane = async (): Promise<void> => {
    for (let bug = waiting.shift(); bug !== undefined; bug = waiting.shift()) {
      catches.push(await catchBug(bug, { build: join(build, 'out'), nodeModules }));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return catches.sort((a, b) => PLANTED_BUGS.indexOf(a.bug) - PLANTED_BUGS.indexOf(b.bug));
}

function table(catches: readonly Catch[]): string {
  const rows = catches.map(({ bug, seeds, elapsedMs }) =>
    [
      bug.name.padEnd(60),
      bug.invariant.padEnd(24),
      String(seeds ?? 'missed').padStart(6),
      `${(elapsedMs / 1000).toFixed(1)} s`.padStart(8),
    ].join(' '),
  );
  const head = `${'planted bug'.padEnd(60)} ${'invariant'.padEnd(24)} ${'seeds'.padStart(6)} ${'time'.padStart(8)}`;
  return [head, ...rows].join('\n');
}
