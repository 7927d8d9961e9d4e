import { afterAll, beforeAll, expect, test } from 'vitest';
import { dropRoles } from '../../src/postgres/roles.ts';
import { Session } from '../../src/postgres/session.ts';
import { type FreshDatabase, freshDatabase } from '../../test/fixtures/database.ts';
import { deliveriesOf } from './deliveries.ts';
import { QUESTIONS_MAX, RECALL_MIN } from './figures.ts';
import { HABITS } from './habits.ts';
import { countedCents } from './hidden-year.ts';
import { runYear } from './run-year.ts';
import { yearOfSeed } from './year-of-seed.ts';

/** Each fourth habit shows in each of them, so that four years in a row have them all; more with FILEWRIGHT_SIM_YEARS. */
const YEARS = Number(process.env['FILEWRIGHT_SIM_YEARS'] ?? 8);
const MINUTES_5_MS = 300_000;

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(async () => {
  const session = new Session({ target: database.target, schema: database.schema, name: 'drop' });
  await dropRoles(session);
  await session.close();
  await database.close();
});

test(
  `${YEARS} years are reported to the cent, with no wrong pair and hardly a needless question`,
  async () => {
    for (let seed = 1; seed <= YEARS; seed += 1) {
      const year = await runYear(seed, database);
      const { faults, precision, centsOff, recall, questions, needed } = year;
      expect({ seed, faults, precision, centsOff }).toEqual({
        seed,
        faults: [],
        precision: 1,
        centsOff: 0,
      });
      expect(recall, `seed ${seed}`).toBeGreaterThanOrEqual(RECALL_MIN);
      expect(questions, `seed ${seed}`).toBeLessThanOrEqual(needed * QUESTIONS_MAX);
    }
  },
  MINUTES_5_MS,
);

const SEEDS = Array.from({ length: 20 }, (_, at) => at + 1);

test('twenty years show every habit of the banks and of the payers', () => {
  const shown = new Set<string>();
  for (const seed of SEEDS) {
    const year = yearOfSeed(seed);
    for (const { habit } of year.entries) shown.add(habit);
    for (const { habit } of deliveriesOf(year).flat()) shown.add(habit);
    for (const { numbers } of year.accounts) shown.add(numbers);
  }
  const names = HABITS.map((habit) => NUMBERS[habit] ?? habit);
  expect(names.filter((name) => !shown.has(name))).toEqual([]);
});

/** These show in how an account numbers its entries. */
const NUMBERS: Readonly<Record<string, string>> = {
  filler_numbers: 'filler',
  restarting_numbers: 'restarting',
  day_and_amount_numbers: 'day-and-amount',
};

test('a seed gives the same year and the same files twice', () => {
  expect(yearOfSeed(3)).toEqual(yearOfSeed(3));
  expect(deliveriesOf(yearOfSeed(3))).toEqual(deliveriesOf(yearOfSeed(3)));
  expect(yearOfSeed(4)).not.toEqual(yearOfSeed(3));
});

test('no award is counted for more than it was promised', () => {
  for (const seed of SEEDS) {
    const { entries, promised } = yearOfSeed(seed);
    const counted = new Map<string, number>();
    for (const { award, cents } of entries.flatMap(({ shares }) => shares)) {
      counted.set(award.number, (counted.get(award.number) ?? 0) + cents);
    }
    for (const { number, cents } of promised) {
      expect(counted.get(number) ?? 0, `seed ${seed}, ${number}`).toBeLessThanOrEqual(cents);
      expect(counted.get(number) ?? 0, `seed ${seed}, ${number}`).toBeGreaterThanOrEqual(0);
    }
    for (const entry of entries) expect(Number.isInteger(countedCents(entry))).toBe(true);
  }
});
