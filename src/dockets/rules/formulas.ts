/** The ways in which the rules lead from a trigger to `raw` and `due`. Each uses the course's moves and nothing else. */
import {
  addMonths,
  type Day,
  daysBeyondSafeguard,
  deemedDelivery,
  formatDay,
  type MonthArithmetic,
  type NotificationRegime,
  parseDay,
  type Period,
  regimeOf,
  sameNumberDay,
} from '../../calendar/index.ts';
import { invariant } from '../../core/index.ts';
import { invalid } from './case.ts';
import type { Course } from './course.ts';
import type { Matter } from './matter.ts';
import type { PatentRules } from './rules-file.ts';
import { plural, sayDay } from './words.ts';

export interface Outcome {
  readonly raw: Day;
  readonly due: Day;
  /** Found on the way; only compared with what the case says. */
  readonly deemed?: Day;
  readonly firstRolled?: Day;
}

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
    case 'receipt':
      return runReceipt(course, matter);
  }
}

export function periodIn(matter: Matter): Period {
  invariant(matter.period.kind === 'period', 'Expected a matter with a period.');
  return matter.period.period;
}

export function arithmeticOf(matter: Matter): MonthArithmetic {
  return matter.rule.arithmetic ?? matter.office.arithmetic;
}

function runPeriod(course: Course, matter: Matter): Outcome {
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

function rollIfRuled(course: Course, matter: Matter, raw: Day): Day {
  return matter.rule.roll ? course.roll(raw) : raw;
}

function regimeFor(matter: Matter, rules: PatentRules): NotificationRegime {
  const regimes = rules.regimes.get(matter.rule.regimes ?? '') ?? [];
  const regime = regimeOf(matter.trigger, regimes);
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
  course.start(matter.trigger, matter.rule.trigger);
  // Rule 51(1) EPC: the last day of the month of the anniversary; year n begins n - 1 years after filing.
  return course.months(matter.trigger, 12 * (matter.period.year - 1), {
    arithmetic: 'month-end',
    citation: 'Rule 51(1) EPC',
  });
}

function runRenewal(course: Course, matter: Matter): Outcome {
  const { rule } = matter;
  let raw = renewalDue(course, matter);
  if (rule.offsetMonths !== 0) {
    raw = course.months(raw, rule.offsetMonths, {
      arithmetic: 'month-end',
      citation: rule.citation,
    });
  }
  return { raw, due: rollIfRuled(course, matter, raw) };
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

// PCT Rule 80.2 against Japan Patent Act Art. 3: at month ends they differ, and the earlier date is docketed.
function runEarlierArithmetic(course: Course, matter: Matter): Outcome {
  const { trigger, rule } = matter;
  course.start(trigger, rule.trigger, rule.citation);
  const treaty = courseEnd(course, matter, 'same-number');
  const national = courseEnd(course.aside(), matter, 'japanese');
  if (treaty === national) return { raw: treaty, due: rollIfRuled(course, matter, treaty) };
  course.lower('low', () => rule.note ?? 'Two ways of counting differ; the earlier date is used.');
  const raw = course.earlierOf(treaty, national, {
    text: `Counted by Art. 3 of the Patent Act the day would be ${sayDay(national)}`,
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
