/** Receipts by date with the gone ones skipped, so that asking for the candidates of a line costs a search, not a scan. */
import type { DateWindow } from './policy.ts';
import type { Line, Expected } from './workbench.ts';

/** Receipts looked at for one line; where more stand in its window, it is not unique in any useful sense. */
const LOOKED_AT_MAX = 400;

export interface Candidates {
  readonly found: readonly Expected[];
  /** False where a bound ended the search: then there may be more, and one that was found is not the only one. */
  readonly isComplete: boolean;
}

export class OpenExpectedPayments {
  readonly #sorted: readonly Expected[];
  readonly #placeOf = new Map<Expected, number>();
  /** For each place the next one that may still be open; found in a chain that every search shortens. */
  readonly #next: Int32Array;

  /** `expected payments` in canonical order, which is that of their dates. */
  constructor(expectedPayments: readonly Expected[]) {
    this.#sorted = expectedPayments;
    this.#next = new Int32Array(expectedPayments.length + 1);
    for (let place = 0; place <= expectedPayments.length; place += 1) this.#next[place] = place;
    for (const [place, expectedPayment] of expectedPayments.entries()) {
      this.#placeOf.set(expectedPayment, place);
      if (expectedPayment.state !== 'open') this.#next[place] = place + 1;
    }
  }

  remove(expectedPayment: Expected): void {
    const place = this.#placeOf.get(expectedPayment);
    if (place !== undefined) this.#next[place] = place + 1;
  }

  /** At most `limit` open expected payments that suit the line and its date, the earliest first. */
  inWindow(
    line: Line,
    window: DateWindow,
    limit: number,
    fits: (expectedPayment: Expected) => boolean,
  ): Candidates {
    const found: Expected[] = [];
    let place = this.#nextOpen(this.#firstFrom(line.day - window.to));
    for (let looked = 0; looked < LOOKED_AT_MAX && found.length < limit; looked += 1) {
      const expectedPayment = this.#sorted[place];
      if (expectedPayment === undefined || expectedPayment.day > line.day - window.from) {
        return { found, isComplete: true };
      }
      if (fits(expectedPayment)) found.push(expectedPayment);
      place = this.#nextOpen(place + 1);
    }
    return { found, isComplete: false };
  }

  #firstFrom(day: number): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sorted[middle]?.day ?? Infinity) < day) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #nextOpen(place: number): number {
    let root = place;
    for (let next = this.#next[root] ?? root; next !== root; next = this.#next[root] ?? root) {
      root = next;
    }
    for (let at = place; at !== root; ) {
      const next = this.#next[at] ?? root;
      this.#next[at] = root;
      at = next;
    }
    return root;
  }
}
