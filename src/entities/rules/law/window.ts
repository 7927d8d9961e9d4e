/** The first day on which a filing may be made. A statement sent before it is rejected or wasted. */
import {
  addDays,
  civilOf,
  clampedDay,
  type Day,
  dayOf,
  monthAfter,
  type OfficeCalendar,
  rollForward,
} from '../../../calendar/index.ts';
import type { WindowRule } from './filing-rule.ts';

interface WindowContext {
  readonly due: Day;
  /** First day of the anniversary month that this filing belongs to; undefined when only the state's date is known. */
  readonly anniversaryMonth: Day | undefined;
  readonly businessDays: OfficeCalendar;
}

interface WindowOpening {
  readonly day: Day;
  readonly reason: string;
}

export function windowOpens(rule: WindowRule, context: WindowContext): WindowOpening | undefined {
  const due = civilOf(context.due);
  switch (rule.type) {
    case 'fixed':
      return {
        day: clampedDay(due.year, rule.month, rule.day),
        reason: 'The filing may be made from this day of the due year.',
      };
    case 'days_before_due':
      return {
        day: addDays(context.due, -rule.days),
        reason: `The filing may be made from ${rule.days} days before the due date.`,
      };
    case 'months_before_due': {
      const opening = monthAfter(due.year, due.month, -rule.months);
      return {
        day: clampedDay(opening.year, opening.month, due.day),
        reason: `The filing may be made from ${rule.months} months before the due date.`,
      };
    }
    case 'months_before_due_month': {
      const opening = monthAfter(due.year, due.month, -rule.months);
      return {
        day: dayOf(opening.year, opening.month, 1),
        reason: `The filing may be made in the due month and the ${rule.months} months before it.`,
      };
    }
    case 'days_before_anniversary_month':
      return context.anniversaryMonth === undefined
        ? undefined
        : {
            day: addDays(context.anniversaryMonth, -rule.days),
            reason: `The filing may be made from ${rule.days} days before the anniversary month.`,
          };
    case 'first_day_of_due_quarter':
      return {
        day: dayOf(due.year, Math.floor((due.month - 1) / 3) * 3 + 1, 1),
        reason: 'The filing may be made in the calendar quarter of the due date.',
      };
    case 'first_business_day_of_due_month':
      return firstBusinessDay(dayOf(due.year, due.month, 1), context.businessDays);
  }
}

/** A projected holiday counts too: a day too late loses nothing here, a day too early is rejected. */
function firstBusinessDay(first: Day, businessDays: OfficeCalendar): WindowOpening {
  const rolled = rollForward(first, businessDays, 'verified-and-projected');
  const closed = rolled.skipped.map((skipped) => skipped.reason).join(', ');
  return {
    day: rolled.day,
    reason: `The filing is not accepted before the first business day of the month${closed === '' ? '.' : ` (closed before: ${closed}).`}`,
  };
}
