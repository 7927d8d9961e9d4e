/** What a case must respect, and what it repeats: the first is refused, the second only compared. */
import {
  addDays,
  type Day,
  type Duration,
  formatDay,
  type Period,
  periodEnd,
  startsOf,
  weekdayOf,
} from '../../calendar/index.ts';
import { invalid, NO_INPUTS, type PatentCase } from './case.ts';
import { choiceEnd } from './choice.ts';
import { arithmeticOf, type Outcome, renewalDueDay } from './counting.ts';
import type { Course } from './course.ts';
import { type Matter, type MatterPeriod, parsedPeriod } from './matter.ts';
import type { PatentRules } from './rules-file.ts';
import { plural } from './words.ts';

const TUESDAY = 2;

/** Before anything is computed: periods and extensions that the law does not know. */
export function checkLimits(matter: Matter, course: Course): void {
  checkSetPeriod(matter, course);
  const { limits, rule } = matter.rule;
  if (limits === undefined || matter.period.kind !== 'period') return;
  const { period } = matter.period;
  if (limits.oneOf !== undefined && !isOneOf(period, limits.oneOf)) {
    const names = limits.oneOf.map((known) => known.text);
    const message = `period: expected ${names.slice(0, -1).join(', ')} or ${names.at(-1)} for ${rule}, found "${period.text}" (${limits.citation})`;
    if (limits.beyond === 'refuse') invalid(message);
    course.warnings.push(message);
  }
  for (const one of period.inARow) {
    const [set, ...extensions] = one.terms;
    const extension = extensions.reduce((sum, term) => sum + term.months, 0);
    const total = (set?.months ?? 0) + extension;
    const { extensionMonthsMax, totalMonthsMin, totalMonthsMax } = limits;
    const faults = [
      extensionMonthsMax !== undefined && extension > extensionMonthsMax
        ? `expected an extension of at most ${plural(extensionMonthsMax, 'month')}, found ${extension}`
        : undefined,
      totalMonthsMax !== undefined && total > totalMonthsMax
        ? `expected at most ${plural(totalMonthsMax, 'month')} in all, found ${total}`
        : undefined,
      totalMonthsMin !== undefined && one.daysFirst === 0 && total < totalMonthsMin
        ? `expected at least ${plural(totalMonthsMin, 'month')}, found ${total}`
        : undefined,
    ];
    for (const fault of faults) {
      if (fault === undefined) continue;
      const message = `period: ${rule} with "${period.text}": ${fault} (${limits.citation})`;
      if (limits.beyond === 'refuse') invalid(message);
      course.warnings.push(message);
    }
  }
}

/** 35 U.S.C. 133 lets no period for reply be shorter. */
const US_REPLY_DAYS_MIN = 30;

/** What the case says twice, and not the same: it is computed as it always was, and nobody may rely on it unseen. */
export function tellContradictions(
  one: PatentCase,
  matter: Matter,
  rules: Pick<PatentRules, 'filingCountries'>,
  course: Course,
): void {
  const { office, rule, trigger, inputs } = matter;
  const country = one.filingCountry;
  const implied = country === undefined ? undefined : rules.filingCountries.get(country);
  if (one.office !== undefined && implied !== undefined && implied !== office.code) {
    doubt(
      course,
      `filing_country: ${country} implies the office ${implied}, but the case names ${office.code}; ${office.code} was used`,
    );
  }
  if (country !== undefined && implied === undefined) {
    course.warnings.push(
      `filing_country: ${country} is not in the table of countries, so it was not compared with the office ${office.code}`,
    );
  }
  const isTerm = rule.formula === 'term-disclaimer';
  if (isTerm && inputs.disclaimedTo !== undefined && inputs.disclaimedTo < trigger) {
    invalid(
      `inputs.disclaimed_to: ${formatDay(inputs.disclaimedTo)} is before the filing date, ${formatDay(trigger)}`,
    );
  }
  if (rule.final?.kind !== 'us-reply' || matter.period.kind !== 'period') return;
  // What the action sets, whatever extension the case has added to it.
  const set = matter.period.period.inARow[0]?.terms[0];
  if (set?.months === 0 && set.days < US_REPLY_DAYS_MIN) {
    doubt(
      course,
      `period: ${set.text} is shorter than the ${US_REPLY_DAYS_MIN} days that a reply must have at least (35 U.S.C. 133); check the action again`,
    );
  }
}

function doubt(course: Course, message: string): void {
  course.warnings.push(message);
  course.lower('low', () => message);
}

function isOneOf({ inARow }: Period, known: readonly Duration[]): boolean {
  const [one] = inARow;
  return (
    one !== undefined &&
    inARow.length === 1 &&
    known.some(({ months, days }) => one.months === months && one.daysFirst + one.daysLast === days)
  );
}

