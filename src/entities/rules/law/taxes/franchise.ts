/** Franchise taxes: whether one is owed, and how much of it. */
import { civilOf, formatDay, parseDay } from '../../../../calendar/index.ts';
import { badCase, FilewrightError, invariant, misspelledNames } from '../../../../core/index.ts';
import { type CaseInput, choiceField, neededDay, refuseCase, textField } from '../case-fields.ts';
import {
  add,
  compare,
  type Exact,
  greatest,
  least,
  moneyText,
  plainText,
  subtract,
  times,
  ZERO,
} from '../exact.ts';
import { courseOf, dayOfMonth, figure, inYear, moneyField, yearField } from './inputs.ts';
import type { EntityTaxAnswer, TaxDeps } from './tax-course.ts';
import { figuresOf } from './tax-law.ts';

// Rev. & Tax. Code 17941: day 15 of the fourth month; the month of filing with the Secretary of State is month 1.
export function firstAnnualTax(input: CaseInput, deps: TaxDeps): EntityTaxAnswer {
  const figures = figuresOf(deps.law, 'US-CA.llc.annual_tax');
  const filed = neededDay(input, 'filed');
  const due = dayOfMonth(filed, { months: figures.due_month - 1, day: figures.due_day });
  const course = courseOf('US-CA.llc.annual_tax', deps).say(
    `Filed on ${formatDay(filed)}: that month is month 1, and day ${figures.due_day} of month ${figures.due_month} is ${formatDay(due)}.`,
  );
  // The exemptions were read, the date in pages that quote the Board.
  course.rest('secondary', 'the due date');
  const isExempt = exempted(filed, figures.exempt);
  const { month, day } = civilOf(filed);
  if (month === 12 && day > 31 - figures.idle_days) {
    course.warn(
      `An LLC filed in the last ${figures.idle_days} days of December that does no business in them does not owe the tax for that year (15-day rule).`,
    );
  }
  const amount = isExempt ? '0.00' : figures.amount;
  course.say(
    isExempt
      ? `Filed from ${figures.exempt.from} to ${figures.exempt.to}: the first year is free (${figures.exempt.law}).`
      : `The tax is $${amount}; the next one is due in the fourth month of the next taxable year.`,
  );
  return course.end({ due: formatDay(due), amount });
}

export function firstYearExempt(input: CaseInput, deps: TaxDeps): EntityTaxAnswer {
  const { exempt } = figuresOf(deps.law, 'US-CA.llc.annual_tax');
  const filed = neededDay(input, 'filed');
  const isExempt = exempted(filed, exempt);
  return courseOf('US-CA.llc.annual_tax', deps)
    .say(
      `${exempt.law} freed the first year of those filed from ${exempt.from} to ${exempt.to}; this one was filed on ${formatDay(filed)}.`,
    )
    .end(isExempt);
}

function exempted(
  filed: number,
  { from, to }: { readonly from: string; readonly to: string },
): boolean {
  const [first, last] = [parseDay(from), parseDay(to)];
  invariant(first !== undefined && last !== undefined, 'Expected days that exist in the tax file.');
  return filed >= first && filed <= last;
}

// Tex. Tax Code 171.002: no tax at or below the threshold; from report year 2024 no report either, but always PIR or OIR.
export function texasReports(input: CaseInput, deps: TaxDeps): EntityTaxAnswer {
  const figures = figuresOf(deps.law, 'US-TX.franchise');
  const year = yearField(input, 'reportYear');
  const revenue = moneyField(input, 'annualizedRevenue');
  const found = figures.thresholds.find((one) => one.from <= year && year <= one.to);
  if (found === undefined) throw notOnFile(`the threshold of report year ${year}`);
  const course = courseOf('US-TX.franchise', deps);
  if (year > figures.read_to) {
    course.task(
      `Look up the threshold of ${year}: that it stays for two years is the pattern, the page was not read`,
      'medium',
    );
  }
  const isAbove = compare(revenue, figure(String(found.amount))) > 0;
  course.say(
    `The threshold of report year ${year} is $${found.amount}; annualized revenue of $${plainText(revenue)} is ${isAbove ? 'above' : 'at or below'} it.`,
  );
  const isReported = !isAbove && year < figures.no_report_from;
  course.say(
    isAbove
      ? 'A franchise report is due, with the information report.'
      : isReported
        ? 'A No Tax Due Report is due, with the information report.'
        : `From report year ${figures.no_report_from} no franchise report is due; the information report stays.`,
  );
  course.warn(
    'A new veteran-owned business that the Comptroller has qualified files nothing for five years.',
  );
  return course.end({ taxReport: isAbove, informationReport: true, noTaxDueReport: isReported });
}

