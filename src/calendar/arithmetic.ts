/** Months and years as the patent and filing laws count them. Each function is one legal text. */
import { addDays, civilOf, clampedDay, type Day, lastDayOfMonth, monthAfter } from './day.ts';
import type { MonthArithmetic } from './explanation.ts';

// MPEP 710.01(a); Rule 131(4) EPC; PCT Rule 80.2: the day with the same number, else the last day of that month.
export function sameNumberDay(start: Day, months: number): Day {
  const { year, month, day } = civilOf(start);
  const target = monthAfter(year, month, months);
  return clampedDay(target.year, target.month, day);
}

// Japan Patent Act Art. 3(1): the first day is not counted; from the first of a month the period ends with a month,
// otherwise on the day before the corresponding day, or on the last day of a month that lacks it.
export function japanesePeriodEnd(start: Day, months: number): Day {
  const { year, month, day } = civilOf(addDays(start, 1));
  const target = monthAfter(year, month, months);
  const corresponding = clampedDay(target.year, target.month, day);
  return civilOf(corresponding).day === day ? addDays(corresponding, -1) : corresponding;
}

// Rule 51(1) and (2) EPC, J 4/91: from month end to month end.
export function monthEndToMonthEnd(start: Day, months: number): Day {
  const { year, month } = civilOf(start);
  const target = monthAfter(year, month, months);
  return lastDayOfMonth(target.year, target.month);
}

export function addMonths(start: Day, months: number, arithmetic: MonthArithmetic): Day {
  switch (arithmetic) {
    case 'same-number':
      return sameNumberDay(start, months);
    case 'japanese':
      return japanesePeriodEnd(start, months);
    case 'month-end':
      return monthEndToMonthEnd(start, months);
  }
}
