/** The dates beside the due date: not before, without penalty until, lost on, and the clock of a notice. */
import {
  addDays,
  civilOf,
  type Day,
  dayOf,
  formatDay,
  lastDayOfMonth,
  monthAfter,
  nthWeekday,
  type OfficeCalendar,
  sameNumberDay,
  type WeekdayNumber,
} from '../../../calendar/index.ts';
import type { Alarm } from './alarm.ts';
import type { EntityCase } from './entity-case.ts';
import type { FinalRule } from './filing-rule.ts';
import { windowOpens } from './window.ts';

export interface BesideDate {
  readonly name:
    | 'window_opens'
    | 'window_opens_unverified'
    | 'penalty_free_until'
    | 'start_by'
    | 'final'
    | 'notice_due';
  readonly day: Day;
  readonly reason: string;
  readonly citation: string | undefined;
}

interface BesideContext {
  readonly entity: EntityCase;
  readonly nextDue: Day;
  /** Undefined for an initial report, and where the date is the record's and not the rule's. */
  readonly filingYear: number | undefined;
  /** Of a first filing: not before, and the day by which what precedes it must begin. */
  readonly opens: Day | undefined;
  readonly startBy: Day | undefined;
  readonly businessDays: OfficeCalendar;
  readonly alarms: Alarm[];
}

/** An initial report runs from the formation: the windows and grace of the periodic one are not its own. */
export function besideDates(context: BesideContext): BesideDate[] {
  const dates =
    context.entity.filing !== 'periodic'
      ? [...firstDates(context), noticeDue(context)]
      : [window(context), penaltyFreeUntil(context), final(context), noticeDue(context)];
  return dates.filter((date) => date !== undefined);
}

function firstDates({ entity, opens, startBy }: BesideContext): (BesideDate | undefined)[] {
  const citation = entity.rule.citation ?? undefined;
  return [
    opens === undefined
      ? undefined
      : {
          name: 'window_opens',
          day: opens,
          reason: 'The filing may be made from this day.',
          citation,
        },
    startBy === undefined
      ? undefined
      : {
          name: 'start_by',
          day: startBy,
          reason: `What must come before the filing takes ${entity.initial?.start_before_days} days: begin by this day.`,
          citation,
        },
  ];
}

function window({
  entity,
  nextDue,
  filingYear,
  businessDays,
}: BesideContext): BesideDate | undefined {
  const { rule, formed } = entity;
  if (rule.window_opens === null) return undefined;
  const anniversaryMonth =
    filingYear === undefined || formed === undefined
      ? undefined
      : dayOf(filingYear, civilOf(formed).month, 1);
  const opening = windowOpens(rule.window_opens, { due: nextDue, anniversaryMonth, businessDays });
  if (opening === undefined) return undefined;
  const verified = rule.window_verified === true;
  return {
    name: verified ? 'window_opens' : 'window_opens_unverified',
    day: opening.day,
    reason: verified ? opening.reason : `${opening.reason} This was not verified.`,
    citation: rule.citation ?? undefined,
  };
}

function penaltyFreeUntil({ entity, nextDue }: BesideContext): BesideDate | undefined {
  const grace = entity.rule.penalty_free_until;
  if (grace === undefined) return undefined;
  const due = civilOf(nextDue);
  const until = monthAfter(due.year, due.month, grace.offset_months);
  return {
    name: 'penalty_free_until',
    day: lastDayOfMonth(until.year, until.month),
    reason: `No penalty until the end of month ${grace.offset_months} after the due month.`,
    citation: entity.rule.citation ?? undefined,
  };
}

function final({ entity, nextDue }: BesideContext): BesideDate | undefined {
  const rule = entity.rule.final;
  const day = rule === undefined ? undefined : finalDay(rule, nextDue);
  if (rule === undefined || day === undefined) return undefined;
  return {
    name: 'final',
    day,
    reason: `If not filed by then: ${rule.effect}.`,
    citation: rule.citation ?? entity.rule.citation ?? undefined,
  };
}

function finalDay(rule: FinalRule, due: Day): Day | undefined {
  const { year } = civilOf(due);
  switch (rule.type) {
    case 'days_after_due':
      return addDays(due, rule.days);
    case 'months_after_due':
      return year >= (rule.due_year_from ?? year) ? sameNumberDay(due, rule.months) : undefined;
    case 'fixed_in_due_year':
      return dayOf(year, rule.month, rule.day);
    case 'nth_weekday':
      return nthWeekday(year, rule.month, {
        // The schema admits 0 to 6 only.
        weekday: rule.weekday as WeekdayNumber,
        n: rule.n,
      });
  }
}

// Cal. Corp. Code §§ 2204, 17713.09: still unfiled 60 days after the notice, the entity is certified for the penalty.
function noticeDue({ entity, alarms }: BesideContext): BesideDate | undefined {
  const rule = entity.rule.delinquency_notice;
  const notice = entity.delinquencyNotice;
  if (rule === undefined || notice === undefined) return undefined;
  const day = addDays(notice, rule.days);
  if (day < entity.asOf) {
    alarms.push({
      code: 'NOTICE_PERIOD_OVER',
      message: `The ${rule.days} days after the notice ended on ${formatDay(day)}: unless the filing was made by then, the penalty of $${rule.penalty_usd} is assessed.`,
    });
  }
  return {
    name: 'notice_due',
    day,
    reason: `${rule.days} days after the notice of delinquency of ${formatDay(notice)}; after that the penalty is $${rule.penalty_usd}.`,
    citation: rule.citation,
  };
}
