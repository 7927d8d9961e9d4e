/** Events in order of their moments; equal moments in order of scheduling, so that a seed has one course. */
import { Heap } from '../../src/core/heap.ts';
import { type Instant, instant } from '../../src/core/time.ts';

/** Many times what a world needs. One that is still busy then goes in circles, and its dockets have not come to an end. */
const EVENTS_MAX = 100_000;

interface Planned {
  readonly at: Instant;
  readonly turn: number;
  readonly act: () => void;
}

export class Timeline {
  now: Instant = instant(0);
  readonly #heap = new Heap(isBefore);
  #turns = 0;

  at(at: Instant, act: () => void): void {
    this.#turns += 1;
    this.#heap.push({ at: at > this.now ? at : this.now, turn: this.#turns, act });
  }

  run(until: Instant, isOver: () => boolean): void {
    for (let count = 0; count < EVENTS_MAX; count += 1) {
      const next = this.#heap.pop();
      if (next === undefined || next.at > until) return;
      this.now = next.at;
      next.act();
      if (isOver()) return;
    }
  }
}

function isBefore(a: Planned, b: Planned): boolean {
  return a.at < b.at || (a.at === b.at && a.turn < b.turn);
}
