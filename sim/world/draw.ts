import { SeededRandom } from '../../src/testing/virtual-clock.ts';

/** Choices of one seed and one purpose. Purposes do not disturb each other, so adding a choice changes little else. */
export class Draw {
  readonly #random: SeededRandom;

  constructor(seed: number, purpose: string) {
    this.#random = new SeededRandom(seed, purpose);
  }

  get random(): SeededRandom {
    return this.#random;
  }

  chance(probability: number): boolean {
    return this.#random.chance(probability);
  }

  /** A whole number, both ends included. */
  int(min: number, max: number): number {
    return min + this.#random.below(max - min + 1);
  }

  pick<T>(list: readonly T[]): T {
    const chosen = list[this.#random.below(list.length)];
    if (chosen === undefined) throw new Error('There must be something to pick from');
    return chosen;
  }

  /** Picks a name by weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    // Object.entries forgets the names; the record has no others.
    const entries = Object.entries(weights) as [Name, number][];
    const total = entries.reduce((sum, [, weight]) => sum + weight, 0);
    let left = this.#random.next() * total;
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return this.pick(entries)[0];
  }

  shuffled<T>(list: readonly T[]): T[] {
    const copy = [...list];
    for (let last = copy.length - 1; last > 0; last -= 1) {
      const other = this.#random.below(last + 1);
      const [a, b] = [copy[last], copy[other]];
      if (a !== undefined && b !== undefined) [copy[last], copy[other]] = [b, a];
    }
    return copy;
  }
}
