/** One small nonprofit's year, made from its seed alone; nothing of the product is asked. */
import { Draw } from '../world/draw.ts';
import { canHave, FORMATS, type Habit, habitsOfSeed } from './habits.ts';
import type { Account, HiddenYear } from './hidden-year.ts';
import { moneyBack } from './money-back.ts';
import { moneyIn } from './money-in.ts';
import { YearWriter } from './year-writer.ts';

const ACCOUNTS = 3;

export function yearOfSeed(seed: number, habits = habitsOfSeed(seed)): HiddenYear {
  const accounts = accountsOf(seed, habits);
  const year = new YearWriter(seed, habits, accounts);
  moneyIn(year);
  moneyBack(year);
  otherMoney(year);
  const entries = year.entries.toSorted((a, b) => (a.on < b.on ? -1 : a.on > b.on ? 1 : 0));
  return { seed, habits, accounts, promised: year.promised, entries };
}

function accountsOf(seed: number, habits: ReadonlySet<Habit>): readonly Account[] {
  const draw = new Draw(seed, 'accounts');
  return Array.from({ length: ACCOUNTS }, (_, at): Account => {
    const format = FORMATS[(seed + at) % FORMATS.length] ?? 'camt';
    // One habit of numbering for each account: the first one whose turn it is.
    const modes = (['filler', 'restarting', 'day-and-amount'] as const).filter((mode) => {
      const habit = NUMBER_HABITS[mode];
      return habits.has(habit) && canHave(habit, format);
    });
    return {
      number: `77004422${at}${seed % 10}`,
      format,
      openingCents: draw.int(3_000_000, 9_000_000),
      numbers: modes[(seed + at) % Math.max(1, modes.length)] ?? 'unique',
    };
  });
}

const NUMBER_HABITS = {
  filler: 'filler_numbers',
  restarting: 'restarting_numbers',
  'day-and-amount': 'day_and_amount_numbers',
} as const;

/** Interest, and deposits of which the books know nothing: only a person can say what they are. */
function otherMoney(year: YearWriter): void {
  const { draw } = year;
  const person = { shares: [], decidedBy: 'person', habit: 'plain' } as const;
  for (let n = draw.int(2, 5); n > 0; n -= 1) {
    const cents = draw.int(3, 95);
    year.enter({ ...person, on: year.day(12), cents, text: 'INTEREST PAID', payer: 'THE BANK' });
  }
  for (let n = draw.int(1, 3); n > 0; n -= 1) {
    const cents = year.amount(20, 400);
    year.enter({ ...person, on: year.day(12), cents, text: 'COUNTER DEPOSIT' });
  }
  for (let n = draw.int(2, 6); n > 0; n -= 1) {
    const cents = year.amount(60, 2_000);
    const text = draw.pick(['RENT STUDIO', 'PAYROLL', 'CARD PAYMENT', 'UTILITIES']);
    year.enter({ ...person, on: year.day(12), cents, isOut: true, text, payer: 'VENDOR' });
  }
}
