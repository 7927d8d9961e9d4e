/** How far the case itself can be trusted: what it left open, and what only the state's record can say. */
import { type Confidence, formatDay } from '../../../calendar/index.ts';
import type { Alarm } from './alarm.ts';
import type { EntityCase } from './entity-case.ts';

const ASSUMED: ReadonlySet<string> = new Set([
  'FISCAL_YEAR_END_ASSUMED',
  'FIRST_REPORT_DAY_NOT_GIVEN',
]);

/** Adds the alarms of the case; the date on the state's record settles what the case left open. */
export function caseConfidence(entity: EntityCase, alarms: Alarm[]): Confidence {
  const { rule } = entity;
  if (rule.assigned_by_state === true && entity.stateRecordDue === undefined) {
    alarms.push({
      code: 'STATE_ASSIGNS_DATE',
      message: `The ${rule.filed_with} assigns the date; the rule gives an assumption. Look it up and enter it as state_record_due.`,
    });
  }
  if (entity.formed !== undefined && entity.formed > entity.asOf) {
    alarms.push({
      code: 'FORMED_AFTER_AS_OF',
      message: `The formation date, ${formatDay(entity.formed)}, is after ${formatDay(entity.asOf)}.`,
    });
  }
  if (entity.stateRecordDue !== undefined) return 'high';
  if (rule.verified === 'none') {
    alarms.push({
      code: 'FROM_MEMORY',
      message: `${entity.initial?.id ?? rule.id} is from memory and was not read: it decides nothing. Look it up, or enter the date on the state’s record as state_record_due.`,
    });
  }
  otherMonth(entity, alarms);
  if (entity.filing === 'periodic' && rule.cycle_start === 'uncertain') {
    alarms.push({
      code: 'CYCLE_START_UNCERTAIN',
      message: `Where the cycle of ${rule.id} starts is not defined precisely; the date may be a year off.`,
    });
    return 'low';
  }
  if (entity.byAnalogy) {
    alarms.push({
      code: 'DOMESTIC_RULE_BY_ANALOGY',
      message: `${rule.id} applies to domestic entities and is used for a foreign one because the case names it.`,
    });
    return 'low';
  }
  if (entity.asKind !== undefined) {
    alarms.push({
      code: 'PROFESSIONAL_RULE_BY_DEFAULT',
      message: `No rule of its own was read for a ${entity.asKind}: ${rule.id} is used, as for the ordinary form. Compare it with the state’s record.`,
    });
    return 'medium';
  }
  const isCertain = rule.verified !== 'none' && !alarms.some(({ code }) => ASSUMED.has(code));
  return isCertain ? 'high' : 'medium';
}

function otherMonth(entity: EntityCase, alarms: Alarm[]): void {
  const { rule } = entity;
  if (rule.alternative_due_date === true || rule.extended_filing_month === true) {
    alarms.push({
      code: 'OTHER_MONTH_POSSIBLE',
      message: `The state lets the entity choose another month (${rule.alternative_due_date === true ? 'alternative due date' : 'extended filing month'}); then that month counts. If it did, enter the date on the state’s record as state_record_due.`,
    });
  }
  if (entity.reinstated !== undefined) {
    alarms.push({
      code: 'REINSTATED',
      message: `Reinstated on ${formatDay(entity.reinstated)}: a reinstatement can restart the time in some states (Colorado). Enter the date on the state’s record as state_record_due.`,
    });
  }
}
