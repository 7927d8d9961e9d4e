/** The one human: approves what waits for a word, pauses a lane now and then, and changes a ceiling while it runs. */
import { laneAfter, type LaneEvent } from '../../src/lanes/rules/lane-rules.ts';
import { laneFacts } from '../../src/lanes/rules/lane-facts.ts';
import type { LaneState } from '../../src/core/lane.ts';
import type { Profile } from '../../src/core/profile.ts';
import { Draw } from './draw.ts';
import type { World } from './world.ts';

const LOOKS_EVERY_MS = 700;
const ACTOR = { kind: 'user', id: 'person/ops' } as const;

export class Person {
  readonly #world: World;
  readonly #draw: Draw;
  readonly #patienceMs: number;

  constructor(world: World, seed: number) {
    this.#world = world;
    this.#draw = new Draw(seed, 'person');
    this.#patienceMs = this.#draw.pick([1_500, 4_000, 12_000]);
  }

  begin(): void {
    this.#world.after(LOOKS_EVERY_MS, () => {
      for (const { state } of this.#world.database.lanes()) this.#look(state);
      this.begin();
    });
  }

  #look(state: LaneState): void {
    const { pause } = state;
    const isHealing = this.#world.isHealed;
    if (pause.kind === 'held') {
      const run = pause.reason === 'person' ? undefined : state.recovery?.run;
      if (run?.state === 'probing' && !isHealing && this.#draw.chance(0.02)) {
        this.#act(state, { kind: 'hurried', by: ACTOR.id });
      }
      // What is checked comes back by itself.
      if (run?.state === 'probing' || run?.state === 'checking') return;
      const since = run?.state === 'awaiting_approval' ? run.since : pause.since;
      if (!isHealing && this.#world.now - since <= this.#patienceMs) return;
      const isTheirs = pause.reason === 'person';
      this.#act(
        state,
        isTheirs ? { kind: 'resumed_by_person' } : { kind: 'approved', why: 'looked at it' },
      );
      return;
    }
    if (isHealing) return;
    if (this.#draw.chance(0.004)) this.#act(state, { kind: 'paused_by_person' });
    else if (this.#draw.chance(0.01)) {
      this.#act(state, { kind: 'ceiling', ceiling: this.#draw.int(1, 7) });
    }
  }

  #act(state: LaneState, event: LaneEvent): void {
    const world = this.#world;
    const profile: Profile = world.profile(state.code);
    const next = laneAfter(state, event, profile, world.instant);
    if (next === state) return;
    world.note(`person: ${event.kind} ${state.code}`);
    world.observe(
      () =>
        world.database.changeLane(
          state,
          next,
          laneFacts(state, next, world.ids, world.instant, ACTOR),
        ),
      { byPerson: true },
    );
  }
}
