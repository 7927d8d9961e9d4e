import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CompactRange } from './compact-range.ts';
import { leafHash } from './hashes.ts';

const vectors = new URL('../../test/vectors/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, vectors), 'utf8');
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const numbered = (index: number): Uint8Array => leafHash(Buffer.from(`entry-${index}`));

function rangeOf(leaves: Iterable<Uint8Array>): CompactRange {
  const range = CompactRange.empty();
  for (const leaf of leaves) range.append(leaf);
  return range;
}

/** RFC 6962 § 2.1, word for word, and with a hash of its own. */
function naiveRoot(leaves: readonly Uint8Array[]): Uint8Array {
  const [first] = leaves;
  if (first === undefined) return createHash('sha256').digest();
  if (leaves.length === 1) return first;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return createHash('sha256')
    .update(Uint8Array.of(1))
    .update(naiveRoot(leaves.slice(0, split)))
    .update(naiveRoot(leaves.slice(split)))
    .digest();
}

describe('compact range', () => {
  it('gives the reference roots of Certificate Transparency', () => {
    const {
      ct_reference: reference,
    }: {
      ct_reference: { leaves_hex: string[]; roots: string[] };
    } = JSON.parse(read('merkle/trees.json'));
    const range = CompactRange.empty();
    expect(hex(range.root())).toBe(reference.roots[0]);
    for (const [index, leaf] of reference.leaves_hex.entries()) {
      range.append(leafHash(Buffer.from(leaf, 'hex')));
      expect(hex(range.root())).toBe(reference.roots[index + 1]);
    }
  });

  it('gives the roots of numbered leaves', () => {
    const { roots }: { roots: Record<string, string> } = JSON.parse(read('merkle/trees.json'));
    const range = CompactRange.empty();
    for (const [size, root] of Object.entries(roots)) {
      while (range.size < Number(size)) range.append(numbered(range.size));
      expect(hex(range.root()), size).toBe(root);
    }
  });

  it('gives every root of the reference log', () => {
    const log: { entries: { leaf_hash_hex: string }[]; roots_hex: Record<string, string> } =
      JSON.parse(read('filewright/log-13.json'));
    const range = CompactRange.empty();
    expect(hex(range.root())).toBe(log.roots_hex[0]);
    for (const { leaf_hash_hex: leaf } of log.entries) {
      range.append(Buffer.from(leaf, 'hex'));
      expect(hex(range.root())).toBe(log.roots_hex[range.size]);
    }
    expect(range.size).toBe(13);
  });

  it('gives the root of 70,000 leaves', () => {
    const { size, root_hex: root }: { size: number; root_hex: string } = JSON.parse(
      read('tlog/tiles-70000.json'),
    );
    const range = CompactRange.empty();
    while (range.size < size) range.append(numbered(range.size));
    expect(hex(range.root())).toBe(root);
  });

  it('has the naive RFC 6962 root at every size from 0 to 300', () => {
    const leaves: Uint8Array[] = [];
    const range = CompactRange.empty();
    for (let size = 0; size <= 300; size++) {
      expect(hex(range.root()), String(size)).toBe(hex(naiveRoot(leaves)));
      const leaf = numbered(size);
      leaves.push(leaf);
      range.append(leaf);
    }
  });

  it('goes on after storage as if it had never been stored', () => {
    fc.assert(
      fc.property(fc.nat(300), fc.nat(40), (before, after) => {
        const leaves = Array.from({ length: before + after }, (_, index) => numbered(index));
        const stored = rangeOf(leaves.slice(0, before)).toBytes();
        const range = CompactRange.fromBytes(stored);
        expect(range.size).toBe(before);
        expect(hex(range.toBytes())).toBe(hex(stored));
        for (const leaf of leaves.slice(before)) range.append(leaf);
        expect(hex(range.root())).toBe(hex(naiveRoot(leaves)));
      }),
    );
  });

  it('leaves the original alone when a copy grows', () => {
    const range = rangeOf([numbered(0), numbered(1), numbered(2)]);
    const root = hex(range.root());
    const copy = range.copy();
    copy.append(numbered(3));
    expect([range.size, hex(range.root())]).toEqual([3, root]);
    expect(copy.size).toBe(4);
  });

  it('reads and grows a tree of more than 2^32 leaves', () => {
    const stored = Buffer.alloc(8 + 33 * 32, 7);
    stored.writeBigUInt64BE(2n ** 33n - 1n);
    const range = CompactRange.fromBytes(stored);
    range.append(numbered(0));
    expect(range.size).toBe(2 ** 33);
    expect(range.toBytes()).toHaveLength(8 + 32);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a hash too few', Buffer.concat([sizeBytes(3n), Buffer.alloc(32)])],
    ['a hash too many', Buffer.concat([sizeBytes(4n), Buffer.alloc(64)])],
    ['half a hash', Buffer.concat([sizeBytes(1n), Buffer.alloc(31)])],
    ['a size beyond 2^53', Buffer.concat([sizeBytes(2n ** 60n), Buffer.alloc(32)])],
  ])('refuses a stored range with %s', (_name, bytes) => {
    expect(() => CompactRange.fromBytes(bytes)).toThrow('Expected');
  });

  it('refuses a leaf that is not a hash', () => {
    expect(() => CompactRange.empty().append(new Uint8Array(31))).toThrow('32 bytes');
  });
});

function sizeBytes(size: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(size);
  return bytes;
}
