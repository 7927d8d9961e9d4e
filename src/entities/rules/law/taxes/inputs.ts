/** What the questions about taxes have in common: years, money, and days of a month counted from a year's end. */
import {
  civilOf,
  clampedDay,
  type Day,
  monthAfter,
  YEAR_MAX,
  YEAR_MIN,
} from '../../../../calendar/index.ts';
import { invariant } from '../../../../core/index.ts';
import { type CaseInput, refuseCase } from '../case-fields.ts';
import { type Exact, readExact } from '../exact.ts';
import { TaxCourse, type TaxDeps } from './tax-course.ts';

export function courseOf(id: string, deps: TaxDeps): TaxCourse {
  const tax = deps.law.taxes.get(id);
  invariant(tax !== undefined, 'Expected the tax in the file, as its reader checks.', { tax: id });
  return new TaxCourse(tax, deps);
}

export function yearField(input: CaseInput, field: string): number {
  const value = input[field] ?? undefined;
  const isYear = typeof value === 'number' && Number.isInteger(value);
  return isYear && value >= YEAR_MIN && value <= YEAR_MAX
    ? value
    : refuseCase(field, `a year from ${YEAR_MIN} to ${YEAR_MAX}`, value);
}

export function moneyField(input: CaseInput, field: string): Exact {
  const value = input[field] ?? undefined;
  if (value === undefined) return refuseCase(field, 'an amount in dollars', undefined);
  return readExact(value, field);
}

/** Day 15 of month 4: the month after the day is month 1, or, from a beginning, the month in which it lies. */
export function dayOfMonth(
  from: Day,
  { months, day }: { readonly months: number; readonly day: number },
): Day {
  const { year, month } = civilOf(from);
  const target = monthAfter(year, month, months);
  return clampedDay(target.year, target.month, day);
}

export function inYear(year: number, monthDay: string): Day {
  const [month = 1, day = 1] = monthDay.split('-').map(Number);
  return clampedDay(year, month, day);
}

export function figure(text: string): Exact {
  return readExact(text, 'figure');
}
