/** Makes a copy of a build with one planted bug and runs the simulation there until its invariant fires. */
import { execFile } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { PlantedBug } from './planted-bugs.ts';

export interface Catch {
  readonly bug: PlantedBug;
  /** The seed that showed it; undefined when the named invariant never fired. */
  readonly seed: number | undefined;
  /** Every invariant that was broken on the way. */
  readonly fired: readonly string[];
  readonly elapsedMs: number;
}

/** What is run with the bug in it. */
export interface Hunt {
  readonly build: string;
  readonly nodeModules: string;
  /** The simulation below the build; it must print a report with `--from`, `--seeds` and `--until`. */
  readonly main: string;
  /** A bug that needs more worlds than this to show itself is not caught. */
  readonly seedsMax: number;
  readonly args?: readonly string[];
  /** Folders of the package that the code reads at run time. */
  readonly beside?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Bugs looked for at the same time, one process each. */
const AT_ONCE = 2;

/** In the order in which they are given. */
export async function catchAll(
  bugs: readonly PlantedBug[],
  where: Hunt,
): Promise<readonly Catch[]> {
  const waiting = [...bugs];
  const catches: Catch[] = [];
  const lane = async (): Promise<void> => {
    for (let bug = waiting.shift(); bug !== undefined; bug = waiting.shift()) {
      catches.push(await catchBug(bug, where));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return catches.sort((a, b) => bugs.indexOf(a.bug) - bugs.indexOf(b.bug));
}

/** One line for each bug: what noticed it, and where. */
export function table(catches: readonly Catch[]): string {
  const rows = catches.map(({ bug, seed, fired, elapsedMs }) =>
    [
      bug.name.padEnd(70),
      bug.invariant.padEnd(24),
      String(seed ?? 'missed').padStart(6),
      `${(elapsedMs / 1000).toFixed(1)} s`.padStart(8),
      ...(bug.seed === undefined || bug.seed === seed ? [] : [`no longer in ${bug.seed}`]),
      ...(seed === undefined ? [`but ${fired.join(', ') || 'nothing'} fired`] : []),
    ].join(' '),
  );
  const head = `${'planted bug'.padEnd(70)} ${'invariant'.padEnd(24)} ${'seed'.padStart(6)} ${'time'.padStart(8)}`;
  return [head, ...rows, ''].join('\n');
}

export function namesOfMissed(catches: readonly Catch[]): readonly string[] {
  return catches.filter(({ seed }) => seed === undefined).map(({ bug }) => bug.name);
}

async function catchBug(bug: PlantedBug, where: Hunt): Promise<Catch> {
  const directory = mkdtempSync(join(tmpdir(), 'filewright-planted-'));
  const startedMs = performance.now();
  try {
    linkAll(where.build, directory);
    for (const path of [where.nodeModules, ...(where.beside ?? [])]) {
      symlinkSync(path, join(directory, basename(path)));
    }
    writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
    plant(bug, directory);
    const report = await hunt(directory, bug, where);
    return {
      bug,
      seed: report.hit,
      fired: Object.keys(report.violations),
      elapsedMs: performance.now() - startedMs,
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** First where it was last seen, which is one world instead of hundreds; then in all of them, in their order. */
async function hunt(directory: string, bug: PlantedBug, where: Hunt): Promise<Report> {
  const { seed, invariant } = bug;
  if (seed !== undefined && seed <= where.seedsMax) {
    const report = await runUntil(directory, { invariant, from: seed, seeds: 1 }, where);
    if (report.hit !== undefined) return report;
  }
  return runUntil(directory, { invariant, from: 1, seeds: where.seedsMax }, where);
}

/** Links instead of copies: there are hundreds of files and only one differs. */
function linkAll(from: string, to: string): void {
  for (const item of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, item.name), join(to, item.name)];
    if (item.isDirectory()) {
      mkdirSync(target);
      linkAll(source, target);
    } else if (item.name.endsWith('.js')) {
      linkSync(source, target);
    }
  }
}

function plant({ file, find, replace, name }: PlantedBug, directory: string): void {
  const path = join(directory, file);
  const text = readFileSync(path, 'utf8');
  // The link goes first: writing through it would plant the bug in the build itself.
  rmSync(path);
  const places = text.split(find).length - 1;
  if (places !== 1) {
    throw new Error(`"${name}": expected its text once in ${file}, found it ${places} times.`);
  }
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
}

interface Report {
  readonly hit?: number;
  readonly violations: Readonly<Record<string, unknown>>;
}

interface Worlds {
  readonly invariant: string;
  readonly from: number;
  readonly seeds: number;
}

function runUntil(directory: string, worlds: Worlds, where: Hunt): Promise<Report> {
  const { invariant, from, seeds } = worlds;
  const range = ['--from', String(from), '--seeds', String(seeds), '--until', invariant];
  const argv = [join(directory, where.main), ...(where.args ?? []), ...range];
  const options = {
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, ...where.environment },
  };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, argv, options, (error, stdout, stderr) => {
      // Exit code 1 is what we hope for; anything without a report is a failure of the harness.
      if (stdout === '') reject(error ?? new Error(stderr));
      // The report is made by summary.ts, a few lines away, or by a main.ts in the same words.
      else resolve(JSON.parse(stdout) as Report);
    });
  });
}
