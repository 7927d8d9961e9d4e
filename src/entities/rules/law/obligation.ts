/** What an entity owes next and when: the rule's date, the state's own record above it, and everything that hangs on it. */
import {
  addDays,
  civilOf,
  type Confidence,
  type Day,
  dayOf,
  formatDay,
  leastConfidence,
  type OfficeCalendar,
  type Step,
} from '../../../calendar/index.ts';
import { FilewrightError, type OpeningHours } from '../../../core/index.ts';
import type { Alarm } from './alarm.ts';
import { caseConfidence } from './case-confidence.ts';
import { type Cutoff, cutoffOf } from './cutoff.ts';
import type { EntityCase } from './entity-case.ts';
import { type BesideDate, besideDates } from './obligation-dates.ts';
import { ruleDate, type RuleDate } from './obligation-rule-date.ts';
import type { EntityRules } from './read-entity-rules.ts';
import {
  type ClosedDate,
  closedDates,
  roll,
  type RollRule,
  rollRuleOf,
  standingStep,
} from './weekend.ts';

/** The law and the portals as values; where they come from is the caller's business. */
export interface EntityLaw {
  readonly rules: EntityRules;
  /** Weekends and federal holidays. */
  readonly businessDays: OfficeCalendar;
  /** Hours of a shipped portal profile. */
  readonly hoursOf: (profile: string) => OpeningHours | undefined;
  readonly calendarOf: (code: string) => OfficeCalendar | undefined;
}

interface Obligation {
  /** Undefined: the law asks for nothing. */
  readonly nextDue: Day | undefined;
  /** The day to rely on: moved where a roll rule was read, earlier where the law or its readings are. */
  readonly due: Day | undefined;
  readonly rolledDue: Day | undefined;
  readonly lastTimelyDay: Day | undefined;
  readonly conservativeDue: Day | undefined;
  readonly beside: readonly BesideDate[];
  readonly cutoff: Cutoff | undefined;
  /** The last business day on or before every reading of the due date. */
  readonly scheduleBy: Day | undefined;
  /** Undefined where nothing is owed. */
  readonly rollRule: RollRule | undefined;
  /** The named days on which no business is done. */
  readonly closed: readonly ClosedDate[];
  readonly steps: readonly Step[];
  readonly alarms: readonly Alarm[];
  readonly confidence: Confidence;
}

const BACK_DAYS_MAX = 15;

export function computeObligation(entity: EntityCase, law: EntityLaw): Obligation {
  const alarms: Alarm[] = [];
  const settled = settle(entity, law.businessDays, alarms);
  if (settled.kind === 'nothing') return nothingOwed(entity, settled.because, alarms);
  const { day: nextDue, steps } = settled;
  const stated = leastConfidence(settled.confidence, caseConfidence(entity, alarms));
  const { due, rolledDue, lastTimelyDay, conservativeDue } = reliedOn(entity, settled, law);
  const moved = rolledDue === undefined ? businessDayWindow(entity) : 'the moved date';
  const isUncovered = moved !== undefined && law.businessDays.coverageOf(nextDue) !== 'complete';
  if (isUncovered) {
    alarms.push({
      code: 'CALENDAR_NOT_COVERED',
      message: `The holidays of ${civilOf(nextDue).year} are not all known, so ${moved} may be wrong.`,
    });
  }
  if (due < entity.asOf && nextDue >= entity.asOf) {
    alarms.push({
      code: 'LAST_DAY_PAST',
      message: `The date to use, ${formatDay(due)}, is before ${formatDay(entity.asOf)}, although the named date is ${formatDay(nextDue)}: if the filing has not been made, treat it as late.`,
    });
  }
  const readings = [nextDue, lastTimelyDay, conservativeDue].filter((day) => day !== undefined);
  const scheduleBy = lastBusinessDay(
    readings.reduce((a, b) => (b < a ? b : a)),
    law.businessDays,
  );
  const rollRule = rollRuleOf(entity.rule, entity.filing === 'periodic');
  const stands =
    rolledDue === undefined
      ? standingStep(due, rollRule, { scheduleBy, businessDays: law.businessDays })
      : undefined;
  if (stands !== undefined) steps.push(stands);
  return {
    nextDue,
    due,
    rolledDue,
    lastTimelyDay,
    conservativeDue,
    beside: besideDates({
      entity,
      nextDue,
      filingYear: settled.filingYear,
      opens: settled.opens,
      startBy: settled.startBy,
      businessDays: law.businessDays,
      alarms,
    }),
    cutoff: portalCutoff(due, entity, law, alarms),
    scheduleBy,
    rollRule,
    closed: closedDates([nextDue, conservativeDue, due], law.businessDays),
    steps,
    alarms,
    confidence: isUncovered ? 'low' : stated,
  };
}

