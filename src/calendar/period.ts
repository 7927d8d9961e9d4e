/** Periods as cases write them: ISO 8601 durations, `A+B` as one period, `A then B` as two in a row. */
import { addMonths } from './arithmetic.ts';
import { addDays, type Day } from './day.ts';
import type { MonthArithmetic } from './explanation.ts';

export interface Duration {
  readonly text: string;
  readonly months: number;
  readonly days: number;
}

/**
 * One period from one start, without a roll in between. Extensions are added up with what they extend, so that a month
 * end is met once only; days that stand first (Japan: 60 days, then months) are counted first.
 */
export interface OnePeriod {
  /** What was set, then each extension. */
  readonly terms: readonly Duration[];
  readonly daysFirst: number;
  readonly months: number;
  readonly daysLast: number;
}

export interface Period {
  readonly text: string;
  /** Each runs from the rolled end of the one before it. */
  readonly inARow: readonly OnePeriod[];
}

const DURATION = /^P(?=\d)(?:(\d{1,3})Y)?(?:(\d{1,4})M)?(?:(\d{1,3})W)?(?:(\d{1,5})D)?$/;

/** Longer than any term of protection; more is a typing mistake. */
const MONTHS_MAX = 100 * 12;
const DAYS_MAX = 36_600;

export function parseDuration(text: string): Duration | undefined {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const part = (index: number): number => Number(match[index] ?? 0);
  const months = part(1) * 12 + part(2);
  const days = part(3) * 7 + part(4);
  if (months > MONTHS_MAX || days > DAYS_MAX || months + days === 0) return undefined;
  return { text, months, days };
}

export function parsePeriod(text: string): Period | undefined {
  const inARow: OnePeriod[] = [];
  for (const piece of text.split(' then ')) {
    const terms = piece.split('+').map((term) => parseDuration(term.trim()));
    if (!terms.every((term) => term !== undefined)) return undefined;
    inARow.push(oneOf(terms));
  }
  return { text, inARow };
}

function oneOf(terms: readonly Duration[]): OnePeriod {
  const [first, ...extensions] = terms;
  const daysFirst = first !== undefined && first.months === 0 ? first.days : 0;
  const rest = daysFirst > 0 ? extensions : terms;
  return {
    terms,
    daysFirst,
    months: rest.reduce((sum, term) => sum + term.months, 0),
    daysLast: rest.reduce((sum, term) => sum + term.days, 0),
  };
}

/** The last day of the period, not rolled. The day of the event is not counted. */
export function periodEnd(start: Day, period: OnePeriod, arithmetic: MonthArithmetic): Day {
  let day = period.daysFirst === 0 ? start : addDays(start, period.daysFirst);
  if (period.months !== 0) day = addMonths(day, period.months, arithmetic);
  return period.daysLast === 0 ? day : addDays(day, period.daysLast);
}
