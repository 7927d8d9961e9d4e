/** Due dates that hang on what the entity is or chose: its tax class, or the day it named when it was formed. */
import { addDays, clampedDay, type Day, formatDay, parseDay } from '../../../calendar/index.ts';
import { invariant } from '../../../core/index.ts';
import type { Alarm } from './alarm.ts';
import type { EntityCase } from './entity-case.ts';
import type { DatedRule, FilingRule } from './filing-rule.ts';
import { dueIn, type Founding, type Occurrence } from './recurrence.ts';
import { dueWords } from './rule-words.ts';

/** The due rule of one filing year, for the choice of the case or the one that is shown without any. */
export function chosenDueRule(
  { rule, choice }: Pick<EntityCase, 'rule' | 'choice'>,
  base: DatedRule,
  founding: Founding,
  filingYear: number,
): DatedRule {
  if (rule.choice === undefined) return base;
  const value = choice ?? rule.choice.absent.use;
  const exception = rule.exceptions?.find(
    ({ when }) => when.choice === value && isBefore(when, founding, filingYear),
  );
  return exception?.due_rule ?? valueOf(rule, value);
}

/**
 * The reading for whoever is of the other class, or chose the other day: by the earlier of the two nobody is late. The
 * date on the state's own record leaves no reading open.
 */
export function earlierReading(
  entity: EntityCase,
  founding: Founding,
  { filingYear, due }: Occurrence,
  alarms: Alarm[],
): { readonly conservative?: Day } {
  const { rule } = entity;
  if (rule.choice === undefined || entity.choice !== undefined) return {};
  if (entity.stateRecordDue !== undefined) return {};
  const { input, values, absent } = rule.choice;
  const other = valueOf(rule, absent.conservative);
  const conservative = dueIn(other, founding, filingYear);
  if (conservative > due) return {};
  alarms.push({
    code: 'CHOICE_NOT_GIVEN',
    message: `The date depends on ${input} (${Object.keys(values).join(' or ')}), which was not given: ${absent.use} gives ${formatDay(due)}, ${absent.conservative} ${formatDay(conservative)} (${dueWords(other)}). The earlier date is used; give ${input}, or the date on the state’s record.`,
  });
  return { conservative };
}

function isBefore(
  when: NonNullable<FilingRule['exceptions']>[number]['when'],
  { fiscalYearEnd }: Founding,
  filingYear: number,
): boolean {
  const [month, day] = when.fiscal_year_end.split('-').map(Number);
  if (fiscalYearEnd === undefined) return false;
  if (fiscalYearEnd.month !== month || fiscalYearEnd.day !== day) return false;
  const begins = addDays(clampedDay(filingYear - 1, fiscalYearEnd.month, fiscalYearEnd.day), 1);
  const limit = parseDay(when.fiscal_year_begins_before);
  invariant(limit !== undefined, 'Expected a day that exists in the exception of a rule.');
  return begins < limit;
}

function valueOf(rule: FilingRule, value: string): DatedRule {
  const dueRule = rule.choice?.values[value];
  invariant(
    dueRule !== undefined && dueRule.type !== 'owner_return',
    `Expected the choice ${value} with a date in the rule ${rule.id}.`,
  );
  return dueRule;
}
