/** Events in order of their moments; equal moments in order of scheduling, so that a seed has one course. */
import { type Instant, instant } from '../../src/core/index.ts';

/** Many times what a world needs. One that is still busy then goes in circles, and its dockets have not come to an end. */
const EVENTS_MAX = 100_000;

interface Planned {
  readonly at: Instant;
  readonly turn: number;
  readonly act: () => void;
}

export class Timeline {
  now: Instant = instant(0);
  readonly #heap: Planned[] = [];
  #turns = 0;

  at(at: Instant, act: () => void): void {
    this.#turns += 1;
    const planned = { at: at > this.now ? at : this.now, turn: this.#turns, act };
    this.#heap.push(planned);
    let place = this.#heap.length - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#isBefore(place, parent)) break;
      this.#swap(place, parent);
      place = parent;
    }
  }

  run(until: Instant, isOver: () => boolean): void {
    for (let count = 0; count < EVENTS_MAX; count += 1) {
      const next = this.#take();
      if (next === undefined || next.at > until) return;
      this.now = next.at;
      next.act();
      if (isOver()) return;
    }
  }

  #take(): Planned | undefined {
    const [first] = this.#heap;
    const last = this.#heap.pop();
    if (first === undefined || last === undefined || first === last) return first;
    this.#heap[0] = last;
    for (let place = 0; ; ) {
      const [left, right] = [2 * place + 1, 2 * place + 2];
      let least = place;
      if (left < this.#heap.length && this.#isBefore(left, least)) least = left;
      if (right < this.#heap.length && this.#isBefore(right, least)) least = right;
      if (least === place) return first;
      this.#swap(place, least);
      place = least;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined) return false;
    return a.at < b.at || (a.at === b.at && a.turn < b.turn);
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined) return;
    this.#heap[one] = b;
    this.#heap[other] = a;
  }
}
