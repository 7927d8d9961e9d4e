/** A year while it is written: holds what is there so far, and sees to it that nothing is alike by accident. */
import { Draw } from '../world/draw.ts';
import { businessDayFrom, businessDaysAfter, dayAfter, MONTHS, YEAR } from './days.ts';
import { canHave, type Format, type Habit } from './habits.ts';
import type { Account, Entry, Promised, Share } from './hidden-year.ts';
import { asWired, institution } from './spellings.ts';

type EntryText = Pick<Entry, 'on' | 'cents' | 'shares' | 'habit'> & Partial<Entry>;

export class YearWriter {
  readonly habits: ReadonlySet<Habit>;
  readonly draw: Draw;
  readonly promised: Promised[] = [];
  readonly entries: Entry[] = [];
  readonly #seed: number;
  readonly #accounts: readonly Account[];
  readonly #amounts = new Set<number>();
  #traces = 0;

  constructor(seed: number, habits: ReadonlySet<Habit>, accounts: readonly Account[]) {
    this.#seed = seed;
    this.habits = habits;
    this.#accounts = accounts;
    this.draw = new Draw(seed, 'year');
  }

  /** How often something of a habit happens: not at all in a year without it. */
  times(habit: Habit, min: number, max: number): number {
    return this.habits.has(habit) ? this.draw.int(min, max) : 0;
  }

  /** An account of a bank that can have the habit; undefined where there is none. */
  accountFor(habit: Habit): Account | undefined {
    const able = this.#accounts.filter(({ format }) => canHave(habit, format));
    return able.length === 0 ? undefined : this.draw.pick(able);
  }

  formatOf(number: string): Format {
    return this.#accounts.find((one) => one.number === number)?.format ?? 'camt';
  }

  anyAccount(): string {
    return this.draw.pick(this.#accounts).number;
  }

  /** An amount that no other promise or entry has, nor their difference by a fee. */
  amount(minDollars = 40, maxDollars = 9_000): number {
    for (;;) {
      const cents = this.draw.int(minDollars * 100, maxDollars * 100);
      if (this.#amounts.has(cents)) continue;
      this.#amounts.add(cents);
      return cents;
    }
  }

  /** A business day of the year, early enough that what follows it still falls into the year. */
  day(lastMonth = 11): string {
    const { from } = this.draw.pick(MONTHS.slice(0, lastMonth));
    return businessDayFrom(dayAfter(from, this.draw.int(0, 24)));
  }

  promise(about: Partial<Promised> & Pick<Promised, 'expectedOn'>): Promised {
    const n = this.promised.length + 1;
    const award: Promised = {
      number: `A-${this.#seed}-${n}`,
      payer: institution(this.draw),
      cents: 0,
      reference: `RB${YEAR}-${String(this.#seed % 100).padStart(2, '0')}${String(n).padStart(4, '0')}`,
      kind: this.draw.pick(['foundation', 'government', 'corporation']),
      ...about,
    };
    const whole = award.cents === 0 ? { ...award, cents: this.amount() } : award;
    this.promised.push(whole);
    return whole;
  }

  enter(entry: EntryText): Entry {
    const account = entry.account ?? this.anyAccount();
    const whole: Entry = {
      id: `E${this.entries.length + 1}`,
      isOut: false,
      isMarkedReturn: false,
      trace: undefined,
      details: [],
      feeCents: 0,
      decidedBy: 'evidence',
      payer: undefined,
      reference: undefined,
      text: 'GRANT PAYMENT',
      ...entry,
      account,
    };
    this.entries.push(whole);
    return whole;
  }

  /** The award's whole money in one entry, as the wire carries it. */
  pay(award: Promised, about: Partial<Entry> & Pick<Entry, 'habit'>): Entry {
    const lag = this.draw.int(0, award.reference === undefined ? 4 : 9);
    return this.enter({
      on: businessDaysAfter(award.expectedOn, lag),
      cents: award.cents,
      payer: asWired(award.payer),
      reference: award.reference,
      shares: [wholeOf(award)],
      ...about,
    });
  }

  /** Fifteen digits: the payer's bank and its own number. */
  trace(): string {
    this.#traces += 1;
    return `09100001${String(this.#seed * 1_000 + this.#traces).padStart(7, '0')}`;
  }
}

export function wholeOf(award: Promised): Share {
  return { award, cents: award.cents };
}
