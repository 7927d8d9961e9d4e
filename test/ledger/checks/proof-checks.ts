import assert from 'node:assert/strict';
import {
  type Check,
  fromHex,
  hex,
  type Ledger,
  numberedLeaves,
  unbase64,
  vectorText,
} from '../support.ts';

interface InclusionCase {
  readonly leafIdx: number;
  readonly treeSize: number;
  readonly root: string;
  readonly leafHash: string;
  readonly proof: readonly string[] | null;
  readonly desc: string;
  readonly wantErr: boolean;
}
interface ConsistencyCase {
  readonly size1: number;
  readonly size2: number;
  readonly root1: string;
  readonly root2: string;
  readonly proof: readonly string[] | null;
  readonly desc: string;
  readonly wantErr: boolean;
}
interface Trees {
  readonly roots: Readonly<Record<string, string>>;
  readonly inclusion: readonly { index: number; size: number; proof: readonly string[] }[];
  readonly consistency: readonly { from: number; to: number; proof: readonly string[] }[];
  readonly ct_reference: { leaves_hex: readonly string[]; roots: readonly string[] };
}

/** Every way a claim can be of the wrong kind. */
const NOT_HASHES = [undefined, null, 'x', 7, [], {}, new Uint8Array(31), new Uint8Array(33)];
const NOT_SIZES = [undefined, null, '1', -1, 0.5, Number.NaN, Infinity, 2 ** 53, 2 ** 64, 1n, {}];
const NOT_PROOFS = [
  undefined,
  null,
  'x',
  {},
  7,
  [undefined],
  [new Uint8Array(31)],
  Object.assign([], { length: 1 }),
];

function everyReplacement<T extends object>(
  good: T,
  wrong: Readonly<Record<string, unknown[]>>,
): T[] {
  return Object.entries(wrong).flatMap(([field, values]) =>
    values.map((value) => ({ ...good, [field]: value })),
  );
}

