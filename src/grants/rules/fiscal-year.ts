/** Fiscal years by the day on which each of them ends. */
import { addDays, civilOf, clampedDay, type Day } from '../../calendar/index.ts';

/** The last day of February is meant by 28 as well as by 29. */
export interface YearEnd {
  readonly month: number;
  readonly day: number;
}

export interface FiscalYear {
  readonly start: Day;
  readonly end: Day;
}

/** `MM-DD`; undefined for anything else. */
export function readYearEnd(text: string): YearEnd | undefined {
  const [, month, day] = /^(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.exec(text) ?? [];
  return month === undefined ? undefined : { month: Number(month), day: Number(day) };
}

function yearEndIn(year: number, { month, day }: YearEnd): Day {
  return clampedDay(year, month, month === 2 && day >= 28 ? 29 : day);
}

/** The years of which a day lies between these two, the earliest first. */
export function fiscalYearsBetween(yearEnd: YearEnd, first: Day, last: Day): FiscalYear[] {
  const years: FiscalYear[] = [];
  for (let { year } = civilOf(first); ; year += 1) {
    const end = yearEndIn(year, yearEnd);
    if (end < first) continue;
    const start = addDays(yearEndIn(year - 1, yearEnd), 1);
    if (start > last) return years;
    years.push({ start, end });
  }
}
