/** Tree heads of one log in the order of their sizes, at forty bytes each: a busy log has one for each second. */
import { HASH_BYTES } from './hashes.ts';
import type { TreeHead } from './checkpoint.ts';

const ROW_BYTES = 8 + HASH_BYTES;
/** Forty kilobytes at a time. */
const ROWS_PER_CHUNK = 1_024;

export class HeadTable implements Iterable<TreeHead> {
  readonly #chunks: Buffer[] = [];
  #count = 0;
  #last = 0;

  /** The largest size; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  /** False when it does not come after all the others: a log never shrinks, so whoever says so is wrong. */
  add(size: number, rootHex: string): boolean {
    if (!Number.isSafeInteger(size) || size <= this.#last) return false;
    const place = this.#count % ROWS_PER_CHUNK;
    if (place === 0) this.#chunks.push(Buffer.alloc(ROWS_PER_CHUNK * ROW_BYTES));
    const chunk = this.#chunks.at(-1);
    if (chunk === undefined) return false;
    chunk.writeBigUInt64BE(BigInt(size), place * ROW_BYTES);
    if (chunk.write(rootHex, place * ROW_BYTES + 8, 'hex') !== HASH_BYTES) return false;
    this.#count += 1;
    this.#last = size;
    return true;
  }

  *[Symbol.iterator](): Generator<TreeHead> {
    for (let n = 0; n < this.#count; n += 1) {
      const chunk = this.#chunks[Math.floor(n / ROWS_PER_CHUNK)];
      const at = (n % ROWS_PER_CHUNK) * ROW_BYTES;
      if (chunk === undefined) return;
      const root = chunk.subarray(at + 8, at + ROW_BYTES);
      yield { size: Number(chunk.readBigUInt64BE(at)), root };
    }
  }
}
