/** Runs the routers of one seed to the end of their world and holds it against the invariants. */
import { RouterCrew } from './crew.ts';
import { violationsOf } from './invariants/index.ts';
import type { SeedResult } from '../../run-seed.ts';
import { Office } from './office.ts';
import { Targets } from './targets.ts';
import { RouterWeather } from './weather.ts';
import { RouterWorld } from './world.ts';

export interface RouterResult extends SeedResult {
  /** How often what a simulation of routing is for has happened. */
  readonly counts: Readonly<Record<string, number>>;
}

const LOOK_MS = 1_000;
/** When nothing is open any more, what is late has this long to be told. */
const REST_MS = 40_000;
/** After the faults everything comes to its end in this time, or something hangs. */
const GRACE_MS = 15 * 60_000;

export async function runRouterSeed(
  seed: number,
  options: { readonly readable?: boolean } = {},
): Promise<RouterResult> {
  const world = new RouterWorld(seed, options.readable ?? false);
  const targets = new Targets(world);
  const crew = new RouterCrew(world, targets);
  const office = new Office(world, targets);
  const weather = new RouterWeather(world, crew);
  const onRejection = (error: unknown): void => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    world.book.errors.push(`unhandled: ${text}`);
  };
  process.on('unhandledRejection', onRejection);
  try {
    crew.begin();
    office.begin();
    weather.begin();
    await play(world, crew, weather, office.count);
  } finally {
    process.off('unhandledRejection', onRejection);
  }
  const { docket } = world.database.tables;
  const ends: Record<string, number> = {};
  for (const { phase, closed_at } of docket.rows.values()) {
    const end = closed_at === null ? phase : 'closed';
    ends[end] = (ends[end] ?? 0) + 1;
  }
  return {
    seed,
    traceHash: world.trace.digest(),
    violations: violationsOf(world, targets).map(({ invariant, text }) => ({
      invariant,
      detail: text,
    })),
    faults: Object.fromEntries(world.counts.byKind),
    faultCount: world.counts.total,
    ends,
    counts: countsOf(world),
    virtualMs: world.now - world.startMs,
    events: world.time.events,
    lines: world.trace.lines,
  };
}

async function play(
  world: RouterWorld,
  crew: RouterCrew,
  weather: RouterWeather,
  dockets: number,
): Promise<void> {
  const endAt = Math.max(world.healAt, world.midnightMs) + GRACE_MS;
  let calmSince: number | undefined;
  while (world.now < endAt) {
    if (!world.isHealed && world.now >= world.healAt) {
      world.note('healing');
      world.isHealed = true;
      weather.heal();
      crew.heal();
    }
    await world.time.run({ untilMs: world.now + LOOK_MS });
    calmSince = isOver(world, dockets) ? (calmSince ?? world.now) : undefined;
    if (calmSince !== undefined && world.now - calmSince >= REST_MS) break;
  }
  crew.finish();
}

function isOver(world: RouterWorld, dockets: number): boolean {
  const { docket, run } = world.database.tables;
  return (
    world.isHealed &&
    world.now > world.midnightMs &&
    docket.rows.size >= dockets &&
    [...docket.rows.values()].every(
      ({ phase, closed_at }) => phase === 'confirmed' || closed_at !== null,
    ) &&
    [...run.rows.values()].every(({ phase }) => phase === 'closed' || phase === 'abandoned')
  );
}

function countsOf({ book, database }: RouterWorld): Record<string, number> {
  const { alert, difference, docket, evidence, handoff, run } = database.tables;
  const counts: Record<string, number> = {
    commits: book.commits.length,
    departures: book.departures.length,
    arrivals: book.arrivals.length,
    handoffs: handoff.rows.size,
    recoveries: run.rows.size,
    evidence: evidence.rows.size,
    differences: difference.rows.size,
    dockets: docket.rows.size,
  };
  for (const { kind } of alert.rows.values()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
