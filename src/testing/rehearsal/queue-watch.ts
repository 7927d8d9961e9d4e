import { Heap, type Instant } from '../../core/index.ts';

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
  readonly #byReady = new Heap(isEarlier);
  readonly #byLastSafe = new Heap(isEarlier);

  constructor(lastSafe: ReadonlyMap<string, Instant>) {
    this.#lastSafe = lastSafe;
  }

  get size(): number {
    return this.#readyAt.size;
  }

  add(id: string, readyAt: number): void {
    this.#readyAt.set(id, readyAt);
    this.#byReady.push({ at: readyAt, id });
    this.#byLastSafe.push({ at: this.#lastSafe.get(id) ?? Number.POSITIVE_INFINITY, id });
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
function first(heap: Heap<Entry>, isCurrent: (entry: Entry) => boolean): number {
  for (let entry = heap.first; entry !== undefined; entry = heap.first) {
    if (isCurrent(entry)) return entry.at;
    heap.pop();
  }
  return Number.POSITIVE_INFINITY;
}

function isEarlier(a: Entry, b: Entry): boolean {
  return a.at < b.at;
}
