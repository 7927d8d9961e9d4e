/** The tree over the entries of an export, against the earlier heads and the hash tiles that lie beside them. */
import { join } from 'node:path';
import type { Checkpoint } from '../checkpoint.ts';
import { TileBuilder, type TileFile } from '../tile-builder.ts';
import { Failure, readOptional } from './audit-offline-files.ts';

/** A head that was trusted earlier, and where it was read. */
export interface Pin extends Checkpoint {
  readonly path: string;
}

/** Takes the entries in their order; what is wrong is asked for at the end, because other failures rank before it. */
export class TreeWatch {
  readonly #folder: string;
  readonly #pins: readonly Pin[];
  readonly #sizes: ReadonlySet<number>;
  readonly #builder = new TileBuilder();
  readonly #wrong = new Set<Pin>();
  #tileFailure: Failure | undefined;

  constructor(folder: string, pins: readonly Pin[]) {
    this.#folder = folder;
    this.#pins = pins;
    this.#sizes = new Set(pins.map(({ size }) => size));
    this.#comparePins();
  }

  /** Hash tiles that this entry completes, to be given to `compareTiles`. */
  push(entry: Uint8Array): readonly TileFile[] {
    const tiles = this.#builder.append(entry);
    if (this.#sizes.has(this.#builder.size)) this.#comparePins();
    return tiles;
  }

  /** The tiles that are not full. */
  rest(): readonly TileFile[] {
    return this.#builder.finish();
  }

  /** A tile may be left out of an export; one that is there must hold the hashes of the entries. */
  async compareTiles(tiles: readonly TileFile[]): Promise<void> {
    for (const { level, path, bytes } of tiles) {
      if (level === 'entries') continue;
      const found = await readOptional(join(this.#folder, path));
      if (found === undefined || Buffer.compare(found, bytes) === 0) continue;
      this.#tileFailure ??= new Failure(
        'TILE_MISMATCH',
        `${path} does not hold the hashes of the entries`,
      );
    }
  }

  get pinFailure(): Failure | undefined {
    const first = this.#pins.find((pin) => this.#wrong.has(pin));
    if (first === undefined) return undefined;
    return new Failure(
      'INCONSISTENT_WITH_PINNED',
      `${first.path}: the first ${first.size} entries are not those that it was signed for`,
    );
  }

  get tileFailure(): Failure | undefined {
    return this.#tileFailure;
  }

  #comparePins(): void {
    const { size } = this.#builder;
    if (!this.#sizes.has(size)) return;
    const root = this.#builder.root();
    for (const pin of this.#pins) {
      if (pin.size === size && Buffer.compare(pin.root, root) !== 0) this.#wrong.add(pin);
    }
  }
}
