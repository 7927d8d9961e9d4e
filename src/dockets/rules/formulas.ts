/** The ways in which the rules lead from a trigger to `raw` and `due`. Each uses the course's moves and nothing else. */
import {
  addMonths,
  civilOf,
  type Day,
  daysBeyondSafeguard,
  deemedDelivery,
  formatDay,
  type MonthArithmetic,
  type NotificationRegime,
  parseDay,
  regimeOf,
  sameNumberDay,
} from '../../calendar/index.ts';
import { invariant } from '../../core/index.ts';
import { invalid } from './case.ts';
import { runChoice } from './choice.ts';
import { arithmeticOf, type Outcome, periodIn, renewalDueDay, rollIfRuled } from './counting.ts';
import type { Course } from './course.ts';
import type { Matter } from './matter.ts';
import type { PatentRules } from './rules-file.ts';
import { runDayBefore, runFinalAdvisory, runFirstDayCounts } from './special-formulas.ts';
import { plural, sayDay } from './words.ts';

export function runFormula(course: Course, matter: Matter, rules: PatentRules): Outcome {
  switch (matter.rule.formula) {
    case 'period':
      return runPeriod(course, matter);
    case 'notified-period':
      return runNotified(course, matter, regimeFor(matter, rules));
    case 'renewal':
      return runRenewal(course, matter);
    case 'renewal-earliest':
      return runRenewalEarliest(course, matter);
    case 'term-disclaimer':
      return runTerm(course, matter);
    case 'earlier-arithmetic':
      return runEarlierArithmetic(course, matter);
    case 'day-after':
      return runDayAfter(course, matter);
    case 'renewal-first-late':
      return runFirstLate(course, matter);
    case 'final-advisory':
      return runFinalAdvisory(course, matter);
    case 'first-day-counts':
      return runFirstDayCounts(course, matter);
    case 'day-before':
      return runDayBefore(course, matter);
    case 'receipt':
      return runReceipt(course, matter);
    case 'none':
      // Refused with its reason before anything is computed.
      return invalid(`rule: ${matter.rule.rule} sets no period`);
  }
}

function runPeriod(course: Course, matter: Matter): Outcome {
  if (matter.period.kind === 'choice') {
    const raw = runChoice(course, matter, matter.period.choice);
    return { raw, due: rollIfRuled(course, matter, raw) };
  }
  const { raw, firstRolled } = runInARow(
    course,
    matter,
    course.start(matter.trigger, matter.rule.trigger, matter.rule.citation),
  );
  const capped = statutoryCap(course, matter, raw);
  return { raw: capped, due: rollIfRuled(course, matter, capped), ...firstRolled };
}

/** `A then B`: B starts at the rolled end of A (Legal Advice 5/93 rev.; INPIT FAQ on Art. 3(2), note 3). */
function runInARow(
  course: Course,
  matter: Matter,
  start: Day,
): { readonly raw: Day; readonly firstRolled: { readonly firstRolled?: Day } } {
  const { inARow } = periodIn(matter);
  let raw = start;
  let firstRolled: Day | undefined;
  for (const [index, period] of inARow.entries()) {
    if (index > 0) {
      raw = course.roll(raw);
      firstRolled ??= raw;
    }
    raw = course.period(raw, period, arithmeticOf(matter));
  }
  return { raw, firstRolled: firstRolled === undefined ? {} : { firstRolled } };
}

// 35 U.S.C. 133; 37 CFR 1.136(a)(1): days plus months can reach behind six months; the earlier of both counts.
function statutoryCap(course: Course, matter: Matter, raw: Day): Day {
  const { limits } = matter.rule;
  if (limits?.totalMonthsMax === undefined || limits.beyond !== 'refuse') return raw;
  const maximum = sameNumberDay(matter.trigger, limits.totalMonthsMax);
  if (raw <= maximum) return raw;
  return course.earlierOf(raw, maximum, {
    text: `The law allows at most ${plural(limits.totalMonthsMax, 'month')} from the start, to ${sayDay(maximum)}`,
    citation: limits.citation,
  });
}

function regimeFor(matter: Matter, rules: PatentRules): NotificationRegime {
  const regimes = rules.regimes.get(matter.rule.regimes ?? '') ?? [];
  // Served electronically is the earlier date wherever the two differ.
  const regime = regimeOf(matter.trigger, regimes, matter.inputs.served ?? 'electronic');
  if (regime === undefined) {
    invalid(
      `trigger_date: no rule on notification is known for a document of ${formatDay(matter.trigger)}`,
    );
  }
  return regime;
}

