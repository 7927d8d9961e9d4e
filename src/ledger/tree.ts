/** Roots and proofs of a tree whose leaf hashes are all at hand; for larger ones, see proof-plan.ts. */
import { invariant } from '../core/index.ts';
import { CompactRange } from './compact-range.ts';
import {
  assembleProof,
  consistencyPlan,
  inclusionPlan,
  type ProofPlan,
  type TreeNode,
} from './proof-plan.ts';

/** RFC 6962 § 2.1: the Merkle root over leaf hashes; for none, the hash of nothing. */
export function rootHash(leafHashes: Iterable<Uint8Array>): Uint8Array {
  const range = CompactRange.empty();
  for (const leaf of leafHashes) range.append(leaf);
  return range.root();
}

/** RFC 6962 § 2.1.1: shows that one leaf is in the tree over all of them. */
export function inclusionProof(leafHashes: readonly Uint8Array[], index: number): Uint8Array[] {
  return prove(leafHashes, inclusionPlan({ leafIndex: index, treeSize: leafHashes.length }));
}

/** RFC 6962 § 2.1.2: shows that the tree over the first `size2` leaves begins with that over the first `size1`. */
export function consistencyProof(
  leafHashes: readonly Uint8Array[],
  size1: number,
  size2: number = leafHashes.length,
): Uint8Array[] {
  invariant(
    size2 <= leafHashes.length,
    `Expected a size of at most ${leafHashes.length}, the number of leaves; found ${size2}.`,
  );
  return prove(leafHashes, consistencyPlan({ size1, size2 }));
}

// Ranges of a plan do not overlap, so every leaf is hashed at most once.
function prove(leafHashes: readonly Uint8Array[], plan: ProofPlan): Uint8Array[] {
  return assembleProof(plan, ({ level, index }: TreeNode) => {
    const width = 2 ** level;
    return rootHash(leafHashes.slice(index * width, (index + 1) * width));
  });
}
