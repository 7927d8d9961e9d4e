/** Returns, estimates and notices to the IRS beside Form 990: each date rolls by IRC 7503. */
import {
  civilOf,
  clampedDay,
  type Day,
  dayOf,
  formatDay,
  monthAfter,
} from '../../calendar/index.ts';
import type { JsonValue } from '../../core/index.ts';
import type { CaseInput } from './case-input.ts';
import { usd } from './dollars.ts';
import type { DutiesLaw } from './duties-law.ts';
import { isMonthEnd, rollForIrs } from './form990.ts';
import type { GrantsLaw } from './law.ts';
import { type Evaluation, Reasoning } from './reasoning.ts';

const FILERS = ['corporation', 'otherTrust', 'employeeTrust'] as const;
const EXTENDED_FORMS = ['990', '990-EZ', '990-PF', '990-T', '4720', '990-N'] as const;

type ReturnDue = DutiesLaw['form4720'];

export function form990TDue(input: CaseInput, law: GrantsLaw): Evaluation {
  const due = form990TRule(input, law);
  return returnDate(input, due, law).endWithDay();
}

function form990TRule(input: CaseInput, law: GrantsLaw): ReturnDue {
  const { form990T } = law.duties;
  const isEmployeeTrust = input.choice('filerType', FILERS) === 'employeeTrust';
  return isEmployeeTrust ? { ...form990T, month: form990T.employeeTrustMonth } : form990T;
}

export function form4720Due(input: CaseInput, law: GrantsLaw): Evaluation {
  return returnDate(input, law.duties.form4720, law).endWithDay();
}

function returnDate(input: CaseInput, due: ReturnDue, law: GrantsLaw): Reasoning {
  const yearEnd = input.day('fiscalYearEnd');
  const extended = input.flag('extended8868') === true;
  const reasoning = beginning(yearEnd, law).rely(due, 'the due date');
  statutory(reasoning, { yearEnd, due, extended });
  return rollForIrs(reasoning, law);
}

function beginning(yearEnd: Day, law: GrantsLaw): Reasoning {
  const reasoning = new Reasoning(law.duties.version).start(
    yearEnd,
    `The year ends on ${formatDay(yearEnd)}.`,
  );
  return isMonthEnd(yearEnd)
    ? reasoning
    : reasoning.rely(law.form990.yearEndInsideMonth, 'that this is not a 52-53-week year');
}

/** The extension runs from the date in the law, not from a rolled one. */
function statutory(
  reasoning: Reasoning,
  {
    yearEnd,
    due,
    extended,
  }: { readonly yearEnd: Day; readonly due: ReturnDue; readonly extended: boolean },
): void {
  const months = due.month + (extended ? due.extendedMonths : 0);
  const { year, month } = civilOf(yearEnd);
  const target = monthAfter(year, month, months);
  const what = extended ? ` (month ${due.month}, extended by ${due.extendedMonths})` : '';
  reasoning.set(
    dayOf(target.year, target.month, due.day),
    `Day ${due.day} of month ${months} after the year's end${what}.`,
    due.source,
  );
}

// Form 990-W: day 15 of months 4 (private foundations 5), 6, 9 and 12 of the tax year itself, a quarter each.
export function estimateDates(input: CaseInput, law: GrantsLaw): Evaluation {
  const { estimates, version } = law.duties;
  const yearEnd = input.day('fiscalYearEnd');
  const filer = input.choice('filer', ['privateFoundation', 'unrelatedBusinessIncome'] as const);
  const tax = input.amount('expectedTax');
  if (tax < estimates.requiredFrom) {
    return new Reasoning(version)
      .rely(estimates, 'the estimates')
      .say(
        `A tax of ${usd(tax)} is below ${usd(estimates.requiredFrom)}: no estimates are due.`,
        estimates.source,
      )
      .end('none');
  }
  const cents = Math.round(tax * 100);
  const reasoning = beginning(yearEnd, law).rely(estimates, 'the estimates');
  const payments: JsonValue[] = [];
  const months = estimates.months[filer];
  for (const [index, monthOfYear] of months.entries()) {
    const { year, month } = civilOf(yearEnd);
    const target = monthAfter(year, month, monthOfYear - 12);
    reasoning.set(
      dayOf(target.year, target.month, estimates.day),
      `Day ${estimates.day} of month ${monthOfYear} of the tax year.`,
      estimates.source,
    );
    rollForIrs(reasoning, law);
    // What does not divide is paid with the earlier ones: nothing is paid late.
    const share = Math.floor(cents / months.length) + (index < cents % months.length ? 1 : 0);
    payments.push({ date: formatDay(reasoning.day), cents: share });
  }
  return reasoning.end(payments);
}

