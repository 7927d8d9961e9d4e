/** Sets that are joined and never parted again. */
export class DisjointSets {
  readonly #parent: Int32Array;

  constructor(size: number) {
    this.#parent = Int32Array.from({ length: size }, (_, at) => at);
  }

  get size(): number {
    return this.#parent.length;
  }

  rootOf(entry: number): number {
    let at = entry;
    for (;;) {
      const up = this.#parent[at] ?? at;
      if (up === at) return at;
      // Every second step is cut short, so that the way is short the next time.
      const above = this.#parent[up] ?? up;
      this.#parent[at] = above;
      at = above;
    }
  }

  join(one: number, other: number): void {
    const [first, second] = [this.rootOf(one), this.rootOf(other)];
    if (first < second) this.#parent[second] = first;
    else this.#parent[first] = second;
  }
}
