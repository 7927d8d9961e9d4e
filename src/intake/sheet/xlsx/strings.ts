/** The texts that cells share, as bytes beside the heap: as strings, those of 100,000 rows would fill most of it. */
import { overLimit, RECORD_BYTES_MAX } from '../../../core/index.ts';
import { STRINGS_BYTES_MAX } from './limits.ts';
import { readMarkup } from './markup.ts';

const BYTES_MIN = 64 * 1024;

export class SharedStrings {
  #bytes = Buffer.alloc(BYTES_MIN);
  #used = 0;
  #ends = new Uint32Array(4096);
  #count = 0;

  add(text: string): void {
    const size = Buffer.byteLength(text, 'utf8');
    const end = this.#used + size;
    if (end > STRINGS_BYTES_MAX) {
      throw overLimit(
        `Expected at most ${STRINGS_BYTES_MAX} bytes of texts in the workbook, found more. Save the sheet as CSV.`,
      );
    }
    if (end > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(end, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.#used);
      this.#bytes = larger;
    }
    if (this.#count === this.#ends.length) {
      const more = new Uint32Array(this.#ends.length * 2);
      more.set(this.#ends);
      this.#ends = more;
    }
    this.#bytes.write(text, this.#used, 'utf8');
    this.#used = end;
    this.#ends[this.#count] = end;
    this.#count += 1;
  }

  /** Undefined where there is no such text. */
  at(index: number): string | undefined {
    if (!Number.isInteger(index) || index < 0 || index >= this.#count) return undefined;
    const start = index === 0 ? 0 : (this.#ends[index - 1] ?? 0);
    return this.#bytes.toString('utf8', start, this.#ends[index] ?? start);
  }
}

/** Rich text is the text of its runs; how a word is pronounced is no part of it. */
export async function readSharedStrings(source: AsyncIterable<Uint8Array>): Promise<SharedStrings> {
  const strings = new SharedStrings();
  let text = '';
  let isText = false;
  let isPhonetic = false;
  const parts = readMarkup(source, {
    open: (name) => {
      if (name === 'si') text = '';
      else if (name === 'rPh') isPhonetic = true;
      else if (name === 't') isText = !isPhonetic;
    },
    text: (piece) => {
      if (isText) text += piece;
      if (text.length > RECORD_BYTES_MAX) {
        throw overLimit(
          `Expected at most ${RECORD_BYTES_MAX} characters in a text of the workbook, found more. Save the sheet as CSV.`,
        );
      }
    },
    close: (name) => {
      if (name === 't') isText = false;
      else if (name === 'rPh') isPhonetic = false;
      else if (name === 'si') strings.add(text);
    },
  });
  for await (const _ of parts);
  return strings;
}
