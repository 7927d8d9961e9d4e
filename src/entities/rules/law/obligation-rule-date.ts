/** The date that the rule itself gives, with the steps that lead to it. */
import {
  addDays,
  civilOf,
  type Day,
  DAY_EXPECTED,
  formatDay,
  parseDay,
  sameNumberDay,
  type Step,
  type StepAct,
} from '../../../calendar/index.ts';
import type { Alarm } from './alarm.ts';
import { refuseCase } from './case-fields.ts';
import type { EntityCase } from './entity-case.ts';
import type { DatedRule } from './filing-rule.ts';
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
    }
  | { readonly kind: 'nothing' }
  /** The rule cannot say; only the state can. */
  | { readonly kind: 'unknown'; readonly message: string };

export function ruleDate(entity: EntityCase, alarms: Alarm[]): RuleDate {
  return entity.filing === 'initial' ? initialDate(entity, alarms) : periodicDate(entity, alarms);
}

/** Formation day not counted; months by the same-number day; no roll. */
function initialDate(entity: EntityCase, alarms: Alarm[]): RuleDate {
  const { rule } = entity;
  const initial = rule.initial_report;
  if (initial === null) {
    return { kind: 'unknown', message: `${rule.id} has no rule for an initial report.` };
  }
  const formed = formationOf(entity);
  if (formed === undefined) return notFormed(rule.id);
  const citation = rule.citation === null ? {} : { citation: rule.citation };
  const days = 'within_days_after_formation' in initial;
  const step: Step = days
    ? {
        text: `The initial report is due within ${initial.within_days_after_formation} days; the day of formation is not counted.`,
        ...citation,
        act: { kind: 'add-days', days: initial.within_days_after_formation },
        day: addDays(formed, initial.within_days_after_formation),
      }
    : {
        text: `The initial report is due within ${initial.within_months_after_formation} months.`,
        ...citation,
        act: {
          kind: 'add-months',
          months: initial.within_months_after_formation,
          arithmetic: 'same-number',
        },
        day: sameNumberDay(formed, initial.within_months_after_formation),
      };
  if (step.day < entity.asOf && entity.stateRecordDue === undefined) {
    alarms.push({
      code: 'INITIAL_REPORT_PAST',
      message: `The initial report was due on ${formatDay(step.day)}, before ${formatDay(entity.asOf)}: if it has not been filed, it is late.`,
    });
  }
  return {
    kind: 'date',
    day: step.day,
    filingYear: undefined,
    steps: [start(formed, entity), step],
  };
}

function periodicDate(entity: EntityCase, alarms: Alarm[]): RuleDate {
  const { rule } = entity;
  const base = rule.due_rule;
  if (base.type === 'none') return { kind: 'nothing' };
  if (base.type === 'unknown') {
    return {
      kind: 'unknown',
      message: `The due date of a ${rule.origin} ${rule.entity_kind} in ${rule.jurisdiction} is not on file.`,
    };
  }
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
    steps: [start(formed, entity), occurrenceStep(entity, dueRule, formed, occurrence)],
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
  if (dueRule.type === 'anniversary_date') {
    return { kind: 'add-months', months, arithmetic: 'same-number' };
  }
  if (dueRule.type === 'anniversary_month_end') {
    return { kind: 'add-months', months: months + dueRule.offset_months, arithmetic: 'month-end' };
  }
  return { kind: 'set' };
}

/** Undefined only where the state's record stands in for the rule. */
function formationOf(entity: EntityCase): Day | undefined {
  if (entity.formed !== undefined || entity.stateRecordDue !== undefined) return entity.formed;
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

function start(formed: Day, entity: EntityCase): Step {
  const verb = entity.rule.origin === 'foreign' || entity.byAnalogy ? 'Qualified' : 'Formed';
  return { text: `${verb} on ${formatDay(formed)}.`, act: { kind: 'start' }, day: formed };
}
