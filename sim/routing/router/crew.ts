/** The routers: started, killed, stopped and woken, restarted; each runs the real one. */
import { FilewrightError } from '../../../src/core/errors.ts';
import type { Log } from '../../../src/core/ports.ts';
import {
  type RouterOptions,
  type RunningRouter,
  startRouter,
} from '../../../src/dockets/routing/router.ts';
import { acknowledgementLinks } from '../../../src/people/notify/acknowledgement-link.ts';
import { SeededIds, SeededRandom } from '../../../src/testing/virtual-clock.ts';
import { Draw } from '../../world/draw.ts';
import { SimProcess } from '../../world/sim-process.ts';
import type { Targets } from './targets.ts';
import { LEASE_MS, type RouterWorld, TENANT } from './world.ts';
import { ANY_PRIVATE } from '../../../src/wire/private-networks.ts';

interface Seat {
  process: SimProcess | undefined;
  router: RunningRouter | undefined;
}

const FREEZE_MS_MAX = 40_000;

export class RouterCrew {
  readonly #world: RouterWorld;
  readonly #targets: Targets;
  readonly #draw: Draw;
  readonly #seats: readonly Seat[];
  readonly #links: RouterOptions['links'];
  readonly #inFlightMax: number;
  #pids = 100;
  #isOver = false;

  constructor(world: RouterWorld, targets: Targets) {
    this.#world = world;
    this.#targets = targets;
    const draw = new Draw(world.seed, 'router crew');
    this.#draw = draw;
    this.#seats = Array.from({ length: draw.int(2, 3) }, () => ({
      process: undefined,
      router: undefined,
    }));
    this.#inFlightMax = draw.pick([1, 3, 200]);
    const key = new SeededRandom(world.seed, 'links').bytes(32);
    this.#links = draw.chance(0.5)
      ? { links: acknowledgementLinks([key]), publicUrl: 'https://firm.example' }
      : undefined;
    world.control = this;
  }

  begin(): void {
    for (const seat of this.#seats) this.#startAfter(seat, this.#draw.int(0, 2_000));
  }

  get isIdle(): boolean {
    return this.#seats.every(
      ({ process }) => process === undefined || process.isDead || process.isFrozen,
    );
  }

  crash(process: SimProcess): void {
    if (process.isDead) return;
    process.kill();
    const { book, now } = this.#world;
    this.#world.note(`${process.name} is dead`);
    book.still.set(process.name, [
      ...(book.still.get(process.name) ?? []),
      { from: now, to: Number.POSITIVE_INFINITY },
    ]);
    this.#world.after(this.#draw.int(0, 30), () => {
      for (const backend of this.#world.backends.get(process) ?? []) backend.cut();
      this.#world.backends.delete(process);
    });
    const seat = this.#seats.find((one) => one.process === process);
    if (seat !== undefined) this.#startAfter(seat, this.#draw.int(200, 4_000));
  }

  freeze(process: SimProcess): void {
    const world = this.#world;
    if (process.isDead || process.isFrozen || world.isHealed) return;
    const ms = this.#draw.int(500, FREEZE_MS_MAX);
    process.freeze();
    world.fault('freeze', `${process.name} for ${ms} ms`);
    const span = { from: world.now, to: Number.POSITIVE_INFINITY };
    const { still, frozen } = world.book;
    frozen.push(span);
    still.set(process.name, [...(still.get(process.name) ?? []), span]);
    world.after(ms, () => this.#wake(process, span));
  }

  #wake(process: SimProcess, span: { to: number }): void {
    if (!process.isFrozen) return;
    span.to = Math.min(span.to, this.#world.now);
    process.wake(0);
    this.#world.note(`${process.name} wakes`);
  }

  /** Ends one router the polite way; another takes its place. */
  retireOne(): void {
    const seat = this.#draw.pick(this.#seats);
    const { process, router } = seat;
    if (process === undefined || router === undefined || process.isDead) return;
    this.#world.fault('restart', process.name);
    process.deliver(() => {
      router.stop().then(
        () => this.crash(process),
        (error: unknown) => this.#failed(process, error),
      );
    });
  }

  strikeOne(): void {
    const { process } = this.#draw.pick(this.#seats);
    if (process === undefined || process.isDead) return;
    if (this.#draw.chance(0.5)) {
      this.#world.fault('kill', process.name);
      this.crash(process);
    } else this.freeze(process);
  }

  heal(): void {
    for (const { process } of this.#seats) {
      if (process === undefined) continue;
      for (const span of this.#world.book.still.get(process.name) ?? []) this.#wake(process, span);
    }
  }

  finish(): void {
    this.#isOver = true;
    for (const { process } of this.#seats) process?.kill();
  }

  #startAfter(seat: Seat, ms: number): void {
    this.#world.after(ms, () => {
      if (!this.#isOver) this.#start(seat);
    });
  }

  #start(seat: Seat): void {
    const world = this.#world;
    const pid = ++this.#pids;
    const process = new SimProcess({
      name: `p${pid}`,
      host: 'host',
      pid,
      time: world.time,
      onSleep: () => (world.hits(0.0005) ? this.#draw.int(50, 3_000) : 0),
    });
    seat.process = process;
    seat.router = undefined;
    world.note(`${process.name} starts`);
    startRouter(this.#options(process)).then(
      (router) => {
        seat.router = router;
      },
      (error: unknown) => this.#failed(process, error),
    );
  }

  #options(process: SimProcess): RouterOptions {
    const world = this.#world;
    const links = this.#links;
    return {
      tenant: TENANT,
      clock: process,
      ids: new SeededIds(process, new SeededRandom(world.seed, `ids ${process.pid}`)),
      random: new SeededRandom(world.seed, `dice ${process.pid}`),
      vault: world.vault,
      log: this.#log(process),
      law: () => world.law,
      policy: world.firm.policy,
      target: {},
      schema: 'filewright',
      open: (name) => world.session(process, name),
      transport: {
        allowPrivateAddresses: () => ANY_PRIVATE,
        mail: {
          server: () =>
            Promise.resolve({ url: 'smtp://mail.example', allowPrivateAddresses: ANY_PRIVATE }),
          from: 'dockets@firm.example',
          host: 'firm.example',
        },
      },
      handoffs: this.#targets.handoffs(process),
      get: this.#targets.get(process),
      greet: this.#targets.greet(process),
      targetGauge: () => this.#targets.gauge(process),
      inFlightMax: this.#inFlightMax,
      pollMs: 800,
      queueEveryMs: 5_000,
      recovery: { everyMs: 2_000, leaseMs: LEASE_MS },
      ...(links === undefined ? {} : { links }),
    };
  }

  /** What no fault of the world explains is an error of ours. */
  #log(process: SimProcess): Log {
    return {
      write: ({ event, error, level }) => {
        this.#world.note(`${process.name} log ${event} ${error ?? ''}`);
        if (level === 'info' || error === 'DATABASE_UNREACHABLE') return;
        // A docket may come before the first matrix does; it waits for it.
        const hasMatrix = this.#world.database.tables.setup.rows.size > 0;
        if (error === 'NOT_FOUND' && !hasMatrix) return;
        this.#world.book.errors.push(`${process.name}: ${event} ${error ?? ''}`);
      },
    };
  }

  #failed(process: SimProcess, error: unknown): void {
    if (process.isDead) return;
    const isPassing = error instanceof FilewrightError && error.code === 'DATABASE_UNREACHABLE';
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    if (!isPassing) this.#world.book.errors.push(`${process.name}: ${text}`);
    this.crash(process);
  }
}
