/** License taxes and fees, and the commerce tax: by income, revenue, capital or assets. */
import { addDays, civilOf, formatDay } from '../../../../calendar/index.ts';
import { type CaseInput, neededDay, refuseCase } from '../case-fields.ts';
import {
  add,
  compare,
  greatest,
  moneyText,
  over,
  plainText,
  subtract,
  times,
  whole,
  ZERO,
} from '../exact.ts';
import { wholeParts } from './franchise.ts';
import { courseOf, dayOfMonth, figure, moneyField } from './inputs.ts';
import type { EntityTaxAnswer, TaxDeps } from './tax-course.ts';
import { figuresOf } from './tax-law.ts';

// Rev. & Tax. Code 17942: a fee by tiers of the total income from California.
export function llcFee(input: CaseInput, deps: TaxDeps): EntityTaxAnswer {
  const { tiers } = figuresOf(deps.law, 'US-CA.llc.fee');
  const income = moneyField(input, 'totalIncome');
  const tier = tiers.filter((one) => compare(income, figure(one.from)) >= 0).at(-1);
  const fee = tier?.fee ?? '0.00';
  return courseOf('US-CA.llc.fee', deps)
    .say(
      `Total income from California of $${plainText(income)} falls into the tier from $${tier?.from ?? '0'}: $${fee}.`,
    )
    .warn('The estimate is due in the year itself; 10 percent of what was underpaid is added.')
    .end(fee);
}

/** Seen: June 17, 2024, because June 15 was a Saturday. */
export function llcFeeDue(input: CaseInput, deps: TaxDeps): EntityTaxAnswer {
  const figures = figuresOf(deps.law, 'US-CA.llc.fee');
  const begins = neededDay(input, 'taxableYearBegins');
  const nominal = dayOfMonth(begins, { months: figures.due_month - 1, day: figures.due_day });
  const course = courseOf('US-CA.llc.fee', deps).say(
    `The month in which the taxable year begins (${formatDay(begins)}) is month 1: day ${figures.due_day} of month ${figures.due_month} is ${formatDay(nominal)}.`,
  );
  const rolled = course.roll(nominal);
  return course.end({ nominal: formatDay(nominal), rolled: formatDay(rolled) });
}

// NRS 363C.200: the rate of the business category times the revenue above the threshold; no return at or below it.
export function commerceTax(input: CaseInput, deps: TaxDeps): EntityTaxAnswer {
  const figures = figuresOf(deps.law, 'US-NV.commerce');
  const revenue = moneyField(input, 'grossRevenue');
  const percent = moneyField(input, 'ratePercent');
  const threshold = figure(figures.threshold);
  const isAbove = compare(revenue, threshold) > 0;
  const base = isAbove ? subtract(revenue, threshold) : ZERO;
  const tax = moneyText(times(base, over(percent, whole(100))));
  const course = courseOf('US-NV.commerce', deps).say(
    isAbove
      ? `Nevada gross revenue of $${plainText(revenue)} less $${figures.threshold}, at ${plainText(percent)} percent: $${tax}.`
      : `Nevada gross revenue of $${plainText(revenue)} is not above $${figures.threshold}: no return and no tax.`,
  );
  const isKnown =
    compare(percent, figure(figures.rate_percent_min)) >= 0 &&
    compare(percent, figure(figures.rate_percent_max)) <= 0;
  if (!isKnown) {
    course.task(
      `Check the rate: ${plainText(percent)} percent is outside the categories, which go from ${figures.rate_percent_min} to ${figures.rate_percent_max} (from memory)`,
      'medium',
    );
  }
  return course.end({ return: isAbove, tax });
}

// NRS 363C.200(2): the 45th day after June 30; by practice the next business day (August 16, 2021).
export function commerceTaxDue(input: CaseInput, deps: TaxDeps): EntityTaxAnswer {
  const figures = figuresOf(deps.law, 'US-NV.commerce');
  const end = neededDay(input, 'yearEnd');
  const { month, day } = civilOf(end);
  if (`${String(month).padStart(2, '0')}-${day}` !== figures.year_end) {
    return refuseCase(
      'yearEnd',
      'a June 30, on which every commerce tax year ends',
      formatDay(end),
    );
  }
  const nominal = addDays(end, figures.days);
  const course = courseOf('US-NV.commerce', deps).say(
    `${figures.days} days after ${formatDay(end)}: ${formatDay(nominal)}.`,
  );
  const rolled = course.roll(nominal);
  return course.end({ nominal: formatDay(nominal), rolled: formatDay(rolled) });
}

// S.C. Code 12-20-50(A): 15 dollars plus one per thousand, at least 25.
export function licenseFee(input: CaseInput, deps: TaxDeps): EntityTaxAnswer {
  const figures = figuresOf(deps.law, 'US-SC.license_fee');
  const capital = moneyField(input, 'capitalAndPaidInSurplus');
  const formula = add(figure(figures.base), times(capital, figure(figures.rate)));
  const fee = moneyText(greatest(formula, figure(figures.minimum)));
  const course = courseOf('US-SC.license_fee', deps);
  wholeParts(course, { amount: capital, per: figures.per, field: 'capitalAndPaidInSurplus' });
  return course
    .say(
      `$${figures.base} and $1 for each $${figures.per} of capital stock and paid-in or capital surplus of $${plainText(capital)}, at least $${figures.minimum}: $${fee}.`,
    )
    .end(fee);
}

// W.S. 17-29-209(a), 17-16-1630(a): the greater of 60 dollars and two tenths of a mill of the assets in the state.
export function licenseTax(input: CaseInput, deps: TaxDeps): EntityTaxAnswer {
  const figures = figuresOf(deps.law, 'US-WY.license_tax');
  const assets = moneyField(input, 'assetsInState');
  const tax = moneyText(greatest(times(assets, figure(figures.rate)), figure(figures.minimum)));
  return courseOf('US-WY.license_tax', deps)
    .say(
      `The greater of $${figures.minimum} and ${figures.rate} of $${plainText(assets)} in Wyoming: $${tax}.`,
    )
    .end(tax);
}