/** From the date that the rule names to the day to rely on; each move is a step. */
function reliedOn(
  entity: EntityCase,
  settled: Settled,
  law: EntityLaw,
): Pick<Obligation, 'rolledDue' | 'lastTimelyDay' | 'conservativeDue'> & { readonly due: Day } {
  const { day: nextDue, steps } = settled;
  const dueRule = entity.rule.due_rule;
  const fixed = entity.filing === 'periodic' && dueRule.type === 'fixed' ? dueRule : undefined;
  let due = nextDue;
  let lastTimelyDay: Day | undefined;
  if (fixed?.strictly_before === true) {
    lastTimelyDay = addDays(nextDue, -1);
    due = lastTimelyDay;
    steps.push({
      text: `The law says "before" that date, so the last day to file on time is the day before.`,
      ...cited(entity),
      act: { kind: 'add-days', days: -1 },
      day: due,
    });
  }
  // The other reading is one of the rule's date; about another date on the state's record it says nothing.
  const isOtherPage = settled.conservative === undefined;
  const conservativeDue =
    settled.conservative ??
    (fixed?.conservative === undefined || settled.filingYear === undefined
      ? undefined
      : sameYear(nextDue, fixed.conservative));
  if (conservativeDue !== undefined && conservativeDue < due) {
    due = conservativeDue;
    steps.push({
      text: isOtherPage
        ? 'Another official page gives an earlier date; the earlier one is used.'
        : entity.rule.choice === undefined
          ? 'How the period is counted was not read; the earlier reading is used.'
          : `It is not known whether the earlier date applies to this entity (${entity.rule.choice.input}); the earlier one is used.`,
      ...cited(entity),
      act: { kind: 'earlier-of', other: conservativeDue },
      day: due,
    });
  }
  let rolledDue: Day | undefined;
  if (entity.filing === 'periodic' && entity.rule.weekend_roll.rule === 'next_business_day') {
    const rolled = roll(due, entity.rule, law.businessDays);
    rolledDue = rolled.day;
    due = rolled.day;
    steps.push(rolled);
  }
  return { due, rolledDue, lastTimelyDay, conservativeDue };
}

interface Settled {
  readonly kind: 'date';
  readonly day: Day;
  readonly filingYear: number | undefined;
  readonly confidence: Confidence;
  readonly steps: Step[];
  readonly conservative?: Day;
  readonly opens?: Day;
  readonly startBy?: Day;
}

/** The date on the state's own record controls; the rule's date is kept beside it so that a difference is seen. */
function settle(
  entity: EntityCase,
  businessDays: OfficeCalendar,
  alarms: Alarm[],
): Settled | Extract<RuleDate, { readonly kind: 'nothing' }> {
  const record = entity.stateRecordDue;
  const found = ruleDate(entity, businessDays, alarms);
  if (record === undefined) {
    if (found.kind === 'unknown') {
      throw new FilewrightError(
        'STATE_RECORD_NEEDED',
        `${found.message} Give the date on the state’s record as state_record_due.`,
      );
    }
    if (found.kind === 'nothing') return found;
    return { ...found, confidence: entity.rule.confidence };
  }
  const agrees = found.kind === 'date' && found.day === record;
  alarms.push(...recordAlarms(record, found, entity));
  const step: Step = {
    text: agrees
      ? 'The state’s record shows the same date.'
      : 'The state’s record shows this date, and the record controls.',
    citation: `record of the ${entity.rule.filed_with}, as given`,
    act: { kind: 'set' },
    day: record,
  };
  return {
    kind: 'date',
    day: record,
    // The year of the rule's own occurrence says nothing about a date that is not the rule's.
    filingYear: agrees ? found.filingYear : undefined,
    confidence: agrees ? 'high' : 'medium',
    steps: [...(found.kind === 'date' ? found.steps : []), step],
  };
}