export const PROOF_CHECKS: readonly Check[] = [
  {
    name: 'published inclusion probes have their verdict',
    run: (ledger) => {
      const cases: readonly InclusionCase[] = JSON.parse(vectorText('merkle/inclusion.json'));
      assert.equal(cases.length, 68);
      for (const one of cases) {
        const verdict = ledger.verifyInclusion({
          leafIndex: one.leafIdx,
          treeSize: one.treeSize,
          root: unbase64(one.root),
          leafHash: unbase64(one.leafHash),
          proof: (one.proof ?? []).map(unbase64),
        });
        assert.equal(verdict, !one.wantErr, one.desc);
      }
    },
  },
  {
    name: 'published consistency probes have their verdict',
    run: (ledger) => {
      const cases: readonly ConsistencyCase[] = JSON.parse(vectorText('merkle/consistency.json'));
      assert.equal(cases.length, 64);
      for (const { size1, size2, ...one } of cases) {
        const verdict = ledger.verifyConsistency({
          size1,
          size2,
          root1: unbase64(one.root1),
          root2: unbase64(one.root2),
          proof: (one.proof ?? []).map(unbase64),
        });
        assert.equal(verdict, !one.wantErr, `${one.desc} ${size1} ${size2}`);
      }
    },
  },
  {
    name: 'roots and proofs of numbered leaves are the published ones',
    run: (ledger) => {
      const trees: Trees = JSON.parse(vectorText('merkle/trees.json'));
      const leaves = numberedLeaves(ledger, Math.max(...Object.keys(trees.roots).map(Number)));
      for (const [size, root] of Object.entries(trees.roots)) {
        assert.equal(hex(ledger.rootHash(leaves.slice(0, Number(size)))), root, size);
      }
      for (const { index, size, proof } of trees.inclusion) {
        const built = ledger.inclusionProof(leaves.slice(0, size), index);
        assert.deepEqual(built.map(hex), proof, `${index} of ${size}`);
      }
      for (const { from, to, proof } of trees.consistency) {
        const built = ledger.consistencyProof(leaves, from, to);
        assert.deepEqual(built.map(hex), proof, `${from} to ${to}`);
      }
      const reference = trees.ct_reference.leaves_hex.map((leaf) => ledger.leafHash(fromHex(leaf)));
      for (const [size, root] of trees.ct_reference.roots.entries()) {
        assert.equal(hex(ledger.rootHash(reference.slice(0, size))), root);
      }
    },
  },
  {
    name: 'every proof of a small tree verifies, and for no other place',
    run: (ledger) => {
      const leaves = numberedLeaves(ledger, 40);
      for (let treeSize = 1; treeSize <= 40; treeSize++) {
        const tree = leaves.slice(0, treeSize);
        const root = ledger.rootHash(tree);
        for (const [leafIndex, leafHash] of tree.entries()) {
          const claim = {
            leafIndex,
            treeSize,
            root,
            leafHash,
            proof: ledger.inclusionProof(tree, leafIndex),
          };
          assert.ok(ledger.verifyInclusion(claim), `${leafIndex} of ${treeSize}`);
          for (let other = 0; other <= treeSize; other++) {
            const isHere = other === leafIndex;
            assert.equal(ledger.verifyInclusion({ ...claim, leafIndex: other }), isHere);
          }
        }
      }
    },
  },
  {
    name: 'every consistency proof of a small tree verifies, and for no other sizes',
    run: (ledger) => {
      const leaves = numberedLeaves(ledger, 64);
      const roots = Array.from({ length: 65 }, (_, size) => ledger.rootHash(leaves.slice(0, size)));
      const rootOf = (size: number): Uint8Array => roots[size] ?? new Uint8Array();
      for (let size2 = 1; size2 <= 64; size2++) {
        for (let size1 = 1; size1 <= size2; size1++) {
          const proof = ledger.consistencyProof(leaves, size1, size2);
          const claim = { size1, size2, root1: rootOf(size1), root2: rootOf(size2), proof };
          assert.ok(ledger.verifyConsistency(claim), `${size1} to ${size2}`);
          const swapped = { ...claim, root1: rootOf(size2), root2: rootOf(size1) };
          assert.equal(ledger.verifyConsistency(swapped), size1 === size2);
          const shorter = { ...claim, size1: size1 - 1, root1: rootOf(size1 - 1) };
          assert.equal(ledger.verifyConsistency(shorter), false);
          const longer = { ...claim, proof: [...proof, rootOf(size2)] };
          assert.equal(ledger.verifyConsistency(longer), false);
          assert.equal(ledger.verifyConsistency({ ...claim, root1: rootOf(0) }), false);
        }
      }
    },
  },
  {
    name: 'a claim of the wrong kind is false, not an exception',
    run: (ledger) => {
      const leaves = numberedLeaves(ledger, 6);
      const root = ledger.rootHash(leaves);
      const [leafHash = root] = leaves;
      const inclusion = {
        leafIndex: 0,
        treeSize: 6,
        root,
        leafHash,
        proof: ledger.inclusionProof(leaves, 0),
      };
      assert.ok(ledger.verifyInclusion(inclusion));
      const wrongInclusion = everyReplacement(inclusion, {
        leafIndex: [...NOT_SIZES, 6],
        treeSize: [...NOT_SIZES, 0],
        root: NOT_HASHES,
        leafHash: NOT_HASHES,
        proof: NOT_PROOFS,
      });
      for (const claim of wrongInclusion) assert.equal(ledger.verifyInclusion(claim), false);

      const root1 = ledger.rootHash(leaves.slice(0, 4));
      const consistency = {
        size1: 4,
        size2: 6,
        root1,
        root2: root,
        proof: ledger.consistencyProof(leaves, 4),
      };
      assert.ok(ledger.verifyConsistency(consistency));
      const wrongConsistency = everyReplacement(consistency, {
        size1: [...NOT_SIZES, 0, 7],
        size2: [...NOT_SIZES, 0, 3],
        root1: NOT_HASHES,
        root2: NOT_HASHES,
        proof: NOT_PROOFS,
      });
      for (const claim of wrongConsistency) assert.equal(ledger.verifyConsistency(claim), false);
      const empty = ledger.rootHash([]);
      const fromEmpty = { size1: 0, size2: 0, root1: empty, root2: empty, proof: [] };
      assert.equal(ledger.verifyConsistency(fromEmpty), false);
      for (const nothing of [undefined, null, 3, 'x']) {
        // What a caller without a type checker may hand in.
        assert.equal(ledger.verifyInclusion(nothing as unknown as typeof inclusion), false);
        assert.equal(ledger.verifyConsistency(nothing as unknown as typeof consistency), false);
      }
    },
  },
  {
    name: 'a proof from stored subtrees is the proof from all leaves',
    run: (ledger) => {
      const leaves = numberedLeaves(ledger, 300);
      const { stored, range } = storedTree(ledger, leaves);
      const source = (node: { level: number; index: number }): Uint8Array | undefined =>
        stored.get(`${node.level}/${node.index}`);
      assert.equal(stored.size, 300 + 150 + 75 + 37 + 18 + 9 + 4 + 2 + 1);
      assert.deepEqual(ledger.assembleRoot(ledger.rootPlan(300), source), range.root());
      for (let leafIndex = 0; leafIndex < 300; leafIndex += 7) {
        const plan = ledger.inclusionPlan({ leafIndex, treeSize: 300 });
        assert.ok(ledger.nodesOf(plan).length <= 18);
        assert.deepEqual(
          ledger.assembleProof(plan, source),
          ledger.inclusionProof(leaves, leafIndex),
        );
        const sizes = { size1: leafIndex + 1, size2: 300 };
        const proof = ledger.assembleProof(ledger.consistencyPlan(sizes), source);
        assert.deepEqual(proof, ledger.consistencyProof(leaves, sizes.size1));
      }
      const broken = ledger.inclusionPlan({ leafIndex: 0, treeSize: 300 });
      assert.throws(() => ledger.assembleProof(broken, () => undefined), /Rebuild the tree/);
    },
  },
  {
    name: 'impossible places and sizes are refused when building a proof',
    run: (ledger) => {
      const leaves = numberedLeaves(ledger, 5);
      for (const index of [-1, 5, 0.5, Number.NaN, 2 ** 53]) {
        assert.throws(() => ledger.inclusionProof(leaves, index), { code: 'BROKEN_INVARIANT' });
      }
      for (const [size1, size2] of [
        [-1, 5],
        [4, 3],
        [1, 6],
        [0.5, 5],
        [1, Number.NaN],
      ] as const) {
        assert.throws(() => ledger.consistencyProof(leaves, size1, size2), {
          code: 'BROKEN_INVARIANT',
        });
      }
      assert.deepEqual(ledger.consistencyProof(leaves, 0, 5), []);
    },
  },
];

function storedTree(ledger: Ledger, leaves: readonly Uint8Array[]) {
  const stored = new Map<string, Uint8Array>();
  const range = ledger.CompactRange.empty();
  for (const leaf of leaves) {
    range.append(leaf, (node, hash) => stored.set(`${node.level}/${node.index}`, hash));
  }
  return { stored, range };
}