export function texasInformationReport(input: CaseInput, deps: TaxDeps): EntityTaxAnswer {
  const figures = figuresOf(deps.law, 'US-TX.franchise');
  const given = textField(input, 'entity') ?? refuseCase('entity', 'a kind of entity', undefined);
  const entity = given.toLowerCase().replaceAll('_', ' ').trim();
  const course = courseOf('US-TX.franchise', deps);
  const isPublic = figures.public_information_report.includes(entity);
  if (!isPublic && !figures.ownership_information_report.includes(entity)) {
    const meant = misspelledNames(figures.public_information_report)(entity);
    if (meant !== undefined) throw badCase(`entity: found "${given}"; did you mean ${meant}?`);
    course.task(
      `Confirm the form of entity: "${given}" is not in the table, and all others file OIR`,
      'medium',
    );
  }
  return course
    .say(
      isPublic
        ? 'Corporations, LLCs, limited partnerships, professional associations and banks file the Public Information Report (PIR).'
        : 'Every other legally formed entity files the Ownership Information Report (OIR).',
    )
    .end(isPublic ? 'PIR' : 'OIR');
}

// Public Chapter 950 of 2024: a quarter percent of net worth, at least 100; the property base is gone.
export function tennessee(input: CaseInput, deps: TaxDeps): EntityTaxAnswer {
  const figures = figuresOf(deps.law, 'US-TN.franchise_excise');
  const end = neededDay(input, 'taxYearEnd');
  const from = parseDay(figures.net_worth_from);
  if (from !== undefined && end < from) {
    throw notOnFile(
      `the tax of a year that ended before ${figures.net_worth_from}, whose base was the greater of net worth and property`,
    );
  }
  const worth = moneyField(input, 'netWorth');
  const tax = greatest(times(worth, figure(figures.rate)), figure(figures.minimum));
  const course = courseOf('US-TN.franchise_excise', deps);
  wholeParts(course, { amount: worth, per: figures.per, field: 'netWorth' });
  return course
    .say(
      `$0.25 for each $${figures.per} of net worth of $${plainText(worth)}, at least $${figures.minimum}: $${moneyText(tax)}. The excise tax comes besides.`,
    )
    .end(moneyText(tax));
}

/** Whether a part of a thousand or hundred counts as a whole one was not read. */
export function wholeParts(
  course: { task(text: string, confidence: 'medium'): unknown },
  { amount, per, field }: { readonly amount: Exact; readonly per: string; readonly field: string },
): void {
  const unit = figure(per);
  if ((amount.n * unit.d) % (amount.d * unit.n) === 0n) return;
  course.task(
    `Look up how a part of $${per} counts: ${field} is no multiple of it, and the tax was computed in proportion`,
    'medium',
  );
}