function recordAlarms(record: Day, found: RuleDate, entity: EntityCase): Alarm[] {
  const alarms: Alarm[] = [];
  if (found.kind === 'date' && found.day !== record) {
    alarms.push({
      code: 'STATE_RECORD_DIFFERS',
      message: `The rule gives ${formatDay(found.day)}, the state’s record ${formatDay(record)}. The record is used; check why they differ.`,
      rule_date: formatDay(found.day),
    });
  } else if (found.kind === 'nothing') {
    alarms.push({
      code: 'STATE_RECORD_DIFFERS',
      message: `By the rule ${entity.rule.id} nothing is owed, but the state’s record shows ${formatDay(record)}. The record is used; check why they differ.`,
    });
  } else if (found.kind === 'unknown') {
    alarms.push({
      code: 'STATE_RECORD_NOT_COMPARED',
      message: `The date is based on the record alone: ${found.message}`,
    });
  }
  if (record < entity.asOf) {
    alarms.push({
      code: 'STATE_RECORD_PAST',
      message: `The date on the record, ${formatDay(record)}, is before ${formatDay(entity.asOf)}: either it was met and the record is old, or the filing is late.`,
    });
  }
  return alarms;
}

function nothingOwed(entity: EntityCase, because: string | undefined, alarms: Alarm[]): Obligation {
  const { rule } = entity;
  const stated = caseConfidence(entity, alarms);
  const step: Step = {
    text:
      because ??
      `No periodic filing is required of a ${rule.origin} ${rule.entity_kind} in ${rule.jurisdiction}.${rule.notes === null ? '' : ` ${rule.notes}`}`,
    ...cited(entity),
    act: { kind: 'start' },
    day: entity.asOf,
  };
  return {
    nextDue: undefined,
    due: undefined,
    rolledDue: undefined,
    lastTimelyDay: undefined,
    conservativeDue: undefined,
    beside: [],
    cutoff: undefined,
    scheduleBy: undefined,
    rollRule: undefined,
    closed: [],
    steps: [step],
    alarms,
    confidence: leastConfidence(stated, rule.confidence),
  };
}

function portalCutoff(
  due: Day,
  entity: EntityCase,
  law: EntityLaw,
  alarms: Alarm[],
): Cutoff | undefined {
  const portal = law.rules.portals[entity.rule.jurisdiction];
  if (portal === undefined) return undefined;
  const hours =
    portal.hours ?? (portal.profile === undefined ? undefined : law.hoursOf(portal.profile));
  if (hours === undefined) return undefined;
  const holidays = portal.holidays === null ? undefined : law.calendarOf(portal.holidays);
  const cutoff = cutoffOf(due, { hours, ...(holidays === undefined ? {} : { holidays }) });
  if (cutoff !== undefined && cutoff.closedDays.length > 0) {
    alarms.push({
      code: 'PORTAL_CLOSED_ON_DUE_DAY',
      message: `The portal is closed on ${formatDay(due)}; the last moment is ${cutoff.text}.`,
    });
  }
  return cutoff;
}

/** What hangs on a business day although the due date is not moved. */
function businessDayWindow({ filing, rule }: EntityCase): string | undefined {
  return filing === 'periodic' && rule.window_opens?.type === 'first_business_day_of_due_month'
    ? 'the day on which the window opens'
    : undefined;
}

/** Never forward without a source: work is planned for the last business day on or before the due date. */
function lastBusinessDay(day: Day, businessDays: OfficeCalendar): Day {
  let candidate = day;
  for (let back = 0; back < BACK_DAYS_MAX && businessDays.closedOn(candidate); back += 1) {
    candidate = addDays(candidate, -1);
  }
  return candidate;
}

function sameYear(day: Day, monthDay: string): Day {
  const [month, dayOfMonth] = monthDay.split('-').map(Number);
  return dayOf(civilOf(day).year, month ?? 1, dayOfMonth ?? 1);
}

function cited(entity: EntityCase): { readonly citation?: string } {
  return entity.rule.citation === null ? {} : { citation: entity.rule.citation };
}
