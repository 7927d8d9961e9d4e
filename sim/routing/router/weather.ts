/** What goes wrong by itself until the world is healed: the database is away, processes are killed, stopped, restarted. */
import { Draw } from '../../world/draw.ts';
import type { RouterCrew } from './crew.ts';
import { crashServer } from './line.ts';
import type { RouterWorld } from './world.ts';

const LOOK_MS = 500;

export class RouterWeather {
  readonly #world: RouterWorld;
  readonly #crew: RouterCrew;
  readonly #draw: Draw;
  #stormSince: number | undefined;

  constructor(world: RouterWorld, crew: RouterCrew) {
    this.#world = world;
    this.#crew = crew;
    this.#draw = new Draw(world.seed, 'router weather');
  }

  begin(): void {
    const { healAt, startMs } = this.#world;
    const spanMs = healAt - startMs;
    const draw = this.#draw;
    for (let count = draw.int(0, 2); count > 0; count -= 1) {
      this.#world.after(draw.int(2_000, spanMs), () => this.#takeDatabaseAway());
    }
    for (let count = draw.int(0, 5); count > 0; count -= 1) {
      this.#world.after(draw.int(2_000, spanMs), () =>
        this.#whileSick(() => this.#crew.strikeOne()),
      );
    }
    for (let count = draw.int(0, 2); count > 0; count -= 1) {
      this.#world.after(draw.int(2_000, spanMs), () =>
        this.#whileSick(() => this.#crew.retireOne()),
      );
    }
    this.watch();
  }

  /** Keeps the times in which nobody could do anything. */
  watch(): void {
    const world = this.#world;
    const isStorm = world.isDatabaseAway || this.#crew.isIdle;
    if (isStorm) this.#stormSince ??= world.now;
    else if (this.#stormSince !== undefined) {
      world.book.storms.push({ from: this.#stormSince, to: world.now });
      this.#stormSince = undefined;
    }
    world.after(LOOK_MS, () => this.watch());
  }

  heal(): void {
    this.#world.isDatabaseAway = false;
  }

  #takeDatabaseAway(): void {
    this.#whileSick(() => {
      const world = this.#world;
      const ms = this.#draw.int(100, 12_000);
      world.fault('database away', `${ms} ms`);
      world.isDatabaseAway = true;
      crashServer(world);
      world.after(ms, () => {
        world.isDatabaseAway = false;
      });
    });
  }

  #whileSick(act: () => void): void {
    if (!this.#world.isHealed) act();
  }
}
