/** The date that the rule itself gives, with the steps that lead to it. */
import {
  addDays,
  civilOf,
  type Day,
  DAY_EXPECTED,
  formatDay,
  type OfficeCalendar,
  parseDay,
  type Step,
  type StepAct,
} from '../../../calendar/index.ts';
import { invariant } from '../../../core/index.ts';
import type { Alarm } from './alarm.ts';
import { refuseCase } from './case-fields.ts';
import type { EntityCase } from './entity-case.ts';
import type { DatedRule } from './filing-rule.ts';
import { initialDate } from './initial-rule.ts';
import { type Founding, nextOccurrence, type Occurrence } from './recurrence.ts';
import { chosenDueRule, earlierReading } from './due-choice.ts';
import { cadenceWords, dueWords, firstWords, monthDayWords } from './rule-words.ts';

export type RuleDate =
  | {
      readonly kind: 'date';
      readonly day: Day;
      readonly filingYear: number | undefined;
      readonly steps: Step[];
      /** The earlier reading, where the case does not say what the date hangs on. */
      readonly conservative?: Day;
      readonly opens?: Day;
      readonly startBy?: Day;
    }
  | { readonly kind: 'nothing'; readonly because?: string }
  /** The rule cannot say; only the state can. */
  | { readonly kind: 'unknown'; readonly message: string };

export function ruleDate(
  entity: EntityCase,
  businessDays: OfficeCalendar,
  alarms: Alarm[],
): RuleDate {
  return entity.filing === 'periodic'
    ? periodicDate(entity, alarms)
    : firstDate(entity, businessDays, alarms);
}

function firstDate(entity: EntityCase, businessDays: OfficeCalendar, alarms: Alarm[]): RuleDate {
  const { rule, initial, filing } = entity;
  if (initial === undefined) {
    const what = filing === 'initial' ? 'an initial report' : 'a publication';
    return { kind: 'unknown', message: `${rule.id} has no rule for ${what}.` };
  }
  if (entity.exempt !== undefined) return { kind: 'nothing', because: entity.exempt };
  const formed = formationOf(entity);
  if (formed === undefined) return notFormed(initial.id);
  const found = initialDate(initial, formed, businessDays);
  if (found === undefined) {
    return {
      kind: 'unknown',
      message: `${initial.filing_name}: the law asks for it (${initial.citation}), but no time was read.`,
    };
  }
  const { step, ...besides } = found;
  if (step.day < entity.asOf && entity.stateRecordDue === undefined) {
    alarms.push({
      code: 'INITIAL_REPORT_PAST',
      message: `${initial.filing_name}: was due on ${formatDay(step.day)}, before ${formatDay(entity.asOf)}: if it has not been filed, it is late.`,
    });
  }
  if (initial.not_where !== undefined) {
    alarms.push({
      code: 'EXEMPTION_POSSIBLE',
      message: `It is not owed in one case, which was not given or does not apply (${initial.not_where.input}): ${initial.not_where.because}`,
    });
  }
  const steps = [start(formed, entity), step];
  return { kind: 'date', day: step.day, filingYear: undefined, steps, ...besides };
}

/** Where the rule gives no date of its own; undefined where it does. */
function undated({ rule, choice, officeNotice, stateRecordDue }: EntityCase): RuleDate | undefined {
  const base = rule.due_rule;
  if (base.type === 'none') return { kind: 'nothing' };
  if (base.type === 'unknown') {
    return {
      kind: 'unknown',
      message: `The due date of a ${rule.origin} ${rule.entity_kind} in ${rule.jurisdiction} is not on file.`,
    };
  }
  if (choice !== undefined && rule.choice?.values[choice]?.type === 'owner_return') {
    return {
      kind: 'unknown',
      message: `The ${rule.filing_name} of a ${choice} entity is due no later than the federal return of its owner, and that date is not on file.`,
    };
  }
  if (base.type !== 'on_notice' || officeNotice !== undefined) return undefined;
  const because = `Nothing is due before the office asks: ${base.days_after_notice} days after its notice. When a notice comes, enter its day as office_notice_date.`;
  return stateRecordDue === undefined
    ? { kind: 'nothing', because }
    : { kind: 'unknown', message: because };
}

/** A report that the office asks for: the day of the notice is not counted. */
function noticeDate(
  { rule, asOf }: EntityCase,
  { days, notice }: { readonly days: number; readonly notice: Day },
  alarms: Alarm[],
): RuleDate {
  const day = addDays(notice, days);
  if (day < asOf) {
    alarms.push({
      code: 'NOTICE_PERIOD_OVER',
      message: `The ${days} days after the notice ended on ${formatDay(day)}, before ${formatDay(asOf)}: if the report has not been filed, it is late.`,
    });
  }
  const started: Step = {
    text: `The office asked for it on ${formatDay(notice)}.`,
    act: { kind: 'start' },
    day: notice,
  };
  const step: Step = {
    text: `${rule.filing_name ?? 'The filing'}: due within ${days} days of the notice; that day is not counted.`,
    ...(rule.citation === null ? {} : { citation: rule.citation }),
    act: { kind: 'add-days', days },
    day,
  };
  return { kind: 'date', day, filingYear: undefined, steps: [started, step] };
}

function periodicDate(entity: EntityCase, alarms: Alarm[]): RuleDate {
  const { rule, officeNotice } = entity;
  const base = rule.due_rule;
  const none = undated(entity);
  if (none !== undefined) return none;
  if (base.type === 'on_notice') {
    invariant(officeNotice !== undefined, 'Expected the day of the notice here.');
    return noticeDate(entity, { days: base.days_after_notice, notice: officeNotice }, alarms);
  }
  invariant(base.type !== 'none' && base.type !== 'unknown', 'Expected a rule with dates.');
  return datedRule(entity, base, alarms);
}

