/** C2SP tlog-tiles: names and contents of the files a log is exported as, and proofs from them. */
import { badInput, type FilewrightError, invariant } from '../core/index.ts';
import { ENTRY_BYTES_MAX } from './entry.ts';
import { HASH_BYTES } from './hashes.ts';
import { nodesOf, type ProofPlan, type ProofSource, type TreeNode } from './proof-plan.ts';
import { rootHash } from './tree.ts';

/** Hashes in a full tile, entries in a full bundle. */
export const TILE_WIDTH = 256;
// log2 of the width: how many levels of the tree one level of tiles stands for.
const TILE_HEIGHT = 8;
const LEVEL_MAX = 63;
const LENGTH_BYTES = 2;

/** `level` is a tile level, or `entries` for a bundle; a width below 256 makes it partial. */
export interface TileName {
  readonly level: number | 'entries';
  readonly index: number;
  readonly width: number;
}

/** The path below the export's root: `tile/<L>/<N>[.p/<W>]`. */
export function tilePath({ level, index, width }: TileName): string {
  invariant(
    level === 'entries' || (Number.isInteger(level) && level >= 0 && level <= LEVEL_MAX),
    `Expected a tile level from 0 to ${LEVEL_MAX}, found ${level}.`,
  );
  invariant(
    Number.isSafeInteger(index) && index >= 0,
    `Expected a tile index from 0 to 2^53−1, found ${index}.`,
  );
  invariant(
    Number.isInteger(width) && width >= 1 && width <= TILE_WIDTH,
    `Expected a tile width from 1 to ${TILE_WIDTH}, found ${width}.`,
  );
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0');
  const groups = padded.replaceAll(/[0-9]{3}(?=[0-9])/g, 'x$&/');
  return `tile/${level}/${groups}${width < TILE_WIDTH ? `.p/${width}` : ''}`;
}

const PATH =
  /^tile\/(entries|0|[1-9][0-9]?)\/((?:x[0-9]{3}\/)*[0-9]{3})(?:\.p\/([1-9][0-9]{0,2}))?$/;

/** Reads a path; undefined when no tile is written exactly so. */
export function parseTilePath(path: string): TileName | undefined {
  const [, level, groups, width] = PATH.exec(path) ?? [];
  if (level === undefined || groups === undefined) return undefined;
  const name: TileName = {
    level: level === 'entries' ? level : Number(level),
    index: Number(groups.replaceAll(/[x/]/g, '')),
    width: width === undefined ? TILE_WIDTH : Number(width),
  };
  const isPossible =
    (name.level === 'entries' || name.level <= LEVEL_MAX) &&
    Number.isSafeInteger(name.index) &&
    name.width <= TILE_WIDTH;
  // Writing it again finds needless groups of zeros and a full tile with a `.p`.
  return isPossible && tilePath(name) === path ? name : undefined;
}

/** Every hash tile of a tree, level by level; without the entry bundles, which are those of level 0 again. */
export function* tilesOfTree(treeSize: number): Generator<TileName> {
  invariant(
    Number.isSafeInteger(treeSize) && treeSize >= 0,
    `Expected a tree size from 0 to 2^53−1, found ${treeSize}.`,
  );
  let hashes = treeSize;
  for (let level = 0; hashes > 0; level++) {
    const full = Math.floor(hashes / TILE_WIDTH);
    for (let index = 0; index < full; index++) yield { level, index, width: TILE_WIDTH };
    if (hashes % TILE_WIDTH > 0) yield { level, index: full, width: hashes % TILE_WIDTH };
    hashes = full;
  }
}

/** Entries as a bundle: each behind its length as two big-endian bytes. */
export function encodeBundle(entries: readonly Uint8Array[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const entry of entries) {
    invariant(
      entry.length <= ENTRY_BYTES_MAX,
      `Expected an entry of at most ${ENTRY_BYTES_MAX} bytes, found ${entry.length}.`,
    );
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt16BE(entry.length);
    parts.push(length, entry);
  }
  return Buffer.concat(parts);
}

/** The entries of a bundle; throws `INPUT_MALFORMED` unless it holds exactly `width` of them. */
export function decodeBundle(bundle: Uint8Array, width: number): Uint8Array[] {
  const bytes = Buffer.from(bundle.buffer, bundle.byteOffset, bundle.byteLength);
  const entries: Uint8Array[] = [];
  let at = 0;
  while (at < bytes.length) {
    const start = at + LENGTH_BYTES;
    const end = start <= bytes.length ? start + bytes.readUInt16BE(at) : start;
    if (end > bytes.length || entries.length === width) throw badTile(`${width} whole entries`);
    entries.push(bytes.subarray(start, end));
    at = end;
  }
  if (entries.length !== width) throw badTile(`${width} whole entries`);
  return entries;
}

/** The hashes of a tile; throws `INPUT_MALFORMED` unless it holds exactly `width` of them. */
export function decodeTile(tile: Uint8Array, width: number): Uint8Array[] {
  return hashesOf(tile, width, { first: 0, count: width });
}

/** Neighbouring hashes of one tile level; their root is that of a subtree. */
export interface HashRow {
  /** Tile level: its hashes stand for 256^level leaves each. */
  readonly level: number;
  readonly first: number;
  readonly count: number;
}

/** The stored hashes that a subtree's hash is computed from, when only every eighth level is stored. */
export function hashRow({ level, index }: TreeNode): HashRow {
  const count = 2 ** (level % TILE_HEIGHT);
  return { level: Math.floor(level / TILE_HEIGHT), first: index * count, count };
}

/** The tiles a plan needs in a tree of that size, each once. */
export function tilesOfPlan(plan: ProofPlan, treeSize: number): readonly TileName[] {
  const tiles = new Map<string, TileName>();
  for (const node of nodesOf(plan)) {
    const tile = tileOf(hashRow(node), treeSize);
    tiles.set(tilePath(tile), tile);
  }
  return [...tiles.values()];
}

/** A source that computes subtrees from tiles; `read` gives a tile's bytes by its path. */
export function tileSource(
  treeSize: number,
  read: (path: string) => Uint8Array | undefined,
): ProofSource {
  return (node) => {
    const row = hashRow(node);
    const tile = tileOf(row, treeSize);
    const bytes = read(tilePath(tile));
    if (bytes === undefined) return undefined;
    const offset = row.first - tile.index * TILE_WIDTH;
    return rootHash(hashesOf(bytes, tile.width, { first: offset, count: row.count }));
  };
}

function hashesOf(
  tile: Uint8Array,
  width: number,
  part: { readonly first: number; readonly count: number },
): Uint8Array[] {
  if (tile.length !== width * HASH_BYTES) throw badTile(`${width} hashes`);
  return Array.from({ length: part.count }, (_, index) => {
    const at = (part.first + index) * HASH_BYTES;
    return tile.subarray(at, at + HASH_BYTES);
  });
}

function tileOf({ level, first }: HashRow, treeSize: number): TileName {
  const index = Math.floor(first / TILE_WIDTH);
  const hashes = Math.floor(treeSize / TILE_WIDTH ** level);
  return { level, index, width: Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH) };
}

function badTile(expected: string): FilewrightError {
  return badInput(
    `Expected a tile of exactly ${expected}; it holds something else. Fetch it again.`,
  );
}
