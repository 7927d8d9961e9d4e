/** One seed's world of routers: its time, its database, its law, and the book in which everything that happens is written. */
import type { Day } from '../../../src/calendar/day.ts';
import { dateAtOffice } from '../../../src/calendar/office-time.ts';
import { refuseMisfits } from '../../../src/core/facts/catalogue.ts';
import { type Instant, instant } from '../../../src/core/time.ts';
import type { PatentLaw } from '../../../src/dockets/rules/matter.ts';
import { TenantKey } from '../../../src/ledger/tenant-key.ts';
import { KeyVault } from '../../../src/ledger/vault.ts';
import { Session } from '../../../src/postgres/session.ts';
import { SeededIds, SeededRandom, VirtualTime } from '../../../src/testing/virtual-clock.ts';
import { Draw } from '../../world/draw.ts';
import { FaultCounts } from '../../world/fault-counts.ts';
import type { SimProcess } from '../../world/sim-process.ts';
import { Trace } from '../../world/trace.ts';
import { baseLaw } from '../dockets-of-seed.ts';
import { MemoryConnection } from '../memory/connection.ts';
import { type Backend, MemoryDatabase } from '../memory/database.ts';
import { Book, type Commit } from './book.ts';
import { Firm } from './firm.ts';
import { lineOf } from './line.ts';

// A fact in the wrong form is a failure of the seed that writes it.
refuseMisfits();

export const TENANT = 'sim';
const ZONE = 'America/New_York';
export const LEASE_MS = 15_000;
/** Midnight in New York on a Tuesday: what is due on that Monday is late from here on. */
const MIDNIGHT_MS = Date.UTC(2026, 2, 3, 5, 0, 0);

/** Who ends and stops processes. */
export interface ProcessControl {
  crash(process: SimProcess): void;
  freeze(process: SimProcess): void;
}

export class RouterWorld {
  readonly seed: number;
  readonly startMs: number;
  readonly today: Day;
  readonly midnightMs = MIDNIGHT_MS;
  readonly healAt: number;
  readonly time: VirtualTime;
  readonly trace: Trace;
  readonly counts = new FaultCounts();
  readonly faults: Draw;
  readonly faultRate: number;
  readonly book = new Book();
  readonly database: MemoryDatabase;
  readonly vault: KeyVault;
  readonly firm: Firm;
  law: PatentLaw = baseLaw();
  isDatabaseAway = false;
  isHealed = false;
  control: ProcessControl | undefined;
  /** Connections of each process, as the server has them. */
  readonly backends = new Map<SimProcess, Set<Backend>>();
  /** Told of each commit. */
  readonly onCommit: ((commit: Commit) => void)[] = [];

  constructor(seed: number, readable: boolean) {
    this.seed = seed;
    const draw = new Draw(seed, 'router world');
    this.startMs = MIDNIGHT_MS - draw.int(30_000, 260_000);
    this.today = dateAtOffice(instant(this.startMs), ZONE);
    this.healAt = this.startMs + draw.int(40_000, 130_000);
    this.time = new VirtualTime({ startMs: this.startMs, seed });
    this.trace = new Trace({ startMs: this.startMs, readable });
    this.faults = new Draw(seed, 'router faults');
    this.faultRate = draw.pick([0.3, 1, 2]);
    this.firm = new Firm(seed);
    const secrets = new SeededRandom(seed, 'secrets');
    const ids = new SeededIds({ now: () => this.instant }, new SeededRandom(seed, 'rows'));
    this.vault = new KeyVault({
      origin: 'sim',
      tenantKey: new TenantKey(secrets.bytes(32)),
      random: secrets,
    });
    this.database = new MemoryDatabase({
      tenant: TENANT,
      now: () => this.now,
      after: (ms, act) => this.time.schedule(this.now + ms, act),
      newId: () => ids.next(),
      onCommit: (transaction) => {
        const commit = this.book.note(this.database, transaction, this.now);
        this.#tell(commit);
        for (const act of this.onCommit) act(commit);
      },
    });
  }

  get now(): number {
    return this.time.now;
  }

  get instant(): Instant {
    return instant(this.time.now);
  }

  /** A day as a docket states it. */
  isDueTonight(day: unknown): boolean {
    return day === this.today;
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

  /** A fault of that rate, as long as there are faults. */
  hits(rate: number): boolean {
    return !this.isHealed && this.faults.chance(rate * this.faultRate);
  }

  session(process: SimProcess, name: string): Session {
    const driver = (): MemoryConnection => new MemoryConnection(lineOf(this, process));
    return new Session({ target: {}, schema: 'filewright', name, driver });
  }

  #tell({ by, dockets, handoffs, lanes, runs }: Commit): void {
    for (const { after } of dockets) {
      const at = after.next_at === null ? '-' : (after.next_at - this.startMs) / 1_000;
      this.note(`    ${by}: ${after.id.slice(-6)} ${after.phase} ${after.tier} ${at}`);
    }
    for (const { after } of handoffs) {
      const { docket, n, tier, target, attempt, outcome } = after;
      this.note(
        `    ${by}: handoff ${docket.slice(-6)} ${n} ${tier} ${target} ${attempt} ${outcome}`,
      );
    }
    for (const { after } of lanes)
      this.note(`    ${by}: ${after.code} ${JSON.stringify(after.state)}`);
    for (const { after } of runs)
      this.note(`    ${by}: recovery of ${after.target} ${after.phase} ${after.ver}`);
  }
}
