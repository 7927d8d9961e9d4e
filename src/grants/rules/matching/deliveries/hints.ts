/**
 * Announcements and the entries that they announce. A hint is never money: it lends its words to an entry, and what a person
 * said of it holds for the entry. Which of two equal hints goes with which of two equal entries makes no figure another one.
 */
import type { BankLine } from '../bank-line.ts';
import { statementKey } from '../statement-chain.ts';
import { compare, moneyKey } from '../workbench.ts';
import { grouped } from './grouped.ts';
import { ownNumber, wordsOf } from './same-text.ts';

/** Calendar days from the hint to the booking: a clearing resolves within days, and nothing is announced a month ahead. */
const DAYS_BEFORE_MAX = 7;
const DAYS_AFTER_MAX = 31;

/** Entries and hints can only be the same where account and money are. */
export function hintKey(line: BankLine): string {
  return `${moneyKey(line)} ${line.account}`;
}

export interface HintedEntry {
  readonly line: BankLine;
  /** All that it was delivered as. */
  readonly deliveries: readonly BankLine[];
}

/**
 * For each hint the entry that it announces; of one account and one kind of money. Several hints may announce one entry (a
 * report at noon and one in the evening), but two of one report never do.
 */
export function announcedBy<Entry extends HintedEntry>(
  hints: readonly BankLine[],
  entries: readonly Entry[],
): ReadonlyMap<BankLine, Entry> {
  const found = new Map<BankLine, Entry>();
  const index = new EntryIndex(inOrder(entries, ({ line }) => line));
  const reportOf = ({ source, statement }: BankLine): string =>
    statementKey(source.feed, statement ?? 0);
  for (const report of grouped(hints, reportOf).values()) {
    const free = new FreeEntries(index);
    const left = new Set(inOrder(report, (line) => line));
    for (const { keysOf, fits } of LEVELS) {
      for (const hint of left) {
        const entry = free.take(keysOf(hint), (one) => fits(hint, one));
        if (entry === undefined) continue;
        found.set(hint, entry);
        left.delete(hint);
      }
    }
    const ofDay = grouped(left, ({ bookingDate }) => String(bookingDate));
    for (const [hint, second] of ofDay.values()) {
      if (hint === undefined || second !== undefined) continue;
      const entry = free.only(dayKey(hint));
      if (entry !== undefined && !hasOtherNumber(hint, entry.line)) found.set(hint, entry);
    }
  }
  return found;
}

class EntryIndex<Entry extends HintedEntry> {
  readonly #lists = new Map<string, Entry[]>();

  constructor(entries: readonly Entry[]) {
    for (const entry of entries) {
      const keys = entry.deliveries.flatMap((line) => [
        ...numbersOf(line),
        wordsKey(line),
        dayKey(line),
      ]);
      for (const key of new Set(keys)) {
        const list = this.#lists.get(key);
        if (list === undefined) this.#lists.set(key, [entry]);
        else list.push(entry);
      }
    }
  }

  under(key: string): readonly Entry[] {
    return this.#lists.get(key) ?? [];
  }
}

/** Entries that no hint of one report has taken yet. Thousands of equal ones are not looked at in pairs. */
class FreeEntries<Entry extends HintedEntry> {
  readonly #index: EntryIndex<Entry>;
  readonly #taken = new Set<Entry>();
  /** Of each list how many at its beginning are taken. */
  readonly #skipped = new Map<string, number>();

  constructor(index: EntryIndex<Entry>) {
    this.#index = index;
  }

  take(keys: readonly string[], fits: (entry: Entry) => boolean): Entry | undefined {
    for (const key of keys) {
      const list = this.#index.under(key);
      let begin = this.#skipped.get(key) ?? 0;
      for (let first = list[begin]; first !== undefined && this.#taken.has(first); ) {
        begin += 1;
        first = list[begin];
      }
      this.#skipped.set(key, begin);
      for (let at = begin; at < list.length; at += 1) {
        const entry = list[at];
        if (entry === undefined || this.#taken.has(entry) || !fits(entry)) continue;
        this.#taken.add(entry);
        return entry;
      }
    }
    return undefined;
  }

  /** Without a number, and in other words, only the one entry of the day can be meant. */
  only(key: string): Entry | undefined {
    const [only, second] = this.#index.under(key).filter((entry) => !this.#taken.has(entry));
    return second === undefined ? only : undefined;
  }
}

interface Level {
  /** Under which entries are looked for. */
  readonly keysOf: (hint: BankLine) => readonly string[];
  readonly fits: (hint: BankLine, entry: HintedEntry) => boolean;
}

/** The surest first. */
const LEVELS: readonly Level[] = [
  {
    keysOf: numbersOf,
    fits: (hint, { line, deliveries }) =>
      isNear(hint, line) && deliveries.some((one) => wordsKey(one) === wordsKey(hint)),
  },
  { keysOf: numbersOf, fits: (hint, { line }) => isNear(hint, line) },
  {
    keysOf: (hint) => (wordsOf(hint) === '' ? [] : [wordsKey(hint)]),
    fits: (hint, { line }) => !hasOtherNumber(hint, line),
  },
];

function numbersOf(line: BankLine): readonly string[] {
  const number = ownNumber(line);
  return [
    ...(number === undefined ? [] : [`number ${number}`]),
    ...(line.trace === undefined ? [] : [`trace ${line.trace}`]),
  ];
}

function dayKey({ bookingDate }: BankLine): string {
  return `day ${bookingDate}`;
}

function wordsKey(line: BankLine): string {
  return `words ${line.bookingDate} ${wordsOf(line)}`;
}

function isNear(hint: BankLine, line: BankLine): boolean {
  const days = line.bookingDate - hint.bookingDate;
  return days >= -DAYS_BEFORE_MAX && days <= DAYS_AFTER_MAX;
}

function hasOtherNumber(hint: BankLine, line: BankLine): boolean {
  const [number, other] = [ownNumber(hint), ownNumber(line)];
  return number !== undefined && other !== undefined && number !== other;
}

function inOrder<Item>(items: readonly Item[], lineOf: (item: Item) => BankLine): readonly Item[] {
  const keyed = items.map((item) => {
    const line = lineOf(item);
    const day = String(line.bookingDate).padStart(9, '0');
    return { item, key: JSON.stringify([day, wordsOf(line), line.nativeId, line.id]) };
  });
  return keyed.sort((one, other) => compare(one.key, other.key)).map(({ item }) => item);
}
