/** `npm run sim`: many worlds, or one told in full. Exits 1 when a promise was broken. */
import { setMaxListeners } from 'node:events';
import { type Options, readOptions, USAGE } from './options.ts';
import type { SeedResult } from './run-seed.ts';
import { runSeeds } from './seed-pool.ts';
import { Summary } from './summary.ts';
import { orUsage } from './usage.ts';
import { playSeed, type WorldName } from './worlds.ts';

const PROGRESS_EVERY_MS = 2_000;

const options = orUsage(USAGE, readOptions);
process.exitCode = options.single ? await tellOne(options) : await runAll(options);

async function tellOne({ worlds, from, trace, json }: Options): Promise<number> {
  setMaxListeners(0);
  const [world = 'filings'] = worlds;
  const result = await playSeed(world, from, { readable: trace });
  for (const line of result.lines ?? []) process.stdout.write(`${line}\n`);
  const { lines: _, ...rest } = result;
  process.stdout.write(json ? `${JSON.stringify(rest)}\n` : describe(result));
  return result.violations.length > 0 ? 1 : 0;
}

/** One report for each world. */
async function runAll(all: Options): Promise<number> {
  let code = 0;
  for (const world of all.worlds) code = Math.max(code, await runMany(world, all));
  return code;
}

async function runMany(world: WorldName, all: Options): Promise<number> {
  const { from, count, threads, until, json } = all;
  const summary = new Summary(world);
  const startedMs = performance.now();
  let toldMs = startedMs;
  let hit: SeedResult | undefined;
  await runSeeds({
    world,
    from,
    count,
    threads,
    onResult: (result) => {
      summary.add(result);
      if (performance.now() - toldMs > PROGRESS_EVERY_MS) {
        toldMs = performance.now();
        process.stderr.write(`${summary.seeds} of ${count} seeds, ${summary.broken.size} broken\n`);
      }
      const isHit = result.violations.some(({ invariant }) => invariant === until);
      if (isHit) hit = result;
      return isHit;
    },
  });
  const elapsedMs = performance.now() - startedMs;
  const report = { ...summary.json(elapsedMs), ...(hit === undefined ? {} : { hit: hit.seed }) };
  process.stdout.write(json ? `${JSON.stringify(report)}\n` : summary.text(elapsedMs));
  return summary.broken.size > 0 ? 1 : 0;
}

function describe(result: SeedResult): string {
  const broken = result.violations.map(
    ({ invariant, detail }) => `VIOLATED ${invariant}: ${detail}`,
  );
  const ends = Object.entries(result.ends).map(([status, count]) => `${count} ${status}`);
  return [
    `seed ${result.seed}: ${ends.join(', ')}; ${result.faultCount} faults, ${result.virtualMs / 1000} s`,
    `trace ${result.traceHash}`,
    ...broken,
    '',
  ].join('\n');
}
