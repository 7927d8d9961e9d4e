/** Numbers in an array that doubles. Outside the heap: the garbage collector never walks them. */
export class Numbers {
  #array = new Float64Array(256);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#array.length) {
      const wider = new Float64Array(this.#array.length * 2);
      wider.set(this.#array);
      this.#array = wider;
    }
    this.#array[this.#length] = value;
    this.#length += 1;
  }

  /** NaN beyond the end. */
  at(place: number): number {
    return place < this.#length ? (this.#array[place] ?? Number.NaN) : Number.NaN;
  }

  sorted(): Float64Array {
    return this.#array.slice(0, this.#length).sort();
  }
}