// Rules 126(2), 127(2), 131(2) EPC; T 2056/08: first the delivery, then the months. PCT Rule 80.6.
function runNotified(course: Course, matter: Matter, regime: NotificationRegime): Outcome {
  const { trigger, rule, inputs } = matter;
  course.start(trigger, rule.trigger, rule.citation);
  tellServed(course, matter, regime);
  const deemed = deemedDelivery(trigger, regime, inputs.deliveredDate);
  if (deemed !== trigger) {
    const text =
      deemed === inputs.deliveredDate && deemed - trigger !== regime.deemedAfterDays
        ? `Delivered ${plural(deemed - trigger, 'day')} after its date, later than deemed`
        : `Deemed delivered on day ${regime.deemedAfterDays} after its date`;
    course.days(trigger, deemed - trigger, { text, citation: regime.citation });
  } else {
    course.set(deemed, {
      text: 'Deemed delivered on the date that the document bears; no days are added.',
      citation: regime.citation,
    });
  }
  const { raw: unextended, firstRolled } = runInARow(course, matter, deemed);
  const beyond =
    regime.safeguardAfterDays === undefined || inputs.deliveredDate === undefined
      ? 0
      : daysBeyondSafeguard(trigger, inputs.deliveredDate, regime.safeguardAfterDays);
  if (beyond === 0) {
    return {
      raw: unextended,
      due: rollIfRuled(course, matter, unextended),
      deemed,
      ...firstRolled,
    };
  }
  const raw = course.days(unextended, beyond, {
    text: `Delivered ${plural(beyond, 'day')} beyond the ${regime.safeguardAfterDays} days of the safeguard, so the period ends later by as many`,
    citation: regime.citation,
  });
  const due = rollIfRuled(course, matter, raw);
  return {
    raw,
    due: otherOrder(course, matter, { unextended, beyond, due }),
    deemed,
    ...firstRolled,
  };
}

function tellServed(course: Course, { inputs }: Matter, regime: NotificationRegime): void {
  if (regime.served !== undefined && inputs.served === undefined) {
    const message =
      'inputs.served is missing: counted as served electronically, which is the earlier date; give electronic or post';
    course.warnings.push(message);
    course.lower('medium', () => message);
  }
  const isUsed = regime.safeguardAfterDays !== undefined || regime.laterDeliveryCounts;
  if (inputs.deliveredDate !== undefined && !isUsed) {
    course.warnings.push(
      'inputs.delivered_date was not used: only the deemed delivery counts here',
    );
  }
}

/** Whether the roll comes before or after the safeguard's days is not settled: the earlier of both orders is taken. */
function otherOrder(
  course: Course,
  matter: Matter,
  at: { readonly unextended: Day; readonly beyond: number; readonly due: Day },
): Day {
  const quiet = course.aside();
  const rolledFirst = quiet.roll(at.unextended);
  if (rolledFirst === at.unextended || !matter.rule.roll) return at.due;
  course.lower(
    'low',
    () =>
      'The order of the safeguard’s days and the roll is not settled; the earlier of the two results is used.',
  );
  return course.earlierOf(at.due, quiet.roll(quiet.days(rolledFirst, at.beyond)), {
    text: 'Rolled first and lengthened afterwards, the date would be different',
    citation: matter.rule.citation,
  });
}

function renewalDue(course: Course, matter: Matter): Day {
  invariant(matter.period.kind === 'renewal', 'Expected a matter with a renewal year.');
  const { renewal } = matter.rule;
  course.start(matter.trigger, matter.rule.trigger, matter.rule.citation);
  return course.months(matter.trigger, 12 * (matter.period.year - 1), {
    arithmetic: renewal.dueAt === 'month-end' ? 'month-end' : arithmeticOf(matter),
    citation: renewal.citation,
  });
}

function runRenewal(course: Course, matter: Matter): Outcome {
  const { rule } = matter;
  let raw = renewalDue(course, matter);
  if (rule.offsetMonths !== 0) {
    raw = course.months(raw, rule.offsetMonths, {
      arithmetic: rule.renewal.dueAt === 'month-end' ? 'month-end' : arithmeticOf(matter),
      citation: rule.citation,
    });
  }
  return { raw, due: rollIfRuled(course, matter, raw) };
}

const FIRST_LATE_MONTHS = 3;

// Patents Rules 2007 r. 37(3): granted late, the first fee is due by the end of the month in which three months end.
function runFirstLate(course: Course, matter: Matter): Outcome {
  const { rule } = matter;
  const anniversary = renewalDueDay(matter, rule.renewal.from);
  const granted = course.start(
    matter.inputs.days.get('grant_date') ?? anniversary,
    'grant date',
    rule.citation,
  );
  if (sameNumberDay(granted, FIRST_LATE_MONTHS) < matter.trigger) {
    invalid('inputs.grant_date: the patent was granted before it was filed');
  }
  const three = course.months(granted, FIRST_LATE_MONTHS, { arithmetic: 'same-number' });
  if (civilOf(granted).day === 1) {
    course.lower(
      'low',
      () =>
        'Granted on the first of a month, the three months end in one month or in the next, as one reads the rule; the earlier is used.',
    );
  }
  // Counted with the day of grant they end a day sooner, which matters on the first of a month alone.
  const eve = course.days(three, -1, {
    text: 'Counted with the day of grant, the last day of the three months',
    citation: rule.citation,
  });
  const raw = course.months(eve, 0, { arithmetic: 'month-end', citation: rule.citation });
  const lastDay = addMonths(matter.trigger, 12 * (rule.renewal.from - 1), 'month-end');
  if (raw >= lastDay) return { raw, due: rollIfRuled(course, matter, raw) };
  invalid(
    `inputs.grant_date: granted early enough for the ordinary date, ${formatDay(lastDay)}; use GB-RENEWAL-LAST-DAY`,
  );
}

