/** A proof verifies if and only if nothing about it was touched. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  assembleProof,
  assembleRoot,
  consistencyPlan,
  inclusionPlan,
  rootPlan,
  type TreeNode,
} from '../../src/ledger/proof-plan.ts';
import { CompactRange } from '../../src/ledger/compact-range.ts';
import { verifyConsistency, verifyInclusion } from '../../src/ledger/verify-proof.ts';
import * as ledger from '../../src/ledger/pure.ts';
import { flipped, hex, numberedLeaves } from './support.ts';

const MANY = 20_000;
const leaves = numberedLeaves(ledger, MANY);
const stored = new Map<string, Uint8Array>();
const range = CompactRange.empty();
for (const leaf of leaves) {
  range.append(leaf, ({ level, index }, hash) => stored.set(`${level}/${index}`, hash));
}
const source = ({ level, index }: TreeNode): Uint8Array | undefined =>
  stored.get(`${level}/${index}`);
const rootOf = (size: number): Uint8Array => assembleRoot(rootPlan(size), source);
const leafOf = (index: number): Uint8Array => leaves[index] ?? new Uint8Array();

function inclusionOf(leafIndex: number, treeSize: number) {
  const proof = assembleProof(inclusionPlan({ leafIndex, treeSize }), source);
  return { leafIndex, treeSize, root: rootOf(treeSize), leafHash: leafOf(leafIndex), proof };
}

function consistencyOf(size1: number, size2: number) {
  const proof = assembleProof(consistencyPlan({ size1, size2 }), source);
  return { size1, size2, root1: rootOf(size1), root2: rootOf(size2), proof };
}

/** Every way to touch a list of hashes a little. */
function touched(proof: readonly Uint8Array[], at: number, bit: number): Uint8Array[][] {
  const place = proof.length === 0 ? 0 : at % proof.length;
  const some = proof[place] ?? new Uint8Array(32);
  return [
    [...proof, some],
    [some, ...proof],
    ...(proof.length === 0
      ? []
      : [proof.toSpliced(place, 1), proof.with(place, flipped(some, bit)), proof.slice(0, -1)]),
    ...(proof.length > 1 && hex(proof[0] ?? some) !== hex(proof.at(-1) ?? some)
      ? [proof.toReversed()]
      : []),
  ];
}

describe('proofs', () => {
  it('of every leaf in every tree up to 300 verify', () => {
    for (let treeSize = 1; treeSize <= 300; treeSize++) {
      for (let leafIndex = 0; leafIndex < treeSize; leafIndex++) {
        const claim = inclusionOf(leafIndex, treeSize);
        if (!verifyInclusion(claim)) expect.fail(`${leafIndex} of ${treeSize}`);
        const flip = flipped(claim.leafHash, (leafIndex * 7) % 256);
        if (verifyInclusion({ ...claim, leafHash: flip })) expect.fail(`flip in ${leafIndex}`);
      }
    }
  });

  it('of inclusion verify only untouched', () => {
    const place = fc
      .integer({ min: 1, max: MANY })
      .chain((size) => fc.tuple(fc.nat(size - 1), fc.constant(size)));
    fc.assert(
      fc.property(place, fc.nat(60), fc.nat(255), ([leafIndex, treeSize], at, bit) => {
        const claim = inclusionOf(leafIndex, treeSize);
        expect(verifyInclusion(claim)).toBe(true);
        for (const proof of touched(claim.proof, at, bit)) {
          expect(verifyInclusion({ ...claim, proof })).toBe(false);
        }
        expect(verifyInclusion({ ...claim, root: flipped(claim.root, bit) })).toBe(false);
        expect(verifyInclusion({ ...claim, leafHash: flipped(claim.leafHash, bit) })).toBe(false);
        expect(verifyInclusion({ ...claim, leafIndex: leafIndex + 1 })).toBe(false);
        expect(verifyInclusion({ ...claim, leafIndex: leafIndex - 1 })).toBe(false);
        const neighbour = leafIndex ^ 1;
        expect(verifyInclusion({ ...claim, leafIndex: neighbour })).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('of consistency verify only untouched', () => {
    const sizes = fc
      .integer({ min: 2, max: MANY })
      .chain((size2) => fc.tuple(fc.integer({ min: 1, max: size2 - 1 }), fc.constant(size2)));
    fc.assert(
      fc.property(sizes, fc.nat(60), fc.nat(255), ([size1, size2], at, bit) => {
        const claim = consistencyOf(size1, size2);
        expect(verifyConsistency(claim)).toBe(true);
        for (const proof of touched(claim.proof, at, bit)) {
          expect(verifyConsistency({ ...claim, proof })).toBe(false);
        }
        expect(verifyConsistency({ ...claim, root1: flipped(claim.root1, bit) })).toBe(false);
        expect(verifyConsistency({ ...claim, root2: flipped(claim.root2, bit) })).toBe(false);
        expect(verifyConsistency({ ...claim, size1: size2, size2: size1 })).toBe(false);
        expect(verifyConsistency({ ...claim, root1: claim.root2, root2: claim.root1 })).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('for one of a million entries need some twenty hashes', () => {
    const treeSize = 1_000_000;
    for (const leafIndex of [0, 1, 524_287, 524_288, 999_423, 999_424, 999_999]) {
      const plan = inclusionPlan({ leafIndex, treeSize });
      expect(plan.length).toBeLessThanOrEqual(20);
      expect(plan.flat().length).toBeLessThanOrEqual(27);
    }
  });

  it('work for sizes beyond 2^32 and up to 2^53−1', () => {
    for (const treeSize of [2 ** 32 + 5, 2 ** 40 + 3, Number.MAX_SAFE_INTEGER]) {
      // No such tree exists; made-up hashes of its subtrees do, and an odd size makes the last leaf one of them.
      const madeUp = ({ level, index }: TreeNode): Uint8Array =>
        ledger.leafHash(Buffer.from(`${level}/${index}`));
      const root = assembleRoot(rootPlan(treeSize), madeUp);
      const last = treeSize - 1;
      const proof = assembleProof(inclusionPlan({ leafIndex: last, treeSize }), madeUp);
      const leafHash = madeUp({ level: 0, index: last });
      const claim = { leafIndex: last, treeSize, root, leafHash, proof };
      expect(verifyInclusion(claim)).toBe(true);
      expect(verifyInclusion({ ...claim, leafIndex: last - 2 ** 32 })).toBe(false);
    }
  });
});
