/** Records as bytes, made into objects again when they are asked for. */
import type { JsonValue } from '../../../../core/index.ts';
import { PackedTexts } from './packed-texts.ts';

export class PackedRecords {
  readonly #texts = new PackedTexts();

  get length(): number {
    return this.#texts.length;
  }

  push(record: JsonValue): void {
    this.#texts.push(JSON.stringify(record));
  }

  at(place: number): JsonValue {
    // Written by `push`, and nobody else has the bytes.
    return JSON.parse(this.#texts.at(place)) as JsonValue;
  }
}
