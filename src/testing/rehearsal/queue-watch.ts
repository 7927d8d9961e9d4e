import type { Instant } from '../../core/index.ts';

interface Entry {
  readonly at: number;
  readonly id: string;
}

/**
 * What waits in a rehearsed lane: when the next filing is ready, and whose last safe moment is the next to pass. Kept
 * beside the memory store, whose own answer to these would be a walk through everything that is owed.
 */
export class QueueWatch {
  readonly #readyAt = new Map<string, number>();
  readonly #lastSafe: ReadonlyMap<string, Instant>;
  readonly #byReady: Entry[] = [];
  readonly #byLastSafe: Entry[] = [];

  constructor(lastSafe: ReadonlyMap<string, Instant>) {
    this.#lastSafe = lastSafe;
  }

  get size(): number {
    return this.#readyAt.size;
  }

  add(id: string, readyAt: number): void {
    this.#readyAt.set(id, readyAt);
    push(this.#byReady, { at: readyAt, id });
    push(this.#byLastSafe, { at: this.#lastSafe.get(id) ?? Number.POSITIVE_INFINITY, id });
  }

  remove(id: string): void {
    this.#readyAt.delete(id);
  }

  /** Infinite when nothing waits. */
  firstReadyAt(): number {
    return first(this.#byReady, ({ at, id }) => this.#readyAt.get(id) === at);
  }

  firstLastSafe(): number {
    return first(this.#byLastSafe, ({ id }) => this.#readyAt.has(id));
  }
}

/** Entries of filings that were taken meanwhile are dropped when they come to the front. */
function first(heap: Entry[], isCurrent: (entry: Entry) => boolean): number {
  for (let entry = heap[0]; entry !== undefined; entry = heap[0]) {
    if (isCurrent(entry)) return entry.at;
    pop(heap);
  }
  return Number.POSITIVE_INFINITY;
}

function push(heap: Entry[], entry: Entry): void {
  let place = heap.length;
  while (place > 0) {
    const above = (place - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || parent.at <= entry.at) break;
    heap[place] = parent;
    place = above;
  }
  heap[place] = entry;
}

function pop(heap: Entry[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let place = 0;
  for (;;) {
    const left = heap[2 * place + 1];
    if (left === undefined) break;
    const right = heap[2 * place + 2];
    const child = right !== undefined && right.at < left.at ? right : left;
    if (child.at >= last.at) break;
    heap[place] = child;
    place = 2 * place + (child === right ? 2 : 1);
  }
  heap[place] = last;
}
