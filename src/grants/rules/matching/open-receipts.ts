/** Receipts by date with the gone ones skipped, so that asking for the candidates of a line costs a search, not a scan. */
import type { DateWindow } from './policy.ts';
import type { Line, Receipt } from './workbench.ts';

/** Receipts looked at for one line; where more stand in its window, it is not unique in any useful sense. */
const LOOKED_AT_MAX = 400;

export interface Candidates {
  readonly found: readonly Receipt[];
  /** False where a bound ended the search: then there may be more, and one that was found is not the only one. */
  readonly isComplete: boolean;
}

export class OpenReceipts {
  readonly #sorted: readonly Receipt[];
  readonly #placeOf = new Map<Receipt, number>();
  /** For each place the next one that may still be open; found in a chain that every search shortens. */
  readonly #next: Int32Array;

  /** `receipts` in canonical order, which is that of their dates. */
  constructor(receipts: readonly Receipt[]) {
    this.#sorted = receipts;
    this.#next = new Int32Array(receipts.length + 1);
    for (let place = 0; place <= receipts.length; place += 1) this.#next[place] = place;
    for (const [place, receipt] of receipts.entries()) {
      this.#placeOf.set(receipt, place);
      if (receipt.state !== 'open') this.#next[place] = place + 1;
    }
  }

  remove(receipt: Receipt): void {
    const place = this.#placeOf.get(receipt);
    if (place !== undefined) this.#next[place] = place + 1;
  }

  /** At most `limit` open receipts that suit the line and its date, the earliest first. */
  inWindow(
    line: Line,
    window: DateWindow,
    limit: number,
    fits: (receipt: Receipt) => boolean,
  ): Candidates {
    const found: Receipt[] = [];
    let place = this.#nextOpen(this.#firstFrom(line.day - window.to));
    for (let looked = 0; looked < LOOKED_AT_MAX && found.length < limit; looked += 1) {
      const receipt = this.#sorted[place];
      if (receipt === undefined || receipt.day > line.day - window.from) {
        return { found, isComplete: true };
      }
      if (fits(receipt)) found.push(receipt);
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
