import { invariant } from '../core/index.ts';
import { HASH_BYTES, nodeHash, sha256 } from './hashes.ts';
import type { TreeNode } from './proof-plan.ts';

const SIZE_BYTES = 8;

/**
 * The RFC 6962 tree of everything appended so far, kept as the roots of its perfect subtrees: one hash for each
 * one-bit of the size, at most 53. Appending costs two hashes on average, and the whole log is never needed.
 *
 * It changes in place. Whoever appends inside a database transaction works on a `copy()` and keeps it only after
 * the commit; a copy that is dropped leaves nothing behind.
 */
export class CompactRange {
  private leaves: number;
  // From the largest subtree, on the left, to the smallest.
  private readonly subtrees: Uint8Array[];

  private constructor(leaves: number, subtrees: Uint8Array[]) {
    this.leaves = leaves;
    this.subtrees = subtrees;
  }

  static empty(): CompactRange {
    return new CompactRange(0, []);
  }

  /** Reads what `toBytes` wrote; a stored range of another length than its size asks for is refused. */
  static fromBytes(bytes: Uint8Array): CompactRange {
    const view = Buffer.from(bytes);
    invariant(view.length >= SIZE_BYTES, 'Expected a compact range to start with its size.');
    const size = Number(view.readBigUInt64BE(0));
    invariant(Number.isSafeInteger(size), 'Expected a tree size of at most 2^53−1.');
    const count = onesOf(size);
    invariant(
      view.length === SIZE_BYTES + count * HASH_BYTES,
      `Expected ${count} subtree hashes for a tree of size ${size}, found ${view.length} bytes. Rebuild the range from the entries.`,
      { size, bytes: view.length },
    );
    const subtrees = Array.from({ length: count }, (_, index) =>
      view.subarray(SIZE_BYTES + index * HASH_BYTES, SIZE_BYTES + (index + 1) * HASH_BYTES),
    );
    return new CompactRange(size, subtrees);
  }

  get size(): number {
    return this.leaves;
  }

  /**
   * Adds a leaf. `completed` hears of the leaf and of every subtree it completes, smallest first; a store keeps
   * those it wants to build proofs from.
   */
  append(leaf: Uint8Array, completed?: (node: TreeNode, hash: Uint8Array) => void): void {
    invariant(leaf.length === HASH_BYTES, `Expected a leaf hash of ${HASH_BYTES} bytes.`);
    invariant(this.leaves < Number.MAX_SAFE_INTEGER, 'Expected a tree of at most 2^53−1 leaves.');
    let right = leaf;
    let level = 0;
    let index = this.leaves;
    completed?.({ level, index }, leaf);
    // Each trailing one-bit of the old size is a subtree as large as the one just completed.
    for (let rest = this.leaves; rest % 2 === 1; rest = (rest - 1) / 2) {
      const left = this.subtrees.pop();
      invariant(left !== undefined, 'Expected one subtree for each one-bit of the size.');
      right = nodeHash(left, right);
      level++;
      index = (index - 1) / 2;
      completed?.({ level, index }, right);
    }
    this.subtrees.push(right);
    this.leaves++;
  }

  /** The Merkle root; that of the empty tree is the hash of nothing. */
  root(): Uint8Array {
    let root: Uint8Array | undefined;
    for (const subtree of this.subtrees.toReversed()) {
      root = root === undefined ? subtree : nodeHash(subtree, root);
    }
    return root ?? sha256(new Uint8Array(0));
  }

  copy(): CompactRange {
    // Hashes are never written into, so sharing them is safe.
    return new CompactRange(this.leaves, [...this.subtrees]);
  }

  /** The size as eight big-endian bytes, then the subtree hashes from left to right. */
  toBytes(): Uint8Array {
    const size = Buffer.alloc(SIZE_BYTES);
    size.writeBigUInt64BE(BigInt(this.leaves));
    return Buffer.concat([size, ...this.subtrees]);
  }
}

function onesOf(size: number): number {
  let ones = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) ones += rest % 2;
  return ones;
}
