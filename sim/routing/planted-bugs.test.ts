import { execFile } from 'node:child_process';
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PlantedBug } from '../planted-bugs.ts';
import { privateBuild, PROJECT_ROOT } from '../private-build.ts';
import { ROUTING_BUGS } from './planted-bugs.ts';

/** A bug that needs more worlds than this to show itself is not caught. */
const SEEDS_MAX = 300;
/** Bugs looked for at the same time, one process each. */
const AT_ONCE = 2;
const MINUTES_10_MS = 600_000;

let build = '';

beforeAll(() => {
  build = privateBuild('sim/routing/main.ts');
}, MINUTES_10_MS);

afterAll(() => rmSync(build, { recursive: true, force: true }));

interface Catch {
  readonly bug: PlantedBug;
  readonly seeds: number;
  readonly isCaught: boolean;
}

test(
  `each planted bug breaks the invariant that is named for it within ${SEEDS_MAX} seeds`,
  async () => {
    const waiting = [...ROUTING_BUGS];
    const catches: Catch[] = [];
    const lane = async (): Promise<void> => {
      for (let bug = waiting.shift(); bug !== undefined; bug = waiting.shift()) {
        catches.push(await catchBug(bug, ROUTING_BUGS.length - waiting.length));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    process.stdout.write(
      `${catches.map(({ bug, seeds }) => `${bug.name.padEnd(60)} ${bug.invariant.padEnd(18)} ${seeds}`).join('\n')}\n`,
    );
    expect(catches.filter(({ isCaught }) => !isCaught).map(({ bug }) => bug.name)).toEqual([]);
  },
  MINUTES_10_MS,
);

async function catchBug(bug: PlantedBug, number: number): Promise<Catch> {
  const folder = join(build, `bug-${number}`);
  cpSync(join(build, 'out'), folder, { recursive: true });
  for (const name of ['law', 'node_modules'])
    symlinkSync(join(PROJECT_ROOT, name), join(folder, name));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const path = join(folder, bug.file);
  const text = readFileSync(path, 'utf8');
  const places = text.split(bug.find).length - 1;
  if (places !== 1) throw new Error(`"${bug.name}": its text is ${places} times in ${bug.file}`);
  writeFileSync(
    path,
    text.replace(bug.find, () => bug.replace),
  );
  const main = join(folder, 'sim/routing/main.js');
  const args = [main, '--seeds', String(SEEDS_MAX), '--until', bug.invariant];
  const stdout = await new Promise<string>((resolve, reject) => {
    // Exit code 1 is what we hope for; anything without a report is a failure of the harness.
    execFile(process.execPath, args, (error, out, err) =>
      out === '' ? reject(error ?? new Error(err)) : resolve(out),
    );
  });
  // The report is made by main.ts, a few lines away.
  const report = JSON.parse(stdout) as { seeds: number; broken: Record<string, unknown> };
  return { bug, seeds: report.seeds, isCaught: report.broken[bug.invariant] !== undefined };
}