const THIRD_YEAR = 3;
const EARLIER_PAYMENT_FROM = parseDay('2018-04-01');

// Rule 51(1) EPC: three months before the due date, six for the third year since 1 April 2018; month end to month end.
function runRenewalEarliest(course: Course, matter: Matter): Outcome {
  const { rule, period } = matter;
  const due = renewalDue(course, matter);
  const sixMonths = addMonths(due, -6, 'month-end');
  const isThird = period.kind === 'renewal' && period.year === THIRD_YEAR;
  const changed = EARLIER_PAYMENT_FROM !== undefined && due >= EARLIER_PAYMENT_FROM;
  const inside = EARLIER_PAYMENT_FROM !== undefined && sixMonths >= EARLIER_PAYMENT_FROM;
  if (isThird && changed && !inside) {
    course.lower(
      'low',
      () =>
        'Six months before this due date lie before the change of 1 April 2018; three months are safe, since a fee paid too early is not paid.',
    );
  }
  const months = isThird && inside ? -6 : -3;
  const raw = course.months(due, months, { arithmetic: 'month-end', citation: rule.citation });
  return { raw, due: raw };
}

// 35 U.S.C. 154(a)(2), 154(b)(2)(B); 37 CFR 1.703(g): term, plus adjustment, never past the disclaimed date; no roll.
function runTerm(course: Course, matter: Matter): Outcome {
  const { trigger, rule, inputs } = matter;
  let raw = runInARow(course, matter, course.start(trigger, rule.trigger, rule.citation)).raw;
  if (inputs.ptaDays === undefined) {
    course.warnings.push('inputs.pta_days is missing: no term adjustment was added');
  } else if (inputs.ptaDays > 0) {
    raw = course.days(raw, inputs.ptaDays, {
      text: `Plus ${plural(inputs.ptaDays, 'day')} of term adjustment`,
      citation: '35 U.S.C. 154(b)',
    });
  }
  if (inputs.disclaimedTo === undefined) {
    course.warnings.push('inputs.disclaimed_to is missing: no terminal disclaimer was applied');
    return { raw, due: raw };
  }
  const due = course.earlierOf(raw, inputs.disclaimedTo, {
    text: `The term is disclaimed beyond ${sayDay(inputs.disclaimedTo)}, and a disclaimer never lengthens`,
    citation: '35 U.S.C. 154(b)(2)(B), 253; 37 CFR 1.321, 1.703(g)',
  });
  return { raw, due };
}

// PCT Rule 80.2 against Japan Patent Act Art. 3 and Korea Patent Act Art. 14: at month ends they differ, and the earlier date is docketed.
function runEarlierArithmetic(course: Course, matter: Matter): Outcome {
  const { trigger, rule } = matter;
  course.start(trigger, rule.trigger, rule.citation);
  const treaty = courseEnd(course, matter, 'same-number');
  const national = courseEnd(course.aside(), matter, 'japanese');
  if (treaty === national) return { raw: treaty, due: rollIfRuled(course, matter, treaty) };
  course.lower('low', () => rule.note ?? 'Two ways of counting differ; the earlier date is used.');
  const raw = course.earlierOf(treaty, national, {
    text: `Counted by the national Patent Act the day would be ${sayDay(national)}`,
    citation: rule.citation,
  });
  return { raw, due: rollIfRuled(course, matter, raw) };
}

function courseEnd(course: Course, matter: Matter, arithmetic: MonthArithmetic): Day {
  let day = matter.trigger;
  for (const [index, period] of periodIn(matter).inARow.entries()) {
    day = course.period(index === 0 ? day : course.roll(day), period, arithmetic);
  }
  return day;
}

// MPEP 710.01(a), 711.04(a): abandoned as of the day after the rolled last day; that day is not rolled.
function runDayAfter(course: Course, matter: Matter): Outcome {
  const { raw, due } = runPeriod(course, matter);
  const after = course.days(due, 1, {
    text: 'Abandoned as of the day after the last day, whatever day that is',
    citation: matter.rule.citation,
  });
  return { raw, due: after };
}

function runReceipt(course: Course, matter: Matter): Outcome {
  const { trigger, rule, calendar, triggerText } = matter;
  course.set(trigger, {
    text: `${triggerText} is ${sayDay(trigger)} in the zone of the office, ${calendar.zone}; a closed day counts as well.`,
    citation: rule.citation,
  });
  const { receiptFrom } = rule;
  if (receiptFrom !== undefined && trigger < receiptFrom) {
    course.lower(
      'medium',
      () =>
        `The rule was read as in force from ${formatDay(receiptFrom)}; this receipt is earlier.`,
    );
  }
  return { raw: trigger, due: trigger };
}
