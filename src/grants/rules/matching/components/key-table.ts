/** From keys to entries in typed arrays; a Map of a hundred thousand keys would be a large part of the heap. */

const FREE = -2;
const NOBODY = -1;

export class KeyTable {
  readonly #keys: Float64Array;
  readonly #entries: Int32Array;
  readonly #mask: number;

  /** Of at most `keysMax` different keys. */
  constructor(keysMax: number) {
    // Half of the places stay free, so that a search ends soon.
    const places = 2 ** Math.ceil(Math.log2(Math.max(1, keysMax) * 2));
    this.#keys = new Float64Array(places);
    this.#entries = new Int32Array(places).fill(FREE);
    this.#mask = places - 1;
  }

  /** Notes that somebody asks for the key; nobody has it yet. */
  ask(key: number): void {
    const place = this.#placeOf(key);
    if (this.#entries[place] !== FREE) return;
    this.#keys[place] = key;
    this.#entries[place] = NOBODY;
  }

  isAsked(key: number): boolean {
    return this.#entries[this.#placeOf(key)] !== FREE;
  }

  /** The first entry with the key; undefined while there is none. */
  get(key: number): number | undefined {
    const entry = this.#entries[this.#placeOf(key)] ?? FREE;
    return entry < 0 ? undefined : entry;
  }

  set(key: number, entry: number): void {
    const place = this.#placeOf(key);
    this.#keys[place] = key;
    this.#entries[place] = entry;
  }

  /** The place of the key, or the free one where it would be. */
  #placeOf(key: number): number {
    let place = (key >>> 0) & this.#mask;
    while (this.#entries[place] !== FREE && this.#keys[place] !== key) {
      place = (place + 1) & this.#mask;
    }
    return place;
  }
}
