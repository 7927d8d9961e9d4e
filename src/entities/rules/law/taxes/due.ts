/** When a tax is due, where a rule for its date is on file: also of taxes whose amount is not computed here. */
import { clampedDay, type Day, formatDay } from '../../../../calendar/index.ts';
import { FilewrightError } from '../../../../core/index.ts';
import { type CaseInput, choiceField, neededDay, refuseCase, textField } from '../case-fields.ts';
import { weekdayName } from '../weekend.ts';
import { dayOfMonth, yearField } from './inputs.ts';
import { type EntityTaxAnswer, TaxCourse, type TaxDeps } from './tax-course.ts';
import type { TaxRecord } from './tax-law.ts';

type TaxDueRule = NonNullable<TaxRecord['due_rule']>;

export function taxDue(input: CaseInput, deps: TaxDeps): EntityTaxAnswer {
  const id = textField(input, 'tax');
  const known = [...deps.law.taxes.values()].filter((one) => one.due_rule !== undefined);
  const tax = known.find((one) => one.id === id);
  if (tax?.due_rule === undefined) {
    throw new FilewrightError(
      'RULE_UNKNOWN',
      `tax: expected one of ${known.map((one) => one.id).join(', ')}, found ${JSON.stringify(id) ?? 'nothing'}`,
    );
  }
  const rule = tax.due_rule;
  const taxClass = choiceField(input, 'taxClass', ['c', 's'] as const);
  const course = new TaxCourse(tax, deps).rest(rule.basis, `the due date of ${tax.id}`);
  const day = (months: number): Day => dateOf(input, rule, months);
  const months = taxClass === 's' ? (rule.s_months ?? rule.months) : rule.months;
  const nominal = day(months);
  course.say(`${tax.name}: ${tax.due}. Here ${weekdayName(nominal)} ${formatDay(nominal)}.`);
  // The earlier of two classes is the one by which nobody is late.
  const earlier =
    taxClass === undefined && rule.s_months !== undefined ? day(rule.s_months) : undefined;
  if (earlier !== undefined) {
    course.task(
      `Give taxClass: S corporations are due on ${formatDay(earlier)}; plan for that day`,
      'medium',
    );
  }
  return course.end({
    nominal: formatDay(nominal),
    ...(earlier === undefined ? {} : { conservative: formatDay(earlier) }),
    ...(rule.roll ? { rolled: formatDay(course.roll(nominal)) } : {}),
  });
}

function dateOf(input: CaseInput, rule: TaxDueRule, months: number): Day {
  switch (rule.after) {
    case 'begin':
      return dayOfMonth(neededDay(input, 'taxableYearBegins'), {
        months: months - 1,
        day: rule.day,
      });
    case 'end':
      return dayOfMonth(neededDay(input, 'yearEnd'), { months, day: rule.day });
    case 'year':
      return clampedDay(yearField(input, 'year'), months, rule.day);
    case 'next_year': {
      const year = yearField(input, 'year') + 1;
      return year > 2999
        ? refuseCase('year', 'a year whose due date is before 3000', year - 1)
        : clampedDay(year, months, rule.day);
    }
  }
}
