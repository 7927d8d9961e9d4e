/** The processes: started, crashed, stopped and woken, restarted; each runs the real worker. */
import { FilewrightError } from '../../src/core/errors.ts';
import { laneCode } from '../../src/core/ids.ts';
import type { Processes } from '../../src/core/ports.ts';
import { Worker } from '../../src/filings/delivery/worker.ts';
import { MemoryStore } from '../../src/testing/memory-store.ts';
import { SeededIds, SeededRandom } from '../../src/testing/virtual-clock.ts';
import { Draw } from './draw.ts';
import { PortalLine } from './portal-line.ts';
import { SimProcess } from './sim-process.ts';
import { storeLine } from './store-line.ts';
import type { World } from './world.ts';

interface Seat {
  readonly index: number;
  readonly host: string;
  process: SimProcess | undefined;
  worker: Worker | undefined;
}

/** A clock that is off by more than this makes a worker refuse to send. */
const SKEW_MS_MIN = 2_300;
const SKEW_MS_MAX = 20_000;

export class Crew {
  readonly idleSpans: { from: number; to: number }[] = [];
  readonly #world: World;
  readonly #draw: Draw;
  readonly #seats: readonly Seat[];
  readonly #ahead: number;
  #pids = 100;
  #idleSince: number | undefined;

