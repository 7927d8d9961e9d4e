/** Lines that are kept aside by a key, as bytes: a year that a bank sent twice is kept aside as a whole. */
import type { JsonValue } from '../../../../core/index.ts';
import type { BankLine } from '../bank-line.ts';
import { packedLine, unpackedLine } from '../entries/open-entries.ts';
import { PackedRecords } from '../entries/packed-records.ts';

export class HeldLines<More extends JsonValue> {
  readonly #records = new PackedRecords();
  readonly #places = new Map<string, number[]>();

  get length(): number {
    return this.#records.length;
  }

  add(key: string, line: BankLine, more: More): void {
    const known = this.#places.get(key);
    if (known === undefined) this.#places.set(key, [this.#records.length]);
    else known.push(this.#records.length);
    this.#records.push([packedLine(line), more]);
  }

  has(key: string): boolean {
    return this.#places.has(key);
  }

  keys(): readonly string[] {
    return [...this.#places.keys()];
  }

  at(key: string): readonly { readonly line: BankLine; readonly more: More }[] {
    return (this.#places.get(key) ?? []).map((place) => {
      // Written by `add`.
      const [line, more] = this.#records.at(place) as [JsonValue, More];
      return { line: unpackedLine(line), more };
    });
  }
}
