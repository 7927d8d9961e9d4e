/** What every way to a date counts by: the arithmetic of the matter, its roll, the due day of a year. */
import {
  addMonths,
  type Day,
  type Duration,
  type MonthArithmetic,
  type Period,
} from '../../calendar/index.ts';
import { invariant } from '../../core/index.ts';
import type { Course } from './course.ts';
import { type Matter, parsedPeriod } from './matter.ts';

export interface Outcome {
  readonly raw: Day;
  readonly due: Day;
  /** The day from which a notified period runs. */
  readonly deemed?: Day;
  /** Found on the way; only compared with what the case says. */
  readonly firstRolled?: Day;
}

export function periodIn(matter: Matter): Period {
  invariant(matter.period.kind === 'period', 'Expected a matter with a period.');
  return matter.period.period;
}

export function arithmeticOf(matter: Matter): MonthArithmetic {
  return matter.rule.arithmetic ?? matter.office.arithmetic;
}

export function rollIfRuled(course: Course, matter: Matter, raw: Day): Day {
  return matter.rule.roll ? course.roll(raw) : raw;
}

/** Year n begins n - 1 years after the day from which years are counted. */
export function renewalDueDay({ rule, office, trigger }: Matter, year: number): Day {
  const months = 12 * (year - 1);
  return rule.renewal.dueAt === 'month-end'
    ? addMonths(trigger, months, 'month-end')
    : addMonths(trigger, months, rule.arithmetic ?? office.arithmetic);
}

/**
 * What was set, without extensions: the first term, less the extension where the case writes both as one total, and never
 * more than the law itself sets.
 */
export function setTermOf({ period, setPeriod, inputs }: Matter): Duration | undefined {
  const [first, ...more] = period.kind === 'period' ? (period.period.inARow[0]?.terms ?? []) : [];
  if (first === undefined) return undefined;
  const inside = more.length === 0 ? (inputs.extensionMonths ?? 0) : 0;
  if (inside === 0 && setPeriod === undefined) return first;
  const given = { ...first, months: Math.max(first.months - inside, 0) };
  const law = setPeriod === undefined ? undefined : parsedPeriod(setPeriod);
  const [set] = law?.kind === 'period' ? (law.period.inARow[0]?.terms ?? []) : [];
  return set !== undefined && set.days === 0 && set.months < given.months ? set : given;
}
