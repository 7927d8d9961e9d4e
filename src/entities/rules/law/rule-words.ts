/** Rules in words, for the steps of an answer and for the list of rules. */
import { MONTHS } from '../../../calendar/index.ts';
import type { DatedRule, DueRule, FilingRule, WindowRule } from './filing-rule.ts';

export function monthDayWords(month: number, day: number): string {
  return `${MONTHS[month - 1] ?? ''} ${day}`;
}

export function dueWords(rule: DueRule): string {
  if (rule.type === 'none') return 'nothing is owed';
  if (rule.type === 'on_notice')
    return `${rule.days_after_notice} days after a notice of the office`;
  return rule.type === 'unknown' ? 'not known: ask the state' : datedWords(rule);
}

function datedWords(rule: DatedRule): string {
  switch (rule.type) {
    case 'fixed':
      if (rule.month_end === true) return `the last day of ${MONTHS[rule.month - 1] ?? ''}`;
      return `${rule.strictly_before === true ? 'before ' : ''}${monthDayWords(rule.month, rule.day)}`;
    case 'anniversary_month_end':
      return rule.offset_months === 0
        ? 'the last day of the formation month'
        : `the last day of month ${rule.offset_months} after the formation month`;
    case 'anniversary_month_start':
      return 'the first day of the formation month';
    case 'anniversary_date':
      return 'the anniversary of the formation';
    case 'anniversary_of':
      return 'the anniversary of the day on which the first report was filed';
    case 'anniversary_quarter_end':
      return 'the last day of the calendar quarter of the formation';
    case 'day_before_anniversary_month':
      return 'the day before the formation month begins';
    case 'fiscal_year_end_offset':
      return `${rule.day === 'last' ? 'the last day' : `day ${rule.day}`} of month ${rule.months} after the fiscal year end`;
  }
}

export function cadenceWords(rule: FilingRule): string {
  const { every_years: everyYears, parity } = rule.cadence;
  if (everyYears === 0) return '';
  if (everyYears === 1) return 'every year';
  const years = everyYears === 2 ? 'every second year' : `every ${everyYears} years`;
  switch (parity) {
    case null:
      return years;
    case 'formation_year':
      return `${years}, counted from the year of formation`;
    case 'first_year_after_formation':
      return `${years}, counted from the year after formation`;
    case 'from_first_report':
      return `${years}, counted from the first report`;
    case 'odd':
      return 'in odd years';
    case 'years_ending_0_or_5':
      return 'in years that end in 0 or 5';
    case 'even':
      return 'in even years';
  }
}

export function firstWords(rule: FilingRule): string {
  switch (rule.first_due) {
    case null:
      return '';
    case 'year_after_formation':
    case 'first_anniversary':
      return 'first in the year after formation';
    case 'first_parity_anniversary':
    case 'next_parity_year':
      return `first ${rule.cadence.every_years} years after the year of formation`;
    case 'first_fiscal_year_end':
      return 'first after the fiscal year that ends on or after formation';
    case 'skip_if_formed_after_09_30':
      return 'first in the year after formation, a year later for those formed after September 30';
  }
}

export function windowWords(rule: WindowRule): string {
  switch (rule.type) {
    case 'fixed':
      return `from ${monthDayWords(rule.month, rule.day)}`;
    case 'days_before_due':
      return `${rule.days} days before`;
    case 'months_before_due':
      return `${rule.months} months before`;
    case 'months_before_due_month':
      return `first of the month, ${rule.months} months before`;
    case 'days_before_anniversary_month':
      return `${rule.days} days before the formation month`;
    case 'first_day_of_due_quarter':
      return 'first day of the quarter';
    case 'first_business_day_of_due_month':
      return 'first business day of the month';
  }
}
