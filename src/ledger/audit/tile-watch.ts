/**
 * The stored tiles of a log against its entries: every subtree that a verifier completes is compared with the row that
 * should hold it. The hashes are those of the one pass; only the stored rows are read in addition.
 */
import { TILE_WIDTH } from '../tile.ts';
import type { TreeNode } from '../proof-plan.ts';
import { type LogName, storedTiles } from '../store/tree-store.ts';
import type { Run } from '../../postgres/index.ts';

/** A quarter of a megabyte of stored rows at a time. */
const TILES_AT_ONCE = 32;
const LEVELS_PER_TILE = 8;

interface MadeTile {
  readonly level: number;
  readonly n: number;
  readonly root: Uint8Array;
  readonly bytes: Uint8Array;
}

interface TileFault {
  readonly reason: 'TILE_MISSING' | 'TILE_MISMATCH';
  readonly message: string;
}

export class TileWatch {
  readonly #run: Run;
  readonly #log: LogName;
  /** The hashes on each level of tiles that do not fill one yet. */
  readonly #rows: Uint8Array[][] = [];
  #made: MadeTile[] = [];
  #fault: TileFault | undefined;

  constructor(run: Run, log: LogName) {
    this.#run = run;
    this.#log = log;
  }

  get fault(): TileFault | undefined {
    return this.#fault;
  }

  /** Whether `compare` has something to do now. */
  get isDue(): boolean {
    return this.#made.length >= TILES_AT_ONCE;
  }

  /** To be given to a `LogVerifier`. Every eighth level of the tree is a level of tiles. */
  completed({ level, index }: TreeNode, hash: Uint8Array): void {
    if (level % LEVELS_PER_TILE !== 0) return;
    const place = level / LEVELS_PER_TILE;
    if (place > 0) {
      const row = this.#rows[place - 1] ?? [];
      this.#rows[place - 1] = [];
      this.#made.push({ level: place - 1, n: index, root: hash, bytes: Buffer.concat(row) });
    }
    (this.#rows[place] ??= []).push(hash);
  }

  async compare(): Promise<void> {
    const made = this.#made;
    this.#made = [];
    if (made.length === 0 || this.#fault !== undefined) return;
    const stored = await storedTiles(this.#run, this.#log, made);
    for (const [place, { level, n, root, bytes }] of made.entries()) {
      const found = stored[place];
      const name = `tile ${level}/${n} (${TILE_WIDTH} hashes)`;
      if (found === undefined) {
        const message = `Expected the stored ${name}; it is missing.`;
        this.#fault ??= { reason: 'TILE_MISSING', message };
      } else if (
        Buffer.compare(found.root, root) !== 0 ||
        Buffer.compare(found.bytes, bytes) !== 0
      ) {
        const message = `Expected the stored ${name} to hold the hashes of the entries; it does not.`;
        this.#fault ??= { reason: 'TILE_MISMATCH', message };
      }
    }
  }
}
