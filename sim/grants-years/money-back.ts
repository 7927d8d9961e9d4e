/** How money goes back: in the month in which it came, or after that month was closed; marked by the bank or not. */
import { businessDaysAfter, dayAfter, lastBusinessDay, monthOf } from './days.ts';
import type { Entry, Promised } from './hidden-year.ts';
import type { Habit } from './habits.ts';
import type { YearWriter } from './year-writer.ts';

export function moneyBack(year: YearWriter): void {
  for (const habit of ['returned', 'returned_unmarked'] as const) {
    for (let n = year.times(habit, 1, 2); n > 0; n -= 1) {
      // It goes with what takes it back: whether it was matched before, nobody needs to know.
      const paid = paidBy(year, habit, { lastDay: 8, decidedBy: 'either' });
      if (paid === undefined) continue;
      const after = businessDaysAfter(paid.entry.on, year.draw.int(1, 4));
      const last = lastBusinessDay(monthOf(paid.entry.on));
      takeBack(year, paid, { habit, on: after < last ? after : last });
    }
  }
  for (const habit of ['returned_late', 'returned_late_unmarked'] as const) {
    for (let n = year.times(habit, 1, 2); n > 0; n -= 1) {
      const paid = paidBy(year, habit, { lastDay: 20, decidedBy: 'evidence' });
      if (paid === undefined) continue;
      const next = dayAfter(monthOf(paid.entry.on).to, 1);
      const on = businessDaysAfter(next, year.draw.int(1, 15));
      takeBack(year, paid, { habit, on });
      // Some payers try again, and that time it holds.
      if (year.draw.chance(0.4)) {
        year.pay(paid.award, {
          habit,
          account: paid.entry.account,
          on: businessDaysAfter(on, year.draw.int(2, 6)),
          decidedBy: 'either',
        });
      }
    }
  }
}

interface Paid {
  readonly award: Promised;
  readonly entry: Entry;
}

/** Undefined where no bank of the year has the habit. */
function paidBy(
  year: YearWriter,
  habit: Habit,
  { lastDay, decidedBy }: { readonly lastDay: number } & Pick<Entry, 'decidedBy'>,
): Paid | undefined {
  const account = year.accountFor(habit)?.number;
  if (account === undefined) return undefined;
  const day = String(year.draw.int(2, lastDay)).padStart(2, '0');
  const award = year.promise({
    expectedOn: businessDaysAfter(`${year.day(9).slice(0, 8)}${day}`, 0),
  });
  const trace = year.draw.chance(0.5) ? year.trace() : undefined;
  const entry = year.pay(award, { habit, account, trace, on: award.expectedOn, decidedBy });
  return { award, entry };
}

function takeBack(
  year: YearWriter,
  { award, entry }: Paid,
  { habit, on }: { readonly habit: Habit; readonly on: string },
): void {
  const isUnmarked = habit === 'returned_unmarked' || habit === 'returned_late_unmarked';
  // Where the bank marks nothing, what was paid is told by the words, and sometimes by the reference.
  const reference = isUnmarked && year.draw.chance(0.5) ? undefined : entry.reference;
  // OFX and BAI2 have no mark of their own: a word, a type code or nothing.
  const format = year.formatOf(entry.account);
  const isMarkedReturn = !isUnmarked && (format === 'camt' || format === 'mt940');
  year.enter({
    on,
    account: entry.account,
    cents: entry.cents,
    payer: entry.payer,
    isOut: true,
    isMarkedReturn,
    reference,
    trace: isUnmarked && reference === undefined ? undefined : entry.trace,
    text: isMarkedReturn ? `RETURN ${entry.text}` : 'RETURNED ITEM',
    shares: [{ award, cents: -entry.cents }],
    decidedBy: 'either',
    habit,
  });
}