// Form 8868: filed by the rolled due date of the return; gives six months from the date in the law, rolled on its own.
export function form8868Act(input: CaseInput, law: GrantsLaw): Evaluation {
  const { form8868 } = law.duties;
  const form = input.choice('form', EXTENDED_FORMS);
  const yearEnd = input.day('fiscalYearEnd');
  const isBarred = form8868.notFor.some((one) => one === form);
  if (isBarred) {
    return new Reasoning(law.duties.version)
      .rely(form8868, 'the extension')
      .say(`Form ${form} cannot be extended.`, form8868.source)
      .end('none');
  }
  const due = extendedReturn(form, input, law);
  const rule: ReturnDue = { ...due, extendedMonths: form8868.months };
  const reasoning = beginning(yearEnd, law)
    .rely(due, `the due date of Form ${form}`)
    .rely(form8868, 'the extension');
  statutory(reasoning, { yearEnd, due: rule, extended: false });
  const fileBy = rollForIrs(reasoning, law).day;
  statutory(reasoning, { yearEnd, due: rule, extended: true });
  const extendsTo = rollForIrs(reasoning, law).day;
  return reasoning
    .say(
      'One Form 8868 for each return: 990 and 990-T need two. It does not extend the time to pay.',
      form8868.source,
    )
    .end({ fileBy: formatDay(fileBy), extendsTo: formatDay(extendsTo) });
}

function extendedReturn(
  form: (typeof EXTENDED_FORMS)[number],
  input: CaseInput,
  law: GrantsLaw,
): ReturnDue {
  const { form4720, form990PF, form8868 } = law.duties;
  if (form === '990-T') return form990TRule(input, law);
  if (form === '4720') return form4720;
  if (form === '990-PF') return form990PF;
  return { ...law.form990.due, extendedMonths: form8868.months };
}

// IRC 6041(a) as amended by OBBBA 70433: 600, 2,000 for payments in 2026, indexed afterwards.
export function informationReturnRequired(input: CaseInput, law: GrantsLaw): Evaluation {
  const rule = law.duties.informationReturns;
  const year = input.integer('paymentYear', { min: 1954, max: 2999 });
  const amount = input.amount('amount');
  const found = rule.thresholds.find(({ to }) => year <= to);
  const reasoning = new Reasoning(law.duties.version).rely(rule, 'the threshold');
  if (found === undefined) {
    return reasoning
      .task(`Look up the threshold for payments in ${year}: it is indexed`, 'low')
      .say(`The threshold for payments in ${year} was not published yet.`, rule.source)
      .end('unknown');
  }
  return reasoning
    .say(
      `The threshold for payments in ${year} is ${usd(found.amount)} or more; ${usd(amount)} was paid.`,
      rule.source,
    )
    .warn(
      'corporations, exempt payees and scholarships without services get none (from memory); take Form W-9 before the first payment',
    )
    .end(amount >= found.amount);
}

export function informationReturnDue(input: CaseInput, law: GrantsLaw): Evaluation {
  const { due, electronicFrom } = law.duties.informationReturns;
  const form = input.choice('form', ['1099-NEC', '1099-MISC'] as const);
  const year = input.integer('paymentYear', { min: 1954, max: 2998 });
  const copy = input.choice('copy', ['recipient', 'irs'] as const);
  // The way decides only where the IRS's copy has two dates.
  const isOpen = form === '1099-MISC' && copy === 'irs';
  const channel =
    isOpen || input.has('channel')
      ? input.choice('channel', ['paper', 'electronic'] as const)
      : undefined;
  const monthDay =
    copy === 'recipient'
      ? due.recipient
      : form === '1099-NEC'
        ? due.necIrs
        : channel === 'paper'
          ? due.miscPaper
          : due.miscElectronic;
  const day = clampedDay(year + 1, monthDay.month, monthDay.day);
  const reasoning = new Reasoning(law.duties.version)
    .rely(due, 'the due date')
    .set(
      day,
      `Form ${form} for payments in ${year}, copy of the ${copy === 'irs' ? 'IRS' : 'recipient'}${isOpen ? `, ${channel}` : ''}: ${formatDay(day)}.`,
      due.source,
    );
  if (channel === 'paper' && copy === 'irs') {
    reasoning.warn(
      `with ${electronicFrom} or more information returns of all kinds together, they are filed electronically`,
    );
  }
  return rollForIrs(reasoning, law).endWithDay();
}
