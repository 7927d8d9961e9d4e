/** What banks and payers do, each under a name of its own, so that a year that fails says what it was about. */
import { Draw } from '../world/draw.ts';

export const FORMATS = ['camt', 'mt940', 'bai2', 'ofx'] as const;
export type Format = (typeof FORMATS)[number];

/** With the formats in which a bank can have the habit; an empty list means all. */
const HABITS_BY_FORMAT = {
  /** The report of the day tells an entry that the statement tells again; some of them as pending. */
  intraday: ['camt'],
  /** A statement comes once more, marked as a copy or not at all. */
  copy: ['camt', 'mt940'],
  /** Two downloads share days. */
  overlap: ['ofx', 'camt'],
  /** A download begins in a month that is closed. */
  overlap_closed: ['ofx', 'camt'],
  notification: ['camt'],
  announcement: ['camt', 'bai2', 'ofx'],
  filler_numbers: ['camt', 'mt940', 'bai2'],
  restarting_numbers: [],
  day_and_amount_numbers: [],
  camt_pages: ['camt'],
  mt940_pages: ['mt940'],
  late_statement: ['camt', 'mt940'],
  /** Withdrawn by two people, and replaced. */
  wrong_statement: ['camt', 'mt940'],
  /** One line for many gifts, which it lists. */
  batch: ['camt'],
  /** One line for many gifts, and nothing that says which. */
  batch_without_details: [],
  together: [],
  in_parts: [],
  installments: [],
  returned: [],
  returned_unmarked: ['ofx', 'bai2'],
  returned_late: [],
  returned_late_unmarked: ['ofx', 'bai2'],
  fee: [],
  cut_reference: [],
  blanks: [],
  payer_names: [],
  late_booking: [],
  equal_amounts: [],
  twins: [],
  paid_twice: [],
} as const satisfies Readonly<Record<string, readonly Format[]>>;

export type Habit = keyof typeof HABITS_BY_FORMAT;
// Object.keys forgets the names; the record has no others.
export const HABITS = Object.keys(HABITS_BY_FORMAT) as readonly Habit[];

export function canHave(habit: Habit, format: Format): boolean {
  const formats: readonly Format[] = HABITS_BY_FORMAT[habit];
  return formats.length === 0 || formats.includes(format);
}

/** Every fourth year has a habit for certain, the others by chance: twenty years show each at least five times. */
const EVERY = 4;

export function habitsOfSeed(seed: number): ReadonlySet<Habit> {
  const draw = new Draw(seed, 'habits');
  const kept = HABITS.filter((_, place) => (place + seed) % EVERY === 0 || draw.chance(0.15));
  return new Set(kept);
}