  constructor(world: World) {
    this.#world = world;
    const draw = new Draw(world.seed, 'crew');
    this.#draw = draw;
    this.#ahead = draw.pick([0, 1, 1, 2]);
    const hosts = draw.int(1, 3);
    this.#seats = Array.from({ length: draw.int(2, 4) }, (_, index) => ({
      index,
      host: `host${index % hosts}`,
      process: undefined,
      worker: undefined,
    }));
    this.#idleSince = world.now;
    world.control = this;
  }

  begin(): void {
    for (const seat of this.#seats) this.#startAfter(seat, this.#draw.int(0, 400));
  }

  crash(process: SimProcess): void {
    if (process.isDead) return;
    const seat = this.#seatOf(process);
    process.kill();
    this.#world.note(`${process.name} is dead`);
    this.#watchIdle();
    if (seat !== undefined) this.#startAfter(seat, this.#draw.int(100, 3_000));
  }

  stop(process: SimProcess): void {
    if (process.isDead || process.isFrozen || this.#world.isHealed) return;
    const { leaseMs } = this.#world;
    const ms = this.#draw.int(Math.floor(leaseMs / 4), leaseMs * 3);
    // A suspended machine's monotonic clock stands still; a stopped process's runs on. A machine that is suspended just
    // after its wall clock was set has no clock left to know it by: that window is named in the documents.
    const isClockTrue = this.#world.now - process.skewSince > leaseMs;
    const isSuspended = this.#draw.chance(0.3) && isClockTrue;
    process.freeze();
    this.#world.note(
      `${process.name} stands still for ${ms} ms${isSuspended ? ', clock too' : ''}`,
    );
    this.#watchIdle();
    this.#world.after(ms, () => {
      if (!process.isFrozen) return;
      process.wake(isSuspended ? ms : 0);
      this.#world.note(`${process.name} wakes`);
      this.#watchIdle();
    });
  }

  /** Ends one process the polite way: it drains, releases and exits, and another takes its place. */
  retireOne(): void {
    const seat = this.#draw.pick(this.#seats);
    const { process, worker } = seat;
    if (process === undefined || worker === undefined || process.isDead) return;
    this.#world.fault('restart', process.name);
    process.deliver(() => {
      worker.stop().then(
        () => this.crash(process),
        (error: unknown) => this.#ended(process, error),
      );
    });
  }

  skewOne(): void {
    const { process } = this.#draw.pick(this.#seats);
    if (process !== undefined && !process.isDead) this.skew(process);
  }

  skew(process: SimProcess): void {
    const ms = this.#draw.int(SKEW_MS_MIN, SKEW_MS_MAX) * (this.#draw.chance(0.5) ? 1 : -1);
    if (process.isFrozen) return;
    process.setSkew(ms);
    this.#world.note(`${process.name} wall clock off by ${ms} ms`);
    process.after(this.#draw.int(500, 15_000), () => process.setSkew(0));
  }

  /** Whatever stands still goes on, and every clock is right. */
  heal(): void {
    for (const { process } of this.#seats) {
      process?.wake(0);
      process?.setSkew(0);
    }
    this.#watchIdle();
  }

  finish(): void {
    for (const { process } of this.#seats) process?.kill();
    this.#watchIdle();
  }

  #startAfter(seat: Seat, ms: number): void {
    this.#world.after(ms, () => this.#start(seat));
  }

  #start(seat: Seat): void {
    const world = this.#world;
    const pid = ++this.#pids;
    const process = new SimProcess({
      name: `p${pid}`,
      host: seat.host,
      pid,
      time: world.time,
      onSleep: (sleeper) => this.#onSleep(sleeper),
    });
    process.setSkew(this.#draw.int(-900, 900));
    seat.process = process;
    world.note(`${process.name} starts on ${process.host}`);
    this.#watchIdle();
    const store = new MemoryStore(world.database, storeLine(world, process));
    const worker = new Worker(
      {
        clock: process,
        ids: new SeededIds(process, new SeededRandom(world.seed, `ids ${pid}`)),
        store,
        sequencer: store,
        portal: new PortalLine(world, process),
        vault: world.vault,
        log: {
          write: (record) => {
            if (record.event !== 'filing.outcome')
              world.note(`${process.name} log ${record.event}`);
          },
        },
        processes: this.#processes(process),
        profiles: new Map(world.profiles.map((profile) => [laneCode(profile.code), profile])),
      },
      { leaseMs: world.leaseMs, ahead: this.#ahead, sequenceMs: 600, drainMsMax: 4_000 },
    );
    seat.worker = worker;
    worker.run().then(
      () => this.crash(process),
      (error: unknown) => this.#ended(process, error),
    );
  }

  #ended(process: SimProcess, error: unknown): void {
    if (process.isDead) return;
    const isPassing = error instanceof FilewrightError && error.code === 'DATABASE_UNREACHABLE';
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    if (!isPassing) this.#world.crashes.push(`${process.name}: ${text}`);
    this.crash(process);
  }

  #onSleep(process: SimProcess): number {
    const world = this.#world;
    const fault = world.faults.atSleep();
    if (fault === undefined) return 0;
    world.fault(`clock ${fault}`, process.name);
    switch (fault) {
      case 'oversleep':
        return this.#draw.int(50, 4_000);
      case 'clock_jump':
        this.skew(process);
        return 0;
      case 'crash_asleep':
        this.crash(process);
        return 0;
      case 'zombie_asleep':
        this.stop(process);
        return 0;
    }
  }

  #processes(self: SimProcess): Processes {
    const find = (pid: number, startedAt: string): SimProcess | undefined =>
      this.#seats
        .map((seat) => seat.process)
        .find((other) => other?.pid === pid && other.startedAt === startedAt && !other.isDead);
    return {
      host: self.host,
      self: { pid: self.pid, startedAt: self.startedAt },
      isRunning: (pid, startedAt) => find(pid, startedAt) !== undefined,
      end: (pid, startedAt) => {
        const other = find(pid, startedAt);
        if (other !== undefined) {
          this.#world.note(`${self.name} ends ${other.name}`);
          this.crash(other);
        }
        return Promise.resolve(true);
      },
    };
  }

  #seatOf(process: SimProcess): Seat | undefined {
    return this.#seats.find((seat) => seat.process === process);
  }

  /** Keeps the spans in which nobody could do anything. */
  #watchIdle(): void {
    const { now } = this.#world;
    const isIdle = this.#seats.every(
      ({ process }) => process === undefined || process.isDead || process.isFrozen,
    );
    if (isIdle) this.#idleSince ??= now;
    else if (this.#idleSince !== undefined) {
      this.idleSpans.push({ from: this.#idleSince, to: now });
      this.#idleSince = undefined;
    }
  }
}
