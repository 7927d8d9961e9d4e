/** Form 990 family: which form, and when. */
import {
  civilOf,
  type Day,
  dayOf,
  formatDay,
  lastDayOfMonth,
  monthAfter,
  rollForward,
} from '../../calendar/index.ts';
import type { CaseInput } from './case-input.ts';
import { usd } from './dollars.ts';
import {
  type DayOfMonthAfter,
  type Form,
  FORMS,
  ORGANIZATION_FLAGS,
  type OrganizationFlag,
  type SelectionRule,
} from './form990-law.ts';
import type { GrantsLaw } from './law.ts';
import { type Evaluation, Reasoning } from './reasoning.ts';

// Instructions for Form 990, General Instructions A and B: the smallest form that is allowed.
export function selectForm990(input: CaseInput, law: GrantsLaw): Evaluation {
  const flags = new Set(ORGANIZATION_FLAGS.filter((flag) => input.flag(flag) === true));
  // Amounts are checked even where a flag decides without them: a wrong one is a fault of the case.
  for (const name of ['grossReceipts', 'totalAssets']) input.optionalAmount(name);
  const reasoning = new Reasoning(law.form990.version);
  for (const rule of law.form990.selection) {
    const obstacle = obstacleTo(rule, flags, input);
    if (obstacle !== undefined) {
      reasoning.say(`${nameOf(rule)} does not apply: ${obstacle}.`, rule.source);
      continue;
    }
    reasoning.say(`${nameOf(rule)} is the shortest form allowed.`, rule.source);
    reasoning.rely(rule, `the rule for ${nameOf(rule)}`);
    for (const flag of rule.confirmFor.filter((one) => flags.has(one))) {
      reasoning.task(
        `Confirm that ${flag} may file ${rule.form}: the sources only forbid the 990-EZ`,
        'medium',
      );
    }
    return reasoning.end(rule.form);
  }
  throw new Error('the last selection rule always applies; the reader checks it');
}

function nameOf(rule: SelectionRule): string {
  return rule.form === 'none' ? 'No return' : `Form ${rule.form}`;
}

/** Why the rule does not hold; undefined when it holds. An amount is required only where it decides. */
function obstacleTo(
  rule: SelectionRule,
  flags: ReadonlySet<OrganizationFlag>,
  input: CaseInput,
): string | undefined {
  if (rule.onlyFor.length > 0 && !rule.onlyFor.some((flag) => flags.has(flag))) {
    return `only for ${rule.onlyFor.join(', ')}`;
  }
  const barred = rule.notFor.find((flag) => flags.has(flag));
  if (barred !== undefined) return `not for ${barred}`;
  const { grossReceiptsAtMost, grossReceiptsBelow, totalAssetsBelow } = rule;
  if (grossReceiptsAtMost !== undefined && input.amount('grossReceipts') > grossReceiptsAtMost) {
    return `gross receipts are above ${usd(grossReceiptsAtMost)}`;
  }
  if (grossReceiptsBelow !== undefined && input.amount('grossReceipts') >= grossReceiptsBelow) {
    return `gross receipts are not below ${usd(grossReceiptsBelow)}`;
  }
  if (totalAssetsBelow !== undefined && input.amount('totalAssets') >= totalAssetsBelow) {
    return `total assets are not below ${usd(totalAssetsBelow)}`;
  }
  return undefined;
}

// Instructions for Form 990, Appendix B: what "normally 50,000 or less" means at each age.
export function isNormally50k(input: CaseInput, law: GrantsLaw): Evaluation {
  const years = input.number('yearsInExistence', { min: 0, max: 1000 });
  const average = input.amount('averageGrossReceipts');
  const tier = law.form990.normally.find(
    ({ yearsAtMost, yearsBelow }) =>
      (yearsAtMost === undefined || years <= yearsAtMost) &&
      (yearsBelow === undefined || years < yearsBelow),
  );
  if (tier === undefined) throw new Error('the last tier always applies; the reader checks it');
  return new Reasoning(law.form990.version)
    .rely(tier, 'the "normally" amount')
    .say(
      `At the age of ${years} years the average may be at most ${usd(tier.amount)}; it is ${usd(average)}.`,
      tier.source,
    )
    .end(average <= tier.amount);
}

export function form990Due(input: CaseInput, law: GrantsLaw): Evaluation {
  const fiscalYearEnd = input.day('fiscalYearEnd');
  const extended = input.flag('extended8868') === true;
  // Without an extension all forms fall due together; with one the form decides, so it must be said.
  const form = extended || input.has('form') ? input.choice('form', FORMS) : undefined;
  return form990Date({ fiscalYearEnd, extended, form }, law).endWithDay();
}

interface ReturnYear {
  readonly fiscalYearEnd: Day;
  readonly extended: boolean;
  readonly form: Form | undefined;
}

// Instructions for Form 990, section E; IRC 7503; Form 8868.
export function form990Date(
  { fiscalYearEnd, extended, form }: ReturnYear,
  law: GrantsLaw,
): Reasoning {
  const { due, extension, yearEndInsideMonth } = law.form990;
  const calendar = law.calendarOf(due.calendar);
  const reasoning = new Reasoning(law.form990.version).start(
    fiscalYearEnd,
    `The year ends on ${formatDay(fiscalYearEnd)}.`,
  );
  if (!isMonthEnd(fiscalYearEnd)) {
    reasoning.rely(yearEndInsideMonth, 'that this is not a 52-53-week year');
  }
  const statutory = dayOfMonthAfter(fiscalYearEnd, due);
  if (!extended || (form !== undefined && extension.notFor.includes(form))) {
    reasoning.rely(due, 'the due date').set(statutory, describe(due), due.source);
    if (extended) {
      reasoning.say(
        `Form ${form} cannot be extended: the original date applies.`,
        extension.source,
      );
      reasoning.warn(`extended8868 has no effect on ${form}`);
    }
  } else {
    const later = dayOfMonthAfter(fiscalYearEnd, extension);
    reasoning
      .rely(extension, 'the extended date')
      .set(later, describe(extension), extension.source);
    if (calendar.closedOn(statutory) !== undefined) {
      reasoning.rely(extension.afterRoll, 'that the extension runs from the statutory day');
    }
  }
  return rollForIrs(reasoning, law);
}

/** IRC 7503: to the next business day, where a holiday of the District of Columbia counts; where it decides, that is said. */
export function rollForIrs(reasoning: Reasoning, law: GrantsLaw): Reasoning {
  const { due } = law.form990;
  const raw = reasoning.day;
  reasoning.roll(law.calendarOf(due.calendar), due.rollSource);
  const federal = rollForward(raw, law.calendarOf(due.districtHolidays.without)).day;
  if (federal !== reasoning.day) {
    reasoning.rely(
      due.districtHolidays,
      `the District of Columbia holiday, or file by ${formatDay(federal)}`,
    );
  }
  return reasoning;
}

function describe(rule: DayOfMonthAfter): string {
  return `Day ${rule.day} of month ${rule.month} after the year's end.`;
}

function dayOfMonthAfter(
  yearEnd: Day,
  rule: { readonly month: number; readonly day: number },
): Day {
  const { year, month } = civilOf(yearEnd);
  const target = monthAfter(year, month, rule.month);
  return dayOf(target.year, target.month, rule.day);
}

export function isMonthEnd(day: Day): boolean {
  const { year, month } = civilOf(day);
  return day === lastDayOfMonth(year, month);
}
