/** Texts as bytes in large chunks, outside the heap: live texts are what the garbage collector walks again and again. */
import { Numbers } from './numbers.ts';

const CHUNK_BYTES = 1024 * 1024;
/** UTF-8 takes at most three bytes for each code unit of a text. */
const BYTES_PER_UNIT_MAX = 3;

export class PackedTexts {
  readonly #chunks: Buffer[] = [];
  #used = 0;
  readonly #chunkOf = new Numbers();
  readonly #startOf = new Numbers();
  readonly #endOf = new Numbers();

  get length(): number {
    return this.#endOf.length;
  }

  /** Halves of characters are lost; JSON writes them as escapes. */
  push(text: string): void {
    const needed = text.length * BYTES_PER_UNIT_MAX;
    let chunk = this.#chunks.at(-1);
    if (chunk === undefined || this.#used + needed > chunk.length) {
      // A text that is larger than a chunk has one of its own.
      chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, needed));
      this.#chunks.push(chunk);
      this.#used = 0;
    }
    this.#chunkOf.push(this.#chunks.length - 1);
    this.#startOf.push(this.#used);
    this.#used += chunk.write(text, this.#used, 'utf8');
    this.#endOf.push(this.#used);
  }

  at(place: number): string {
    const chunk = this.#chunks[this.#chunkOf.at(place)];
    if (chunk === undefined) throw new RangeError(`there is no text ${place}`);
    return chunk.toString('utf8', this.#startOf.at(place), this.#endOf.at(place));
  }
}
