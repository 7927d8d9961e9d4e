/**
 * Which of the days is one on which the office is closed, and whether a rule was read that moves it. Where none was read
 * the day stands: an early filing is never wrong, a late one may be.
 */
import {
  type Day,
  formatDay,
  type OfficeCalendar,
  rollForward,
  type Step,
  weekdayOf,
} from '../../../calendar/index.ts';
import type { FilingRule } from './filing-rule.ts';

const WEEKDAYS = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const;

export interface ClosedDate {
  readonly day: Day;
  readonly weekday: string;
  readonly reason: string;
}

/** What is known of moving a date of this rule. */
export interface RollRule {
  readonly rule: FilingRule['weekend_roll']['rule'];
  /** False: that nothing moves is the safe assumption, not something that was read. */
  readonly read: boolean;
  readonly note?: string;
}

export function weekdayName(day: Day): string {
  return WEEKDAYS[weekdayOf(day)] ?? '';
}

/** A first filing runs from its own event, and no roll was read for any. */
export function rollRuleOf(rule: FilingRule, isPeriodic: boolean): RollRule {
  const { note } = rule.weekend_roll;
  const known = isPeriodic ? rule.weekend_roll.rule : 'unknown';
  return {
    rule: known,
    read: known !== 'unknown',
    ...(note === null || (!isPeriodic && rule.weekend_roll.rule !== 'unknown') ? {} : { note }),
  };
}

export function closedDates(
  days: readonly (Day | undefined)[],
  businessDays: OfficeCalendar,
): readonly ClosedDate[] {
  const found = new Map<Day, ClosedDate>();
  for (const day of days) {
    if (day === undefined) continue;
    const closed = businessDays.closedOn(day);
    if (closed !== undefined) {
      found.set(day, { day, weekday: weekdayName(day), reason: closed.reason });
    }
  }
  return [...found.values()];
}

/** Tex. Tax Code § 171.202, Va. Code 1-210(E): on to the next business day; only verified closings move a date. */
export function roll(due: Day, rule: FilingRule, businessDays: OfficeCalendar): Step {
  const rolled = rollForward(due, businessDays);
  const skipped = rolled.skipped.map(({ day, reason }) => ({ day, reason }));
  const closed = skipped.map(closedWords).join(', ');
  return {
    text:
      closed === ''
        ? `${weekdayName(due)} ${formatDay(due)} is a business day, so the date does not move.`
        : `Not a business day: ${closed}; the date moves to the next business day.`,
    citation: rule.weekend_roll.note ?? rule.citation ?? '',
    act: { kind: 'roll', skipped },
    day: rolled.day,
  };
}

/** The day stands although the office is closed on it; the step says what that rests on. */
export function standingStep(
  day: Day,
  rule: RollRule,
  plan: { readonly scheduleBy: Day; readonly businessDays: OfficeCalendar },
): Step | undefined {
  const closed = plan.businessDays.closedOn(day);
  if (closed === undefined) return undefined;
  const why = rule.read
    ? 'the date does not move'
    : `no rule was read that moves it${note(rule)}, so the date stands`;
  return {
    text: `${closedWords(closed)} is not a business day; ${why}. Plan for ${weekdayName(plan.scheduleBy)} ${formatDay(plan.scheduleBy)}.`,
    act: { kind: 'set' },
    day,
  };
}

function note({ note: text }: RollRule): string {
  return text === undefined || text === 'no roll rule read' ? '' : ` (${text.replace(/\.$/, '')})`;
}

function closedWords({ day, reason }: { readonly day: Day; readonly reason: string }): string {
  const weekday = weekdayName(day);
  return `${formatDay(day)} (${reason === weekday ? weekday : `${weekday}, ${reason}`})`;
}
