/**
 * Which subtrees a proof is made of. A proof for one entry of a million needs about twenty hashes: whoever stores
 * the tree first asks for the plan, reads the named subtrees in any way it likes (one query, a few tiles), and then
 * assembles the proof. Nothing here reads anything.
 */
import { invariant } from '../core/index.ts';
import { HASH_BYTES, nodeHash, sha256 } from './hashes.ts';

/** A perfect subtree: the leaves from `index · 2^level` up to, but without, `(index + 1) · 2^level`. */
export interface TreeNode {
  readonly level: number;
  readonly index: number;
}

/** Gives the hash of a subtree, or undefined when it has none. */
export type ProofSource = (node: TreeNode) => Uint8Array | undefined;

/**
 * One list for each hash of the proof, in the proof's order. A list of several subtrees stands for the ragged right
 * edge of the tree: their hashes are joined from right to left.
 */
export type ProofPlan = readonly (readonly TreeNode[])[];

/** RFC 6962 § 2.1.1, as the subtrees it names: from the leaf's sibling up to the root's child. */
export function inclusionPlan(place: {
  readonly leafIndex: number;
  readonly treeSize: number;
}): ProofPlan {
  const { leafIndex, treeSize } = place;
  requireSize(treeSize);
  invariant(
    Number.isSafeInteger(leafIndex) && leafIndex >= 0 && leafIndex < treeSize,
    `Expected a leaf index below the tree size ${treeSize}, found ${leafIndex}.`,
  );
  const plan: TreeNode[][] = [];
  let [first, end] = [0, treeSize];
  while (end - first > 1) {
    const middle = first + largestPowerBelow(end - first);
    if (leafIndex < middle) {
      plan.push(subtreesOf(middle, end));
      end = middle;
    } else {
      plan.push(subtreesOf(first, middle));
      first = middle;
    }
  }
  return plan.reverse();
}

/**
 * RFC 6962 § 2.1.2. Empty for equal sizes and for size 0: that a tree grew out of the empty one needs no proof, and
 * `verifyConsistency` refuses to be asked for one.
 */
export function consistencyPlan(sizes: {
  readonly size1: number;
  readonly size2: number;
}): ProofPlan {
  const { size1, size2 } = sizes;
  requireSize(size1);
  requireSize(size2);
  invariant(size1 <= size2, `Expected a first size of at most ${size2}, found ${size1}.`);
  if (size1 === 0 || size1 === size2) return [];
  const plan: TreeNode[][] = [];
  let [first, end] = [0, size2];
  while (end > size1) {
    const middle = first + largestPowerBelow(end - first);
    if (size1 <= middle) {
      plan.push(subtreesOf(middle, end));
      end = middle;
    } else {
      plan.push(subtreesOf(first, middle));
      first = middle;
    }
  }
  // When the old tree is the whole left side, the verifier knows its root already.
  if (first > 0) plan.push(subtreesOf(first, end));
  return plan.reverse();
}

/** The subtrees whose hashes make the root; none for the empty tree. */
export function rootPlan(treeSize: number): readonly TreeNode[] {
  requireSize(treeSize);
  return subtreesOf(0, treeSize);
}

/** Every subtree a plan asks for; each is asked for once. */
export function nodesOf(plan: ProofPlan): readonly TreeNode[] {
  return plan.flat();
}

/** The proof, from a source that has every subtree of the plan. */
export function assembleProof(plan: ProofPlan, source: ProofSource): Uint8Array[] {
  return plan.map((nodes) => assembleRoot(nodes, source));
}

/** The root over neighbouring subtrees, largest first. */
export function assembleRoot(nodes: readonly TreeNode[], source: ProofSource): Uint8Array {
  let root: Uint8Array | undefined;
  for (const node of nodes.toReversed()) {
    const hash = source(node);
    invariant(
      hash !== undefined && hash.length === HASH_BYTES,
      `Expected a stored hash for subtree ${node.index} of level ${node.level}. Rebuild the tree from the entries.`,
      { level: node.level, index: node.index },
    );
    root = root === undefined ? hash : nodeHash(hash, root);
  }
  return root ?? sha256(new Uint8Array(0));
}

// The perfect subtrees of a range that starts where a subtree of its size may start, from left to right.
function subtreesOf(first: number, end: number): TreeNode[] {
  const nodes: TreeNode[] = [];
  let at = first;
  while (at < end) {
    let [level, width] = [0, 1];
    while (width * 2 <= end - at) [level, width] = [level + 1, width * 2];
    nodes.push({ level, index: at / width });
    at += width;
  }
  return nodes;
}

// RFC 6962 § 2.1: the split is at the largest power of two smaller than n, so both sides have leaves.
function largestPowerBelow(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}

function requireSize(size: number): void {
  invariant(
    Number.isSafeInteger(size) && size >= 0,
    `Expected a tree size from 0 to 2^53−1, found ${size}.`,
  );
}
