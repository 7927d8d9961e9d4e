/** The tree over the entries of an export, against the earlier heads and the hash tiles that lie beside them. */
import { join } from 'node:path';
import type { Checkpoint, TreeHead } from '../checkpoint.ts';
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
  /** What the spine says of this log, from the smallest size on. */
  readonly #spine: Iterator<TreeHead>;
  #named: TreeHead | undefined;
  #tileFailure: Failure | undefined;
  #spineFailure: Failure | undefined;

  constructor(folder: string, pins: readonly Pin[], spine: Iterable<TreeHead>) {
    this.#folder = folder;
    this.#spine = spine[Symbol.iterator]();
    this.#nextNamed();
    this.#pins = pins;
    this.#sizes = new Set(pins.map(({ size }) => size));
    this.#comparePins();
  }

  /** Hash tiles that this entry completes, to be given to `compareTiles`. */
  push(entry: Uint8Array): readonly TileFile[] {
    const tiles = this.#builder.append(entry);
    if (this.#sizes.has(this.#builder.size)) this.#comparePins();
    if (this.#builder.size === this.#named?.size) this.#compareSpine(this.#named);
    return tiles;
  }

  #nextNamed(): void {
    const { value, done } = this.#spine.next();
    this.#named = done === true ? undefined : value;
  }

  #compareSpine({ size, root }: TreeHead): void {
    this.#nextNamed();
    if (Buffer.compare(root, this.#builder.root()) === 0) return;
    this.#spineFailure ??= new Failure(
      'SPINE_MISMATCH',
      `${this.#folder}: the first ${size} entries do not have the root that the spine names`,
    );
  }

  /** After the last entry: what the spine names beyond it is a rollback. */
  get spineFailure(): Failure | undefined {
    if (this.#spineFailure !== undefined || this.#named === undefined) return this.#spineFailure;
    const { size } = this.#named;
    return new Failure(
      'ROLLBACK',
      `${this.#folder}: the spine names a head of size ${size}, the log has ${this.#builder.size} entries`,
    );
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
