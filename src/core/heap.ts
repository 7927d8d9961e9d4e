/** A binary heap: whatever comes before all others is first. Pushing and taking cost the logarithm of its size. */
export class Heap<T> {
  readonly #items: T[] = [];
  readonly #isBefore: (a: T, b: T) => boolean;

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  /** All of them, the first one first and the others in no order. */
  get items(): readonly T[] {
    return this.#items;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let place = items.length;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = items[above];
      if (parent === undefined || !this.#isBefore(item, parent)) break;
      items[place] = parent;
      place = above;
    }
    items[place] = item;
  }

  /** Takes the first one out. */
  pop(): T | undefined {
    const items = this.#items;
    const [first] = items;
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    let place = 0;
    for (;;) {
      const left = items[2 * place + 1];
      if (left === undefined) break;
      const right = items[2 * place + 2];
      const isRight = right !== undefined && this.#isBefore(right, left);
      const child = isRight ? right : left;
      if (!this.#isBefore(child, last)) break;
      items[place] = child;
      place = 2 * place + (isRight ? 2 : 1);
    }
    items[place] = last;
    return first;
  }
}
