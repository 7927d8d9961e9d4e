/** Outcomes in the order in which they are listed, held as bytes: a year of them as objects would be most of the heap. */
import { Numbers } from './entries/numbers.ts';
import { PackedRecords } from './entries/packed-records.ts';
import { NO_RULE, rankOf } from './list-order.ts';
import type { FoundOutcome, MatchOutcome } from './outcome.ts';
import { compareLineNames, type LineName } from './workbench.ts';

/** For outcomes of lines; each time they are walked, they are made into objects again, one by one. */
export class OutcomeList implements Iterable<MatchOutcome> {
  readonly #records = new PackedRecords();
  /** By which ties are broken; apart from the records, because sorting asks for them often. */
  readonly #names = new PackedRecords();
  readonly #ranks = new Numbers();
  readonly #days = new Numbers();
  #order: Uint32Array | undefined;

  get length(): number {
    return this.#records.length;
  }

  add({ outcome, lines }: FoundOutcome): void {
    const [line] = lines;
    if (line === undefined) throw new TypeError('expected an outcome of a line');
    this.#order = undefined;
    this.#records.push(outcome);
    this.#names.push([line.nativeId ?? null, line.id]);
    this.#ranks.push(rankOf(outcome.rule));
    this.#days.push(line.bookingDate);
  }

  *[Symbol.iterator](): Generator<MatchOutcome> {
    this.#order ??= Uint32Array.from({ length: this.length }, (_, place) => place).sort(
      (one, other) => this.#compare(one, other),
    );
    for (const place of this.#order) {
      // Written by `add`.
      yield this.#records.at(place) as MatchOutcome;
    }
  }

  #compare(one: number, other: number): number {
    const byRule = this.#ranks.at(one) - this.#ranks.at(other);
    if (byRule !== 0) return byRule;
    // What people decided stays in the order in which it was added.
    if (this.#ranks.at(one) === NO_RULE) return one - other;
    const byDay = this.#days.at(one) - this.#days.at(other);
    return byDay || compareLineNames(this.#nameAt(one), this.#nameAt(other));
  }

  #nameAt(place: number): LineName {
    // Written by `add`.
    const [nativeId, id] = this.#names.at(place) as [string | null, string];
    return { nativeId: nativeId ?? undefined, id };
  }
}
