import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type Check, hex, type Ledger, numberedLeaves, signedLog, vectorText } from '../support.ts';
import type { ReferenceLog } from './checkpoint-checks.ts';

interface Tiles {
  readonly size: number;
  readonly root_hex: string;
  readonly tile_count: number;
  readonly all_paths_sha256: string;
  readonly tile_sha256_sample: Readonly<Record<string, string>>;
}
interface Bundle {
  readonly path: string;
  readonly sha256_hex: string;
  readonly length: number;
  readonly tile0_path: string;
  readonly tile0_sha256_hex: string;
}

const sha256 = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex');
const malformed = { code: 'INPUT_MALFORMED' };

function filesOf(ledger: Ledger, entries: readonly Uint8Array[]): Map<string, Uint8Array> {
  const builder = new ledger.TileBuilder();
  const files = entries.flatMap((entry) => builder.append(entry));
  return new Map([...files, ...builder.finish()].map(({ path, bytes }) => [path, bytes]));
}

export const TILE_CHECKS: readonly Check[] = [
  {
    name: 'the tiles of 70,000 leaves are the published ones, and prove any of them',
    run: (ledger) => {
      const tiles: Tiles = JSON.parse(vectorText('tlog/tiles-70000.json'));
      const builder = new ledger.TileBuilder();
      const files = new Map<string, Uint8Array>();
      const leaves = numberedLeaves(ledger, tiles.size);
      for (const leaf of leaves) {
        for (const { path, bytes } of builder.appendLeaf(leaf)) files.set(path, bytes);
      }
      for (const { path, bytes } of builder.finish()) files.set(path, bytes);
      assert.equal(hex(builder.root()), tiles.root_hex);
      const names = [...ledger.tilesOfTree(tiles.size)];
      const paths = names.map((name) => ledger.tilePath(name));
      assert.equal(sha256(paths.join('\n')), tiles.all_paths_sha256);
      assert.equal(files.size, tiles.tile_count);
      assert.deepEqual([...files.keys()].sort(), [...paths].sort());
      for (const [path, hash] of Object.entries(tiles.tile_sha256_sample)) {
        assert.equal(sha256(files.get(path) ?? ''), hash, path);
      }
      for (const [index, path] of paths.entries()) {
        assert.deepEqual(ledger.parseTilePath(path), names[index]);
      }
      proveFromTiles(ledger, files, leaves, builder.root());
    },
  },
  {
    name: 'the reference bundle and its tile come out byte by byte',
    run: (ledger) => {
      const bundle: Bundle = JSON.parse(vectorText('filewright/bundle-13.json'));
      const log: ReferenceLog = JSON.parse(vectorText('filewright/log-13.json'));
      const entries = log.entries.map(({ utf8 }) => Buffer.from(utf8));
      const files = filesOf(ledger, entries);
      const bytes = files.get(bundle.path) ?? new Uint8Array();
      assert.deepEqual([...files.keys()].sort(), [bundle.path, bundle.tile0_path].sort());
      assert.deepEqual([bytes.length, sha256(bytes)], [bundle.length, bundle.sha256_hex]);
      assert.equal(sha256(files.get(bundle.tile0_path) ?? ''), bundle.tile0_sha256_hex);
      assert.deepEqual(ledger.decodeBundle(bytes, 13).map(hex), entries.map(hex));
    },
  },
  {
    name: 'the tiles of another implementation come out byte by byte',
    run: (ledger) => {
      const log: Readonly<Record<string, unknown>> = JSON.parse(
        vectorText('tlog/tessera-testlog.json'),
      );
      // The vector's shape is fixed.
      const entries = (log['entries_utf8'] as string[]).map((entry) => Buffer.from(entry));
      const files = filesOf(ledger, entries);
      assert.equal(
        hex(files.get('tile/entries/000.p/15') ?? entries[0] ?? Buffer.alloc(0)),
        log['entry_bundle_000.p_15_hex'],
      );
      assert.equal(
        hex(files.get('tile/0/000.p/15') ?? Buffer.alloc(0)),
        log['tile_0_000.p_15_hex'],
      );
    },
  },
  {
    name: 'tile paths have one spelling',
    run: (ledger) => {
      const spellings: Readonly<Record<string, Parameters<Ledger['tilePath']>[0]>> = {
        'tile/0/000': { level: 0, index: 0, width: 256 },
        'tile/0/999': { level: 0, index: 999, width: 256 },
        'tile/0/x001/000': { level: 0, index: 1000, width: 256 },
        'tile/63/x001/x234/067': { level: 63, index: 1_234_067, width: 256 },
        'tile/1/x001/x234/067.p/1': { level: 1, index: 1_234_067, width: 1 },
        'tile/entries/x012/345.p/255': { level: 'entries', index: 12_345, width: 255 },
      };
      for (const [path, name] of Object.entries(spellings)) {
        assert.equal(ledger.tilePath(name), path);
        assert.deepEqual(ledger.parseTilePath(path), name);
      }
      const wrong = [
        '',
        'tile/0',
        'tile/0/0',
        'tile/0/1000',
        'tile/00/000',
        'tile/64/000',
        'tile/-1/000',
        'tile/0/x000/000',
        'tile/0/x001',
        'tile/0/001/000',
        'tile/0/000.p/0',
        'tile/0/000.p/256',
        'tile/0/000.p/01',
        'tile/0/000.p/300',
        'tile/0/000.p',
        'tile/0/000/',
        '/tile/0/000',
        'tile/data/000',
        'tile/0/../000',
        'tile/0/000\n',
        'tile/0/x999/x999/x999/x999/x999/x999/999',
      ];
      for (const path of wrong) assert.equal(ledger.parseTilePath(path), undefined, path);
      for (const name of [
        { level: 64, index: 0, width: 1 },
        { level: 0, index: -1, width: 1 },
        { level: 0, index: 0, width: 0 },
        { level: 0, index: 0, width: 257 },
        { level: 0.5, index: 0, width: 1 },
      ]) {
        assert.throws(() => ledger.tilePath(name));
      }
    },
  },
  {
    name: 'a tile or bundle that is cut or too long is refused',
    run: (ledger) => {
      const { entries, leaves } = signedLog(ledger, 5);
      const bundle = Buffer.from(ledger.encodeBundle(entries));
      assert.deepEqual(ledger.decodeBundle(bundle, 5).map(hex), entries.map(hex));
      for (const width of [0, 4, 6]) {
        assert.throws(() => ledger.decodeBundle(bundle, width), malformed);
      }
      for (const cut of [1, 2, 100]) {
        assert.throws(
          () => ledger.decodeBundle(bundle.subarray(0, bundle.length - cut), 5),
          malformed,
        );
      }
      assert.throws(
        () => ledger.decodeBundle(Buffer.concat([bundle, Uint8Array.of(0)]), 5),
        malformed,
      );
      const largest = new Uint8Array(65_535);
      assert.equal(
        ledger.decodeBundle(ledger.encodeBundle([largest, new Uint8Array()]), 2)[0]?.length,
        65_535,
      );
      assert.throws(() => ledger.encodeBundle([new Uint8Array(65_536)]));
      const tile = Buffer.concat(leaves);
      assert.deepEqual(ledger.decodeTile(tile, 5).map(hex), leaves.map(hex));
      for (const width of [4, 6]) assert.throws(() => ledger.decodeTile(tile, width), malformed);
    },
  },
  {
    name: 'full tiles appear when they are full, partial ones for any size',
    run: (ledger) => {
      const builder = new ledger.TileBuilder();
      const leaves = numberedLeaves(ledger, 600);
      for (const [index, leaf] of leaves.entries()) {
        const full = builder.appendLeaf(leaf).map(({ path }) => path);
        const due = index === 255 ? ['tile/0/000'] : index === 511 ? ['tile/0/001'] : [];
        assert.deepEqual(full, due);
        const size = index + 1;
        const expected = [...ledger.tilesOfTree(size)].filter(({ width }) => width < 256);
        const partial = builder.finish();
        assert.deepEqual(
          partial.map(({ path }) => path),
          expected.map((name) => ledger.tilePath(name)),
        );
        assert.ok(partial.every(({ bytes, width }) => bytes.length === width * 32));
      }
      assert.throws(() => builder.append(new Uint8Array()), /not both/);
    },
  },
];

function proveFromTiles(
  ledger: Ledger,
  files: ReadonlyMap<string, Uint8Array>,
  leaves: readonly Uint8Array[],
  root: Uint8Array,
): void {
  const treeSize = leaves.length;
  for (const leafIndex of [0, 255, 256, 65_535, 65_536, 69_887, 69_888, 69_999]) {
    const plan = ledger.inclusionPlan({ leafIndex, treeSize });
    const needed = ledger.tilesOfPlan(plan, treeSize).map((name) => ledger.tilePath(name));
    assert.ok(needed.length <= 6 && needed.every((path) => files.has(path)), needed.join(' '));
    const source = ledger.tileSource(treeSize, (path) =>
      needed.includes(path) ? files.get(path) : undefined,
    );
    const proof = ledger.assembleProof(plan, source);
    const leafHash = leaves[leafIndex] ?? root;
    assert.ok(
      ledger.verifyInclusion({ leafIndex, treeSize, root, leafHash, proof }),
      String(leafIndex),
    );
  }
}
