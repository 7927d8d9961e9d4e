/**
 * RFC 9162 § 2.1.3.2 and § 2.1.4.2. Proofs come from whoever wants to be believed, so anything that is not exactly a
 * proof is answered with false; nothing here throws.
 */
import { types } from 'node:util';
import { HASH_BYTES, nodeHash, sameBytes } from './hashes.ts';

export interface InclusionClaim {
  readonly leafIndex: number;
  readonly treeSize: number;
  readonly root: Uint8Array;
  readonly leafHash: Uint8Array;
  /** From the leaf's sibling up to the root's child. */
  readonly proof: readonly Uint8Array[];
}

export interface ConsistencyClaim {
  /** At least 1: everything grows out of the empty tree, so a proof of that would say nothing. */
  readonly size1: number;
  readonly size2: number;
  readonly root1: Uint8Array;
  readonly root2: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

/** Whether the leaf is at its index in the tree with that size and root. Sizes above 2^53−1 are refused. */
export function verifyInclusion(claim: InclusionClaim): boolean {
  if (!isRecord(claim)) return false;
  const { leafIndex, treeSize, root, leafHash, proof } = claim;
  if (!isSize(leafIndex) || !isSize(treeSize) || leafIndex >= treeSize) return false;
  if (!isHash(root) || !isHash(leafHash) || !isProof(proof)) return false;

  // Both are walked up together: `at` is the node's index on its level, `last` that of the level's last node.
  let [at, last] = [leafIndex, treeSize - 1];
  let hash = leafHash;
  for (const sibling of proof) {
    if (last === 0) return false;
    if (isOdd(at) || at === last) {
      hash = nodeHash(sibling, hash);
      // The last node of a level with an odd number of nodes has no sibling there: it moves up as it is.
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)];
    } else {
      hash = nodeHash(hash, sibling);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && sameBytes(hash, root);
}

/** Whether the larger tree begins with the smaller one. Equal sizes need equal roots and an empty proof. */
export function verifyConsistency(claim: ConsistencyClaim): boolean {
  if (!isRecord(claim)) return false;
  const { size1, size2, root1, root2, proof } = claim;
  if (!isSize(size1) || !isSize(size2) || size1 === 0 || size1 > size2) return false;
  if (!types.isUint8Array(root1) || !types.isUint8Array(root2) || !isProof(proof)) return false;
  // Nothing is hashed then, so the roots are any bytes: so say the vectors of transparency-dev/merkle.
  if (size1 === size2) return proof.length === 0 && sameBytes(root1, root2);
  if (!isHash(root1) || !isHash(root2) || proof.length === 0) return false;

  let [at, last] = [size1 - 1, size2 - 1];
  while (isOdd(at)) [at, last] = [half(at), half(last)];
  // A first tree of a power of two leaves is a subtree of the second, and the proof does not repeat its root.
  const path = at === 0 ? [root1, ...proof] : proof;
  const [start = root1, ...rest] = path;
  let [older, newer] = [start, start];
  for (const sibling of rest) {
    if (last === 0) return false;
    if (isOdd(at) || at === last) {
      older = nodeHash(sibling, older);
      newer = nodeHash(sibling, newer);
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)];
    } else {
      newer = nodeHash(newer, sibling);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && sameBytes(older, root1) && sameBytes(newer, root2);
}

function isRecord(claim: unknown): boolean {
  return typeof claim === 'object' && claim !== null;
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isHash(value: unknown): value is Uint8Array {
  return types.isUint8Array(value) && value.length === HASH_BYTES;
}

// A tree of 2^53 leaves has 53 levels; a consistency proof holds one hash more. Longer ones are refused unread.
const PROOF_HASHES_MAX = 54;

function isProof(value: unknown): value is readonly Uint8Array[] {
  if (!Array.isArray(value) || value.length > PROOF_HASHES_MAX) return false;
  // Not `every`, which skips holes.
  for (let index = 0; index < value.length; index++) if (!isHash(value[index])) return false;
  return true;
}

// Not the bit operators, which cut sizes at 2^32.
function isOdd(number: number): boolean {
  return number % 2 === 1;
}

function half(number: number): number {
  return Math.floor(number / 2);
}
