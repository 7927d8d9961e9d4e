/**
 * Which years an entity files in, and on which day. A filing year is the year of the due date; for a due day before the
 * anniversary month it is the year of that month (a January entity is due on December 31 of the year before), and for a
 * due day after a fiscal year end it is the year in which that fiscal year ends.
 */
import {
  addDays,
  civilOf,
  clampedDay,
  type Day,
  dayOf,
  lastDayOfMonth,
  monthAfter,
  parseDay,
} from '../../../calendar/index.ts';
import { invariant } from '../../../core/index.ts';
import type { DatedRule, FilingRule } from './filing-rule.ts';

export interface MonthAndDay {
  readonly month: number;
  readonly day: number;
}

export interface Founding {
  /** For a foreign entity the day of qualification in that state. */
  readonly formed: Day;
  /** Present wherever the due rule hangs on it. */
  readonly fiscalYearEnd?: MonthAndDay;
}

export interface Occurrence {
  readonly filingYear: number;
  readonly due: Day;
}

/** No cadence is longer than ten years, and a due day lies at most two years after its filing year. */
const SEARCH_YEARS_MAX = 25;
const YEARS_BEFORE_DUE_MAX = 2;

/** The first due day on or after `asOf`: nominal, never moved for weekends or holidays. */
export function nextOccurrence(
  rule: FilingRule,
  /** Of one filing year: a rule may change from one to the next. */
  dueRuleIn: (filingYear: number) => DatedRule,
  founding: Founding,
  asOf: Day,
): Occurrence {
  const from = rule.valid_from === undefined ? undefined : parseDay(rule.valid_from);
  const earliest = from === undefined || from < asOf ? asOf : from;
  const first = Math.max(
    firstCountedYear(rule, founding) - (rule.cadence.parity_of === 'due_year' ? 1 : 0),
    civilOf(earliest).year - YEARS_BEFORE_DUE_MAX,
  );
  for (let filingYear = first; filingYear < first + SEARCH_YEARS_MAX; filingYear += 1) {
    const due = dueIn(dueRuleIn(filingYear), founding, filingYear);
    const counted = rule.cadence.parity_of === 'due_year' ? civilOf(due).year : filingYear;
    if (counted < firstCountedYear(rule, founding)) continue;
    if (isFilingYear(rule, founding, counted) && due >= earliest) return { filingYear, due };
  }
  invariant(false, `Expected a due date within ${SEARCH_YEARS_MAX} years under ${rule.id}.`);
}

/** The earliest year of those that count (filing years, or years of due dates) that `first_due` allows. */
function firstCountedYear(rule: FilingRule, founding: Founding): number {
  const formed = civilOf(founding.formed);
  switch (rule.first_due) {
    case 'year_after_formation':
    case 'first_anniversary':
    case 'next_parity_year':
      return formed.year + 1;
    case 'first_parity_anniversary':
      return formed.year + 2;
    case 'skip_if_formed_after_09_30':
      return formed.year + (formed.month > 9 ? 2 : 1);
    case 'first_fiscal_year_end':
      return fiscalYearEndIn(founding, formed.year) >= founding.formed
        ? formed.year
        : formed.year + 1;
    case null:
      invariant(false, `Expected first_due in the rule ${rule.id}, which has due dates.`);
  }
}

function isFilingYear(rule: FilingRule, founding: Founding, filingYear: number): boolean {
  const { every_years: everyYears, parity } = rule.cadence;
  const formedYear = civilOf(founding.formed).year;
  switch (parity) {
    case null:
      return (filingYear - firstCountedYear(rule, founding)) % everyYears === 0;
    case 'formation_year':
      return (filingYear - formedYear) % everyYears === 0;
    case 'first_year_after_formation':
      return (filingYear - formedYear - 1) % everyYears === 0;
    case 'from_first_report':
      return (filingYear - firstCountedYear(rule, founding)) % everyYears === 0;
    case 'even':
      return filingYear % 2 === 0;
    case 'odd':
      return filingYear % 2 === 1;
    case 'years_ending_0_or_5':
      return filingYear % 5 === 0;
  }
}

/** The nominal due day of one filing year. February 29 becomes February 28 in common years: the safe reading. */
export function dueIn(rule: DatedRule, founding: Founding, filingYear: number): Day {
  const formed = civilOf(founding.formed);
  switch (rule.type) {
    case 'fixed':
      return rule.month_end === true
        ? lastDayOfMonth(filingYear, rule.month)
        : clampedDay(filingYear, rule.month, rule.day);
    case 'anniversary_month_end': {
      const due = monthAfter(filingYear, formed.month, rule.offset_months);
      return lastDayOfMonth(due.year, due.month);
    }
    case 'anniversary_month_start':
      return dayOf(filingYear, formed.month, 1);
    case 'anniversary_date':
    // Counted from the event that the case gives, or from the formation: the founding holds that day.
    case 'anniversary_of':
      return clampedDay(filingYear, formed.month, formed.day);
    case 'anniversary_quarter_end':
      return lastDayOfMonth(filingYear, Math.ceil(formed.month / 3) * 3);
    case 'day_before_anniversary_month':
      return addDays(dayOf(filingYear, formed.month, 1), -1);
    case 'fiscal_year_end_offset': {
      const end = civilOf(fiscalYearEndIn(founding, filingYear));
      const due = monthAfter(end.year, end.month, rule.months);
      return rule.day === 'last'
        ? lastDayOfMonth(due.year, due.month)
        : clampedDay(due.year, due.month, rule.day);
    }
  }
}

function fiscalYearEndIn(founding: Founding, calendarYear: number): Day {
  const end = founding.fiscalYearEnd;
  invariant(end !== undefined, 'Expected the fiscal year end where a due rule depends on it.');
  return clampedDay(calendarYear, end.month, end.day);
}
