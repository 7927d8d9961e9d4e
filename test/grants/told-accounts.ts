/** Accounts with a hidden truth, told by a bank in pieces, copies and overlaps, with any habit of numbering. */
import type { BankFormat, BankStatement, Entry } from '../pipeline/bank.ts';
import { mulberry32, shuffled } from './reco.ts';

export interface Sent {
  readonly format: BankFormat;
  readonly statement: BankStatement;
}

const DAYS = Array.from({ length: 12 }, (_, at) => `2026-03-${String(at + 2).padStart(2, '0')}`);
const AMOUNTS = [5_000, 10_000, -5_000];
const TEXTS = ['GIFT', 'ONLINE DONATION', 'ANNUAL APPEAL'];
/** How a bank numbers its entries. */
const HABITS = ['own', 'NONREF', 'restarts', 'day and amount', 'none'] as const;

export interface ToldAccount {
  readonly entries: readonly Entry[];
  readonly sent: readonly Sent[];
}

export function accountOf(seed: number): ToldAccount {
  const random = mulberry32(seed);
  const below = (count: number): number => Math.floor(random() * count);
  // The place exists: the list is not empty.
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const habit = pick(HABITS);
  const opening = 100_000;
  const entries = DAYS.flatMap((on) =>
    Array.from(
      { length: below(4) },
      (): Entry => ({ on, cents: pick(AMOUNTS), text: pick(TEXTS) }),
    ),
  ).map((entry, at): Entry => {
    if (habit === 'own') return { ...entry, number: `N${at}` };
    if (habit === 'NONREF') return { ...entry, number: habit };
    if (habit === 'none' || habit === 'restarts') return entry;
    return { ...entry, number: `${entry.on.replaceAll('-', '')}${entry.cents}` };
  });
  const balanceAt = (place: number): number =>
    entries.slice(0, place).reduce((sum, { cents }) => sum + cents, opening);
  const firstOf = (day: number): number => {
    const place = entries.findIndex(({ on }) => on >= (DAYS[day] ?? ''));
    return place < 0 ? entries.length : place;
  };
  /** The entries from one place to another, which lie in whole days or cut one. */
  const told = (from: number, to: number, days: readonly [number, number]): BankStatement => ({
    from: DAYS[days[0]] ?? '',
    to: DAYS[days[1]] ?? '',
    opening: balanceAt(from),
    entries: entries
      .slice(from, to)
      .map((entry, at) => (habit === 'restarts' ? { ...entry, number: String(at + 1) } : entry)),
  });
  const whole = (first: number, last: number): BankStatement =>
    told(firstOf(first), last + 1 >= DAYS.length ? entries.length : firstOf(last + 1), [
      first,
      last,
    ]);
  const sent: Sent[] = [];
  const base = pick(['mt940', 'camt053', 'ofx', 'bai2'] as const);
  // The bank's own cut: some days at a time; banks with balances also cut a day.
  for (let day = 0; day < DAYS.length; ) {
    const last = Math.min(DAYS.length - 1, day + below(4));
    sent.push({ format: base, statement: whole(day, last) });
    day = last + 1;
  }
  if (base === 'mt940') sent.splice(0, sent.length, ...cutDays());
  for (let more = below(5); more > 0; more -= 1) {
    const first = below(DAYS.length);
    const last = Math.min(DAYS.length - 1, first + below(6));
    const format = pick(['mt940', 'camt053', 'ofx', 'bai2', 'camt052'] as const);
    const again = whole(first, last);
    // The same entries in another order, as another program lists them.
    const mixed = {
      ...again,
      entries: byDay(shuffled(again.entries, random)),
      copy: `x${more}`,
      // Statements on demand have a count of their own.
      number: 900 + 10 * more,
    };
    sent.push({ format, statement: mixed });
  }
  if (random() < 0.5)
    sent.push({ ...pick(sent), statement: { ...pick(sent).statement, copy: 'y' } });
  return { entries, sent };

  /** Statements with numbers that end and begin inside of days. */
  function cutDays(): Sent[] {
    const cut: Sent[] = [];
    let [from, day, number] = [0, 0, 1];
    while (from < entries.length) {
      const to = Math.min(entries.length, from + 1 + below(5));
      const lastDay = DAYS.indexOf(entries[to - 1]?.on ?? '');
      const statement = { ...told(from, to, [day, lastDay]), number };
      cut.push({ format: 'mt940', statement });
      [from, day, number] = [to, lastDay, number + 1];
    }
    return cut;
  }
}

function byDay(entries: readonly Entry[]): Entry[] {
  return [...entries].sort((one, other) => (one.on < other.on ? -1 : one.on > other.on ? 1 : 0));
}
