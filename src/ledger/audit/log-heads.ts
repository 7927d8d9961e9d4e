/**
 * Every head that anybody holds of one log, in the order of sizes: the table of checkpoints, the copies outside, the spine,
 * and heads remembered or given by whoever checks. One row for each size, so that one which is missing somewhere shows.
 */
import type { TreeHead } from '../checkpoint.ts';
import type { StoredCheckpoint } from '../store/checkpoints.ts';

/** A head from outside the database that the log must have. */
export interface PinnedHead extends TreeHead {
  /** Where it comes from, for messages. */
  readonly from: string;
}

export interface HeadAt {
  readonly size: number;
  readonly checkpoint: StoredCheckpoint | undefined;
  readonly isCopied: boolean;
  /** The root that the spine names. */
  readonly spine: Uint8Array | undefined;
  readonly pinned: readonly PinnedHead[];
}

export async function* headsOf(sources: {
  /** In the order of sizes, as the others. */
  readonly checkpoints: AsyncIterable<StoredCheckpoint>;
  readonly copies: readonly number[];
  readonly spine: Iterable<TreeHead>;
  readonly pinned: readonly PinnedHead[];
}): AsyncGenerator<HeadAt> {
  const checkpoints = sources.checkpoints[Symbol.asyncIterator]();
  const spine = sources.spine[Symbol.iterator]();
  const pinned = sources.pinned.toSorted((a, b) => a.size - b.size);
  let [copyAt, pinAt] = [0, 0];
  let checkpoint = await checkpoints.next();
  let head = spine.next();
  for (;;) {
    const size = Math.min(
      checkpoint.done === true ? Number.POSITIVE_INFINITY : checkpoint.value.size,
      head.done === true ? Number.POSITIVE_INFINITY : head.value.size,
      sources.copies[copyAt] ?? Number.POSITIVE_INFINITY,
      pinned[pinAt]?.size ?? Number.POSITIVE_INFINITY,
    );
    if (size === Number.POSITIVE_INFINITY) return;
    const isStored = checkpoint.done !== true && checkpoint.value.size === size;
    const isNamed = head.done !== true && head.value.size === size;
    const isCopied = sources.copies[copyAt] === size;
    const pins = pinned.filter((pin) => pin.size === size);
    yield {
      size,
      checkpoint: isStored && checkpoint.done !== true ? checkpoint.value : undefined,
      isCopied,
      spine: isNamed && head.done !== true ? head.value.root : undefined,
      pinned: pins,
    };
    if (isStored) checkpoint = await checkpoints.next();
    if (isNamed) head = spine.next();
    if (isCopied) copyAt += 1;
    pinAt += pins.length;
  }
}
