/** One seed's world: its time, its database, its portals, and the book in which everything that happens is written. */
import { type Instant, instant } from '../../src/core/time.ts';
import { laneCode } from '../../src/core/ids.ts';
import type { Profile } from '../../src/core/profile.ts';
import { TenantKey } from '../../src/ledger/tenant-key.ts';
import { KeyVault } from '../../src/ledger/vault.ts';
import type { FilingRow, LaneRow, WorkerRow } from '../../src/testing/memory/rows.ts';
import { MemoryDatabase } from '../../src/testing/memory/database.ts';
import { PortalModel } from '../../src/testing/simulator/portal-model.ts';
import { SeededIds, SeededRandom, VirtualTime } from '../../src/testing/virtual-clock.ts';
import type { FilingVersion, Flight, LaneVersion, WorkerVersion } from '../evidence.ts';
import { Draw } from './draw.ts';
import { FaultCounts } from './fault-counts.ts';
import { FaultPlan } from './fault-plan.ts';
import { admitFilings, type SimFiling } from './filings-of-seed.ts';
import { drawLanes } from './lanes-of-seed.ts';
import type { SimProcess } from './sim-process.ts';
import { Trace } from './trace.ts';
import { refuseMisfits } from '../../src/core/facts/catalogue.ts';

// A fact in the wrong form is a failure of the seed that writes it.
refuseMisfits();

const START_MS = Date.UTC(2026, 2, 2, 9, 0, 0);

/** What a transaction came to, and whether it wrote a row that the evidence keeps. */
export interface Observed<T> {
  readonly result: T | undefined;
  readonly error: unknown;
  readonly changed: boolean;
}

/** Who ends, stops and starts processes; set once the crew exists. */
export interface ProcessControl {
  crash(process: SimProcess): void;
  stop(process: SimProcess): void;
}

export class World {
  readonly seed: number;
  readonly startMs = START_MS;
  readonly time: VirtualTime;
  readonly trace: Trace;
  readonly faults: FaultPlan;
  readonly counts = new FaultCounts();
  readonly database: MemoryDatabase;
  readonly vault: KeyVault;
  readonly tenantKey: Uint8Array;
  readonly ids: SeededIds;
  readonly leaseMs: number;
  readonly profiles: readonly Profile[];
  readonly models: ReadonlyMap<string, PortalModel>;
  readonly filings: readonly SimFiling[];
  readonly flights: Flight[] = [];
  readonly filingVersions: FilingVersion[] = [];
  readonly laneVersions: LaneVersion[] = [];
  readonly workerVersions: WorkerVersion[] = [];
  readonly crashes: string[] = [];
  databaseIsAway = false;
  isHealed = false;
  healedAt = Number.POSITIVE_INFINITY;
  control: ProcessControl | undefined;
  readonly #filingRows = new Map<string, FilingRow>();
  readonly #laneRows = new Map<string, LaneRow>();
  readonly #workerRows = new Map<string, WorkerRow>();

  constructor(seed: number, readable: boolean) {
    this.seed = seed;
    const draw = new Draw(seed, 'world');
    this.time = new VirtualTime({ startMs: START_MS, seed });
    this.trace = new Trace({ startMs: START_MS, readable });
    this.faults = new FaultPlan(seed);
    this.leaseMs = draw.pick([3_000, 4_500, 6_000]);
    this.database = new MemoryDatabase({ now: () => this.instant, leaseMs: this.leaseMs });
    const secrets = new SeededRandom(seed, 'secrets');
    this.tenantKey = secrets.bytes(32);
    this.vault = new KeyVault({
      origin: this.database.origin(),
      tenantKey: new TenantKey(this.tenantKey),
      random: secrets,
    });
    this.ids = new SeededIds({ now: () => this.instant }, new SeededRandom(seed, 'ids'));
    const lanes = drawLanes(draw, seed);
    this.profiles = lanes.map((lane) => lane.profile);
    this.models = new Map(lanes.map((lane) => [lane.profile.code, new PortalModel(lane)]));
    this.filings = this.#admit(draw);
    this.observe(() => undefined);
  }

