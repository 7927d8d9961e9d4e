/** Distances in business days, each answered without counting: a list of 100,000 lines asks millions of times. */
import { addDays, type Day } from '../../../calendar/index.ts';

export type IsBusinessDay = (day: Day) => boolean;

/** Monday to Friday: what holds where no calendar of holidays is given. */
export function isWeekday(day: Day): boolean {
  // Day 0, 1970-01-01, was a Thursday.
  const weekday = (((day + 4) % 7) + 7) % 7;
  return weekday !== 0 && weekday !== 6;
}

export class BusinessDays {
  readonly #first: Day;
  readonly #counts: Int32Array;

  constructor(days: Iterable<Day>, isBusinessDay: IsBusinessDay) {
    let first: Day | undefined;
    let last: Day | undefined;
    for (const day of days) {
      if (first === undefined || day < first) first = day;
      if (last === undefined || day > last) last = day;
    }
    if (first === undefined || last === undefined) {
      // Nothing will be asked: there are no dates.
      this.#first = 0 as Day;
      this.#counts = new Int32Array(0);
      return;
    }
    this.#first = first;
    this.#counts = new Int32Array(last - first + 1);
    let count = 0;
    for (let at = 0; at < this.#counts.length; at += 1) {
      if (isBusinessDay(addDays(first, at))) count += 1;
      this.#counts[at] = count;
    }
  }

  /** Business days from the first date of the list up to and including this one. */
  numberOf(day: Day): number {
    return this.#counts[day - this.#first] ?? 0;
  }
}