function datedRule(entity: EntityCase, base: DatedRule, alarms: Alarm[]): RuleDate {
  const { rule } = entity;
  const formed = formationOf(entity);
  if (formed === undefined) return notFormed(rule.id);
  const from = rule.formed_from === undefined ? undefined : parseDay(rule.formed_from);
  if (from !== undefined && formed < from) {
    return {
      kind: 'unknown',
      message: `${rule.id} holds for entities formed on or after ${rule.formed_from}; older entities have other dates.`,
    };
  }
  const founding = foundingOf(entity, formed, base, alarms);
  if (founding === undefined) {
    return {
      kind: 'unknown',
      message: `${rule.id} needs the fiscal year end, which was not given.`,
    };
  }
  const dueRuleIn = (filingYear: number): DatedRule =>
    chosenDueRule(entity, base, founding, filingYear);
  const occurrence = nextOccurrence(rule, dueRuleIn, founding, entity.asOf);
  const dueRule = dueRuleIn(occurrence.filingYear);
  return {
    kind: 'date',
    day: occurrence.due,
    filingYear: occurrence.filingYear,
    steps: [
      start(founding.formed, entity),
      occurrenceStep(entity, dueRule, founding.formed, occurrence),
    ],
    ...earlierReading(entity, founding, occurrence, alarms),
  };
}

function occurrenceStep(
  entity: EntityCase,
  dueRule: DatedRule,
  formed: Day,
  occurrence: Occurrence,
): Step {
  const { rule } = entity;
  const when = [dueWords(dueRule), cadenceWords(rule), firstWords(rule)].filter(
    (one) => one !== '',
  );
  return {
    text: `${rule.filing_name ?? 'The filing'}: ${when.join(', ')}. The first on or after ${formatDay(entity.asOf)} is ${formatDay(occurrence.due)}.`,
    ...(rule.citation === null ? {} : { citation: rule.citation }),
    act: actOf(dueRule, formed, occurrence),
    day: occurrence.due,
  };
}

/** Anniversaries are counted in months from the formation, the rest is a day that the law itself fixes. */
function actOf(dueRule: DatedRule, formed: Day, occurrence: Occurrence): StepAct {
  const months = (occurrence.filingYear - civilOf(formed).year) * 12;
  if (dueRule.type === 'anniversary_date' || dueRule.type === 'anniversary_of') {
    return { kind: 'add-months', months, arithmetic: 'same-number' };
  }
  if (dueRule.type === 'anniversary_month_end') {
    return { kind: 'add-months', months: months + dueRule.offset_months, arithmetic: 'month-end' };
  }
  return { kind: 'set' };
}

/** Undefined only where the state's record stands in for the rule. */
function formationOf(entity: EntityCase): Day | undefined {
  const from = entity.formed ?? entity.firstReportFiled;
  if (from !== undefined || entity.stateRecordDue !== undefined) return from;
  return refuseCase('formation_date', DAY_EXPECTED, undefined);
}

function notFormed(id: string): RuleDate {
  return { kind: 'unknown', message: `${id} needs the formation date, which was not given.` };
}

function foundingOf(
  entity: EntityCase,
  formed: Day,
  dueRule: DatedRule,
  alarms: Alarm[],
): Founding | undefined {
  if (dueRule.type === 'anniversary_of') return reportedFounding(entity, formed, alarms);
  if (dueRule.type !== 'fiscal_year_end_offset') return { formed };
  if (entity.fiscalYearEnd !== undefined) return { formed, fiscalYearEnd: entity.fiscalYearEnd };
  if (entity.stateRecordDue !== undefined) return undefined;
  const usual = entity.rule.fiscal_year_end_unless_given;
  if (usual !== undefined) {
    const [month = 12, day = 31] = usual.split('-').map(Number);
    alarms.push({
      code: 'FISCAL_YEAR_END_ASSUMED',
      message: `The date depends on the fiscal year end, which was not given; ${monthDayWords(month, day)} was assumed. Another year end gives another date, often an earlier one: enter it as fiscal_year_end.`,
    });
    return { formed, fiscalYearEnd: { month, day } };
  }
  return refuseCase(
    'fiscal_year_end',
    'the month and day, as MM-DD, on which the rule hangs',
    undefined,
  );
}

/** Without that day the anniversary of the formation: the first report came later, so nobody is late by it. */
function reportedFounding(entity: EntityCase, formed: Day, alarms: Alarm[]): Founding {
  if (entity.firstReportFiled !== undefined) return { formed: entity.firstReportFiled };
  alarms.push({
    code: 'FIRST_REPORT_DAY_NOT_GIVEN',
    message:
      'The date is the anniversary of the day on which the first report was filed, which was not given; the anniversary of the formation is used, which is earlier. Enter the day as first_report_filed.',
  });
  return { formed };
}

function start(formed: Day, entity: EntityCase): Step {
  const { initial, rule } = entity;
  const verb =
    formed === entity.firstReportFiled
      ? 'The first report was filed'
      : rule.origin === 'foreign' || entity.byAnalogy
        ? 'Qualified'
        : 'Formed';
  const text =
    initial === undefined
      ? `${verb} on ${formatDay(formed)}.`
      : `The time runs from ${formatDay(formed)}: ${initial.runs_from}.`;
  return { text, act: { kind: 'start' }, day: formed };
}
