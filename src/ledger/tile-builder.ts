/** Makes the tiles of a log while its entries pass by, in memory that does not grow with the log. */
import { invariant } from '../core/index.ts';
import { CompactRange } from './compact-range.ts';
import { HASH_BYTES, leafHash } from './hashes.ts';
import { encodeBundle, TILE_WIDTH, type TileName, tilePath } from './tile.ts';
import { rootHash } from './tree.ts';

export interface TileFile extends TileName {
  readonly path: string;
  readonly bytes: Uint8Array;
}

const NOTHING: readonly TileFile[] = [];

/**
 * Append in order, write what each call returns, then write what `finish` returns. At most 255 hashes wait on each
 * of seven levels and 255 entries in a bundle, so 17 MB at the very worst.
 */
export class TileBuilder {
  readonly #range = CompactRange.empty();
  // The hashes on each level that do not fill a tile yet.
  readonly #rows: Uint8Array[][] = [];
  #bundle: Uint8Array[] = [];
  #kind: 'entries' | 'leaves' | undefined;

  get size(): number {
    return this.#range.size;
  }

  /** The root over everything appended so far. */
  root(): Uint8Array {
    return this.#range.root();
  }

  /** Takes the next entry; returns the tiles and the bundle it completes. */
  append(entry: Uint8Array): readonly TileFile[] {
    this.#require('entries');
    const full = this.#push(leafHash(entry));
    this.#bundle.push(entry);
    if (this.#bundle.length < TILE_WIDTH) return full;
    const bundle = bundleFile(this.size, this.#bundle);
    this.#bundle = [];
    return [bundle, ...full];
  }

  /** Takes the next leaf hash, for an export without entries; returns the tiles it completes. */
  appendLeaf(leaf: Uint8Array): readonly TileFile[] {
    this.#require('leaves');
    return this.#push(leaf);
  }

  /** The partial tiles and the partial bundle of the log as it stands; appending may go on afterwards. */
  finish(): readonly TileFile[] {
    const files: TileFile[] = [];
    if (this.#bundle.length > 0) files.push(bundleFile(this.size, this.#bundle));
    let hashes = this.size;
    for (const [level, row] of this.#rows.entries()) {
      if (row.length > 0) files.push(tileFile(level, hashes, row));
      hashes = Math.floor(hashes / TILE_WIDTH);
    }
    return files;
  }

  #push(leaf: Uint8Array): readonly TileFile[] {
    this.#range.append(leaf);
    let files = NOTHING;
    let hash = leaf;
    let hashes = this.size;
    for (let level = 0; ; level++) {
      const row = (this.#rows[level] ??= []);
      row.push(hash);
      if (row.length < TILE_WIDTH) return files;
      files = [...files, tileFile(level, hashes, row)];
      // Only a full tile has a hash on the level above.
      hash = rootHash(row);
      this.#rows[level] = [];
      hashes /= TILE_WIDTH;
    }
  }

  #require(kind: 'entries' | 'leaves'): void {
    this.#kind ??= kind;
    invariant(this.#kind === kind, 'Expected either entries or leaf hashes, not both.');
  }
}

/** Every file of an export but the checkpoint: full tiles as soon as they are full, partial ones at the end. */
export async function* tileFiles(
  entries: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<TileFile> {
  const builder = new TileBuilder();
  for await (const entry of entries) yield* builder.append(entry);
  yield* builder.finish();
}

function tileFile(level: number, hashes: number, row: readonly Uint8Array[]): TileFile {
  const bytes = Buffer.concat(row, row.length * HASH_BYTES);
  return fileOf({ level, index: Math.floor((hashes - 1) / TILE_WIDTH), width: row.length }, bytes);
}

function bundleFile(size: number, entries: readonly Uint8Array[]): TileFile {
  const index = Math.floor((size - 1) / TILE_WIDTH);
  return fileOf({ level: 'entries', index, width: entries.length }, encodeBundle(entries));
}

function fileOf(name: TileName, bytes: Uint8Array): TileFile {
  return { ...name, path: tilePath(name), bytes };
}
