/** Runs the world of one seed to its end and holds it against the invariants. */
import type { Evidence, Violation } from './evidence.ts';
import { checkAll } from './invariants/index.ts';
import { Crew } from './world/crew.ts';
import { Draw } from './world/draw.ts';
import { Person } from './world/person.ts';
import { Weather } from './world/weather.ts';
import { World } from './world/world.ts';

export interface SeedResult {
  readonly seed: number;
  readonly traceHash: string;
  readonly violations: readonly Violation[];
  readonly faults: Readonly<Record<string, number>>;
  readonly faultCount: number;
  /** Filings by end state. */
  readonly ends: Readonly<Record<string, number>>;
  readonly virtualMs: number;
  readonly events: number;
  readonly lines: readonly string[] | undefined;
}

/** How often the run looks whether it is over. */
const LOOK_MS = 500;
/** After the last filing's last safe moment a person must have it; this long after that, something hangs. */
const GRACE_MS = 90_000;

export async function runSeed(
  seed: number,
  options: { readonly readable?: boolean } = {},
): Promise<SeedResult> {
  const world = new World(seed, options.readable ?? false);
  const crew = new Crew(world);
  const weather = new Weather(world, crew);
  const onRejection = (error: unknown): void => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    world.crashes.push(`unhandled: ${text}`);
  };
  process.on('unhandledRejection', onRejection);
  try {
    await play(world, crew, weather);
  } finally {
    process.off('unhandledRejection', onRejection);
  }
  countPortalFaults(world);
  const violations = checkAll(gather(world, crew, weather));
  const ends: Record<string, number> = {};
  for (const { status } of world.database.filings()) ends[status] = (ends[status] ?? 0) + 1;
  return {
    seed,
    traceHash: world.trace.digest(),
    violations,
    faults: Object.fromEntries(world.counts.byKind),
    faultCount: world.counts.total,
    ends,
    virtualMs: world.now - world.startMs,
    events: world.time.events,
    lines: world.trace.lines,
  };
}

async function play(world: World, crew: Crew, weather: Weather): Promise<void> {
  const healAt = world.startMs + new Draw(world.seed, 'healing').int(10_000, 45_000);
  crew.begin();
  weather.begin(healAt - world.startMs);
  new Person(world, world.seed).begin();
  const lastSafe = Math.max(...world.filings.map((filing) => filing.lastSafe));
  const endAt = Math.max(healAt, lastSafe) + GRACE_MS;
  while (world.now < endAt && !isOver(world)) {
    if (!world.isHealed && world.now >= healAt) heal(world, crew, weather);
    await world.time.run({ untilMs: world.now + LOOK_MS });
  }
  if (!world.isHealed) heal(world, crew, weather);
  crew.finish();
}

/** The faults stop, so that what is still open must now come to its end. */
function heal(world: World, crew: Crew, weather: Weather): void {
  world.note('healing');
  world.isHealed = true;
  world.healedAt = world.now;
  world.faults.heal();
  weather.clear();
  crew.heal();
}

function isOver(world: World): boolean {
  const isEnd = new Set(['accepted', 'rejected', 'fallout']);
  return (
    world.database.filings().every((row) => isEnd.has(row.status)) &&
    world.database.waiting() === 0 &&
    world.flights.every(
      (flight) => flight.arrivedAt === undefined || flight.finishedAt !== undefined,
    )
  );
}

function countPortalFaults(world: World): void {
  for (const model of world.models.values()) {
    for (const [kind, count] of Object.entries(model.truth.faults)) {
      world.counts.add(`answer ${kind}`, count);
    }
  }
}

function gather(world: World, crew: Crew, weather: Weather): Evidence {
  const { database } = world;
  return {
    startMs: world.startMs,
    endMs: world.now,
    healedAt: world.healedAt,
    leaseMs: world.leaseMs,
    profiles: world.profiles,
    filings: world.filings,
    flights: world.flights,
    acceptances: [...world.models].flatMap(([lane, model]) =>
      [...model.truth.accepted()].map(({ key, receipt, sha256, at }) => ({
        lane,
        key,
        receipt,
        sha256,
        at,
      })),
    ),
    filingVersions: world.filingVersions,
    laneVersions: world.laneVersions,
    rows: database.filings(),
    attempts: database.attempts(),
    outcomes: database.outcomes(),
    exceptions: database.exceptions(),
    outbox: database.outbox(),
    workers: database.workers(),
    workerVersions: world.workerVersions,
    ledger: {
      origin: database.origin(),
      entries: database.entries(),
      waiting: database.waiting(),
      rootHex: undefined,
    },
    sealed: (ct) => {
      const { blob, entry, key } = database.sealed(ct);
      return { blob, entry, keyId: key.id, wrapped: key.wrapped };
    },
    tenantKey: world.tenantKey,
    outages: weather.outages,
    idleSpans: crew.idleSpans,
    crashes: world.crashes,
  };
}
