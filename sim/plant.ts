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
  /** How many seeds it took; undefined when the named invariant never fired. */
  readonly seeds: number | undefined;
  /** Every invariant that was broken on the way. */
  readonly fired: readonly string[];
  readonly elapsedMs: number;
}

/** A bug that needs more worlds than this to show itself is not caught. */
export const SEEDS_MAX = 500;

/** What is run with the bug in it. */
export interface Hunt {
  readonly build: string;
  readonly nodeModules: string;
  /** The simulation below the build, with its own arguments; it must print a report with `--until`. */
  readonly main?: { readonly file: string; readonly args: readonly string[] };
  /** Folders of the package that the code reads at run time. */
  readonly beside?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const MAIN = {
  file: 'sim/main.js',
  args: ['--json', '--threads', '1', '--seeds', String(SEEDS_MAX)],
} as const;

export async function catchBug(bug: PlantedBug, where: Hunt): Promise<Catch> {
  const directory = mkdtempSync(join(tmpdir(), 'filewright-planted-'));
  const startedMs = performance.now();
  try {
    linkAll(where.build, directory);
    for (const path of [where.nodeModules, ...(where.beside ?? [])]) {
      symlinkSync(path, join(directory, basename(path)));
    }
    writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
    plant(bug, directory);
    const report = await runUntil(directory, bug.invariant, where);
    return {
      bug,
      seeds: report.hit === undefined ? undefined : report.seeds,
      fired: Object.keys(report.violations),
      elapsedMs: performance.now() - startedMs,
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
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
  readonly seeds: number;
  readonly violations: Readonly<Record<string, unknown>>;
}

function runUntil(directory: string, invariant: string, hunt: Hunt): Promise<Report> {
  const { file, args } = hunt.main ?? MAIN;
  const argv = [join(directory, file), ...args, '--until', invariant];
  const options = {
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, ...hunt.environment },
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
