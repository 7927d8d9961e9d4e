/**
 * A place for more lines than memory holds: kept in parts by a hash of their key, so that all lines about one row lie in
 * one part, and one part at a time fits. Below a bound nothing is written to disk.
 */
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A million filings with their attempts make some 30,000 lines in each part. */
const PARTS = 256;
/** Above this, lines go to disk. */
const HELD_BYTES_MAX = 24 * 1024 * 1024;

export class SplitLines {
  readonly #held: string[][] = Array.from({ length: PARTS }, () => []);
  readonly #heldBytesMax: number;
  #heldBytes = 0;
  #folder: string | undefined;

  constructor(heldBytesMax = HELD_BYTES_MAX) {
    this.#heldBytesMax = heldBytesMax;
  }

  async add(key: string, line: string): Promise<void> {
    this.#held[partOf(key)]?.push(line);
    // About what a text and its place in a list take.
    this.#heldBytes += line.length + 40;
    if (this.#heldBytes > this.#heldBytesMax) await this.#spill();
  }

  /** Lines about one key are in one part, in the order in which they were added. */
  async *parts(): AsyncGenerator<readonly string[]> {
    for (const [n, held] of this.#held.entries()) {
      const written =
        this.#folder === undefined ? '' : await readFile(this.#path(n), 'utf8').catch(() => '');
      const lines = written === '' ? [] : written.slice(0, -1).split('\n');
      yield [...lines, ...held];
      this.#held[n] = [];
    }
  }

  async close(): Promise<void> {
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }

  async #spill(): Promise<void> {
    // Readable by nobody else: mkdtemp makes it so.
    this.#folder ??= await mkdtemp(join(tmpdir(), 'filewright-rows-'));
    for (const [n, held] of this.#held.entries()) {
      if (held.length === 0) continue;
      const file = await open(this.#path(n), 'a', 0o600);
      try {
        await file.appendFile(`${held.join('\n')}\n`);
      } finally {
        await file.close();
      }
      this.#held[n] = [];
    }
    this.#heldBytes = 0;
  }

  #path(n: number): string {
    return join(this.#folder ?? '', String(n));
  }
}

/** FNV-1a: spreads well enough, and costs nothing beside the JSON around it. */
function partOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 8) % PARTS;
}