// G.S. 105-122: 1.50 per 1,000; C at most 500 on the first million from 2025, S 200 on it; at least 200.
export function northCarolina(input: CaseInput, deps: TaxDeps): EntityTaxAnswer {
  const figures = figuresOf(deps.law, 'US-NC.franchise');
  const taxClass =
    choiceField(input, 'taxClass', ['c', 's'] as const) ??
    refuseCase('taxClass', 'one of c, s', undefined);
  const base = moneyField(input, 'base');
  const begins = neededDay(input, 'taxableYearBegins');
  const [capFrom, sFrom] = [parseDay(figures.c_cap_from), parseDay(figures.s_from)];
  invariant(capFrom !== undefined && sFrom !== undefined, 'Expected days that exist.');
  if (taxClass === 's' && begins < sFrom)
    throw notOnFile(`the tax of S corporations before ${figures.s_from}`);
  const isCapped = taxClass === 'c' && begins >= capFrom;
  const [first, rate] = [figure(figures.first), figure(figures.rate)];
  const onFirst = times(least(base, first), rate);
  const partFirst =
    taxClass === 's'
      ? figure(figures.s_first)
      : isCapped
        ? least(onFirst, figure(figures.c_first_max))
        : onFirst;
  const rest = compare(base, first) > 0 ? times(subtract(base, first), rate) : ZERO;
  const tax = greatest(add(partFirst, rest), figure(figures.minimum));
  const course = courseOf('US-NC.franchise', deps);
  if (taxClass === 'c' && !isCapped) {
    course.task(
      `Look up the rate of years that begin before ${figures.c_cap_from}: only the cap that came then was read`,
      'medium',
    );
  }
  return course
    .say(
      `On the first $${figures.first} of a base of $${plainText(base)}: $${moneyText(partFirst)}${isCapped ? ` (at most $${figures.c_first_max})` : ''}.`,
    )
    .say(`$1.50 for each $1,000 of the rest: $${moneyText(rest)}.`)
    .say(
      `At least $${figures.minimum}: $${moneyText(tax)}. The return of a year reports the tax of the next year.`,
    )
    .end(moneyText(tax));
}

// 805 ILCS 5/15.65: the liability less an exempt part, by the year of payment or report.
export function illinoisPayable(input: CaseInput, deps: TaxDeps): EntityTaxAnswer {
  const year = yearField(input, 'year');
  const liability = moneyField(input, 'liability');
  const exempt = inForce(figuresOf(deps.law, 'US-IL.franchise').exempt, year, 'exempt part');
  const less = subtract(liability, figure(exempt));
  const payable = greatest(less, ZERO);
  return courseOf('US-IL.franchise', deps)
    .say(
      `Of a liability of $${moneyText(liability)} the first $${exempt} are exempt in ${year}: $${moneyText(payable)}.`,
    )
    .warn('Nothing to pay does not end the annual report: it and its fee stay.')
    .end(moneyText(payable));
}

// 6 Del. C. 18-1107: 400 dollars from tax year 2026, due June 1 after the tax year; not prorated.
export function delawareLlcTax(input: CaseInput, deps: TaxDeps): EntityTaxAnswer {
  const figures = figuresOf(deps.law, 'US-DE.llc_lp_gp');
  const year = yearField(input, 'taxYear');
  const amount = inForce(figures.by_tax_year, year, 'tax');
  const due = formatDay(inYear(year + 1, figures.due));
  return courseOf('US-DE.llc_lp_gp', deps)
    .say(
      `The tax of tax year ${year} is $${amount}, whatever day it is paid; it is due on ${due} and not prorated.`,
    )
    .end({ amount, due });
}

function inForce(
  table: readonly { readonly from: number; readonly to: number | null; readonly amount: string }[],
  year: number,
  what: string,
): string {
  const found = table.find((one) => one.from <= year && year <= (one.to ?? year));
  if (found === undefined) throw notOnFile(`the ${what} of ${year}`);
  return found.amount;
}

// HB 3 of the third extraordinary session of 2024: repealed for periods that begin from January 1, 2026.
export function louisianaApplies(input: CaseInput, deps: TaxDeps): EntityTaxAnswer {
  const { repealed_from: repealed } = figuresOf(deps.law, 'US-LA.franchise');
  const begins = neededDay(input, 'periodBegins');
  const from = parseDay(repealed);
  invariant(from !== undefined, 'Expected a day that exists in the tax file.');
  return courseOf('US-LA.franchise', deps)
    .say(
      `Repealed for periods that begin on or after ${repealed}; this one begins on ${formatDay(begins)}.`,
    )
    .end(begins < from);
}

function notOnFile(what: string): FilewrightError {
  return new FilewrightError(
    'RULE_UNKNOWN',
    `Not on file: ${what}. Look it up; nothing was computed`,
  );
}