/**
 * A period that the rule itself sets. A longer one would show a date at which the right is already lost, so it is refused
 * unless the rule knows extensions; a shorter one only comes early (six months of priority for a design).
 */
function checkSetPeriod(matter: Matter, course: Course): void {
  const { rule, period, setPeriod } = matter;
  const set = setPeriod === undefined ? undefined : parsedPeriod(setPeriod);
  if (set === undefined || set === period) return;
  const [given, expected] = [endOf(period, matter), endOf(set, matter)];
  if (given === undefined || expected === undefined) {
    // An input is missing: two texts can only be compared as they are written.
    if (textOf(period) === textOf(set)) return;
    invalid(`period: ${rule.rule} sets ${setPeriod} (${rule.citation}), found "${textOf(period)}"`);
  }
  const difference = given - expected;
  if (difference === 0) return;
  const message = `period: ${rule.rule} sets ${setPeriod} (${rule.citation}), found "${textOf(period)}"`;
  if (difference > 0 && rule.extendable !== true) {
    invalid(`${message}, which ends later; no extension of it is known`);
  }
  course.warnings.push(`${message}, which was used`);
}

/** Without a roll; undefined where an input that a period runs from is missing. */
function endOf(period: MatterPeriod, matter: Matter): Day | undefined {
  if (period.kind === 'choice') return choiceEnd(period.choice, matter);
  if (period.kind !== 'period') return undefined;
  return period.period.inARow.reduce(
    (start, piece) => periodEnd(start, piece, arithmeticOf(matter)),
    matter.trigger,
  );
}

function textOf(period: MatterPeriod): string {
  const text =
    period.kind === 'period'
      ? period.period.text
      : period.kind === 'choice'
        ? period.choice.text
        : period.kind;
  return text.replaceAll(/\s+/g, ' ');
}

/** After the computation: what the case repeats and the computation found otherwise. */
export function compareInputs(matter: Matter, outcome: Outcome, course: Course): void {
  const { inputs, rule, trigger } = matter;
  if (rule.grantOnTuesday && weekdayOf(trigger) !== TUESDAY) {
    course.warnings.push(
      `trigger_date: patents are granted on Tuesdays, and ${formatDay(trigger)} is not a Tuesday: check the grant date`,
    );
  }
  if (inputs === NO_INPUTS) return;
  for (const name of inputs.unknown) {
    course.warnings.push(`inputs.${name} is not known and was not used`);
  }
  tellUnused(matter, course);
  const { checks } = inputs;
  const compare = (name: string, given: Day | undefined, found: Day | undefined): void => {
    if (given === undefined || found === undefined || given === found) return;
    course.warnings.push(
      `inputs.${name}: the case says ${formatDay(given)}, the rule gives ${formatDay(found)}`,
    );
  };
  compare('deemed_date', checks.deemedDate, outcome.deemed);
  compare('deferred_due_date', checks.deferredDueDate, outcome.firstRolled);
  compare('abandoned_as_of', checks.abandonedAsOf, abandonedAsOf(matter, outcome));
  compare('due_date', checks.dueDate, renewalDueOf(matter));
  if (checks.extendable !== undefined && rule.extendable !== undefined) {
    if (checks.extendable && !rule.extendable) {
      course.warnings.push(`inputs.extendable: ${rule.rule} is not extendable`);
    }
  }
  const extension = extensionIn(matter);
  if (inputs.extensionMonths !== undefined && extension !== undefined) {
    if (inputs.extensionMonths !== extension) {
      course.warnings.push(
        `inputs.extension_months: the case says ${inputs.extensionMonths}, its period holds ${extension}`,
      );
    }
  }
}

function abandonedAsOf(matter: Matter, outcome: Outcome): Day {
  return matter.rule.formula === 'day-after' ? outcome.due : addDays(outcome.due, 1);
}

function renewalDueOf(matter: Matter): Day | undefined {
  if (matter.period.kind !== 'renewal') return undefined;
  return renewalDueDay(matter, matter.period.year);
}

/** A day that the rule never looks at was typed for something: perhaps for another rule, or under another name. */
function tellUnused({ rule, period, inputs }: Matter, course: Course): void {
  const used = [...rule.needs, ...rule.takes];
  if (period.kind === 'choice') used.push(...startsOf(period.choice));
  for (const name of inputs.days.keys()) {
    if (!used.includes(name)) {
      course.warnings.push(`inputs.${name} was not used: ${rule.rule} does not depend on it`);
    }
  }
}

/** Undefined where the period is written as a total: then nothing can be compared. */
function extensionIn(matter: Matter): number | undefined {
  if (matter.period.kind !== 'period') return undefined;
  const [one] = matter.period.period.inARow;
  if (one === undefined || one.terms.length < 2) return undefined;
  return one.terms.slice(1).reduce((sum, term) => sum + term.months, 0);
}