  get now(): number {
    return this.time.now;
  }

  get instant(): Instant {
    return instant(this.time.now);
  }

  profile(code: string): Profile {
    const profile = this.profiles.find((other) => other.code === code);
    if (profile === undefined) throw new Error(`There is no lane ${code}`);
    return profile;
  }

  model(code: string): PortalModel {
    const model = this.models.get(code);
    if (model === undefined) throw new Error(`There is no portal ${code}`);
    return model;
  }

  after(ms: number, act: () => void): void {
    this.time.schedule(this.now + ms, act);
  }

  note(text: string): void {
    this.trace.add(this.now, text);
  }

  fault(kind: string, where: string): void {
    this.counts.add(kind);
    this.trace.add(this.now, `*** ${kind}: ${where}`);
  }

  crash(process: SimProcess): void {
    this.control?.crash(process);
  }

  stop(process: SimProcess): void {
    this.control?.stop(process);
  }

  openFlight(what: Pick<Flight, 'lane' | 'endpoint' | 'key' | 'bodySha256' | 'pid'>): Flight {
    const flight: Flight = {
      ...what,
      number: this.flights.length + 1,
      calledAt: this.now,
      skewMs: 0,
      skewForMs: 0,
      writtenAt: undefined,
      arrivedAt: undefined,
      finishedAt: undefined,
      status: 0,
      stateWord: undefined,
      stayAwayUntil: undefined,
      answeredAt: undefined,
      exchange: undefined,
    };
    this.flights.push(flight);
    return flight;
  }

  /** Runs one transaction and writes down every row version that it made. */
  observe<T>(work: () => T, how: { readonly byPerson?: boolean } = {}): Observed<T> {
    let result: T | undefined;
    let error: unknown;
    try {
      result = work();
    } catch (thrown) {
      error = thrown;
    }
    let changed = false;
    for (const row of this.database.filings()) {
      if (this.#filingRows.get(row.envelope.id) === row) continue;
      this.#filingRows.set(row.envelope.id, row);
      this.filingVersions.push({ at: this.now, row });
      this.trace.add(this.now, describeFiling(row));
      changed = true;
    }
    for (const row of this.database.lanes()) {
      if (this.#laneRows.get(row.state.code) === row) continue;
      this.#laneRows.set(row.state.code, row);
      this.laneVersions.push({ at: this.now, row, byPerson: how.byPerson ?? false });
      this.trace.add(this.now, describeLane(row));
      changed = true;
    }
    for (const row of this.database.workers()) {
      if (this.#workerRows.get(row.id) === row) continue;
      this.#workerRows.set(row.id, row);
      this.workerVersions.push({ at: this.now, row });
    }
    return { result, error, changed };
  }

  #admit(draw: Draw): readonly SimFiling[] {
    const { profiles, database, vault, ids, startMs } = this;
    for (const { code, ceiling, longestServiceMs } of profiles) {
      database.addLane({ code: laneCode(code), ceiling, longestServiceMs });
    }
    return admitFilings({ draw, profiles, database, vault, ids, startMs });
  }
}

function describeFiling(row: FilingRow): string {
  const { envelope, status, attempt, holder, step, code } = row;
  const by = holder === undefined ? '' : ` held by w${holder} (${row.claim})`;
  return `    filing ${envelope.key.slice(-6)} ${envelope.lane} ${status} try ${attempt} ${step?.action ?? '-'} ${code ?? ''}${by}`;
}

function describeLane({ state }: LaneRow): string {
  const { code, ceiling, pause, breaker } = state;
  const why = pause.kind === 'none' ? '' : ` (${pause.reason})`;
  return `    lane ${code} ceiling ${ceiling} pause ${pause.kind}${why} breaker ${breaker.state}`;
}
