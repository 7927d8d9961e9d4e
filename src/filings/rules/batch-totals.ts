/** What a second person sees of a whole batch: fees by state, and the largest ones. Bounded, however many filings there are. */

export interface StateTotal {
  readonly jurisdiction: string;
  readonly filings: number;
  readonly cents: number;
}

export interface LargeFee {
  readonly filing: string;
  readonly jurisdiction: string;
  readonly entity: string;
  readonly cents: number;
}

/** As many as a person compares with the checkbook; all others are in the list. */
const LARGEST_MAX = 10;

export class BatchTotals {
  readonly #states = new Map<string, { filings: number; cents: number }>();
  #largest: LargeFee[] = [];

  add(one: LargeFee): void {
    const state = this.#states.get(one.jurisdiction) ?? { filings: 0, cents: 0 };
    state.filings += 1;
    state.cents += one.cents;
    this.#states.set(one.jurisdiction, state);
    const least = this.#largest.at(-1);
    if (one.cents === 0) return;
    if (least !== undefined && this.#largest.length === LARGEST_MAX && !isLarger(one, least))
      return;
    this.#largest = [...this.#largest, one]
      .sort((a, b) => (isLarger(a, b) ? -1 : 1))
      .slice(0, LARGEST_MAX);
  }

  states(): readonly StateTotal[] {
    return [...this.#states]
      .map(([jurisdiction, total]) => ({ jurisdiction, ...total }))
      .sort((a, b) => (a.jurisdiction < b.jurisdiction ? -1 : 1));
  }

  /** The largest first; of equal ones the order of the ids decides, so that two looks show the same. */
  largest(): readonly LargeFee[] {
    return this.#largest;
  }
}

function isLarger(one: LargeFee, other: LargeFee): boolean {
  return one.cents === other.cents ? one.filing < other.filing : one.cents > other.cents;
}
