/** What goes wrong around the processes: the database goes away, portals go down, clocks jump, machines are restarted. */
import { Draw } from './draw.ts';
import type { Crew } from './crew.ts';
import type { World } from './world.ts';

export class Weather {
  readonly outages: { from: number; to: number }[] = [];
  readonly #world: World;
  readonly #crew: Crew;
  readonly #draw: Draw;

  constructor(world: World, crew: Crew) {
    this.#world = world;
    this.#crew = crew;
    this.#draw = new Draw(world.seed, 'weather');
  }

  /** `forMs`: how long there is weather; after that the skies are clear. */
  begin(forMs: number): void {
    const draw = this.#draw;
    const times = (most: number): number[] =>
      Array.from({ length: draw.int(0, most) }, () => draw.int(200, forMs));
    for (const at of times(2)) this.#at(at, () => this.#outage(draw.int(200, 9_000)));
    for (const at of times(3)) this.#at(at, () => this.#portalDown(draw.int(1_000, 7_000)));
    for (const at of times(1)) this.#at(at, () => this.#crew.retireOne());
    for (const at of times(1)) {
      this.#at(at, () => {
        this.#world.fault('clock_skew', 'a worker');
        this.#crew.skewOne();
      });
    }
  }

  clear(): void {
    this.#endOutage();
    for (const model of this.#world.models.values()) {
      model.behave({ faults: {}, mixRate: 0, health: 'good' });
    }
  }

  #at(ms: number, act: () => void): void {
    this.#world.after(ms, () => {
      if (!this.#world.isHealed) act();
    });
  }

  #outage(ms: number): void {
    const world = this.#world;
    if (world.databaseIsAway) return;
    world.databaseIsAway = true;
    world.fault('database_outage', `${ms} ms`);
    this.outages.push({ from: world.now, to: Number.POSITIVE_INFINITY });
    world.after(ms, () => this.#endOutage());
  }

  #endOutage(): void {
    const last = this.outages.at(-1);
    if (last === undefined || last.to !== Number.POSITIVE_INFINITY) return;
    last.to = this.#world.now;
    this.#world.databaseIsAway = false;
    this.#world.note('the database is back');
  }

  #portalDown(ms: number): void {
    const world = this.#world;
    const profile = this.#draw.pick(world.profiles);
    const model = world.model(profile.code);
    const { faults } = model.behaviour;
    const how = this.#draw.pick(['error_503', 'cut_before_accept', 'accept_then_500'] as const);
    world.fault('portal_down', `${profile.code} ${how} for ${ms} ms`);
    model.behave({ faults: { [how]: 0.95, status_500: 0.9 }, health: 'bad' });
    world.after(ms, () => {
      if (!world.isHealed) model.behave({ faults, health: 'good' });
    });
  }
}
