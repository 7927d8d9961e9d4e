/** One entity as a case names it, and the rule that it falls under. */
import { type Day, daysInMonth } from '../../../calendar/index.ts';
import { badCase, caseFields, refuseUnknown } from '../../../core/index.ts';
import {
  type CaseInput,
  choiceField,
  dayField,
  flagField,
  neededDay,
  refuseCase,
  textField,
} from './case-fields.ts';
import { ruleOf } from './case-rule.ts';
import { FILING_SORTS, type FilingSort } from './filing-sort.ts';
import { type Exact, readExact } from './exact.ts';
import type { EntityKind, FilingRule } from './filing-rule.ts';
import type { InitialFiling } from './initial-filing.ts';
import type { EntityRules } from './read-entity-rules.ts';
import type { MonthAndDay } from './recurrence.ts';

export interface EntityCase {
  readonly rule: FilingRule;
  /** A foreign entity under a rule that was read for domestic ones only, because the case names that rule. */
  readonly byAnalogy: boolean;
  /** The kind of a professional corporation or LLC, under the rule of the kind that it otherwise is. */
  readonly asKind: EntityKind | undefined;
  readonly filing: FilingSort;
  /** What is filed or published once, where it was read; `rule` then is that filing and no periodic one. */
  readonly initial: InitialFiling | undefined;
  /** The case says that the filing is not the entity's. */
  readonly exempt: string | undefined;
  readonly formed: Day | undefined;
  readonly fiscalYearEnd: MonthAndDay | undefined;
  /** What the rule's date hangs on beside them: the tax class, or the day that the entity chose. */
  readonly choice: string | undefined;
  readonly asOf: Day;
  /** The date on the state's own record; it overrides the rule. */
  readonly stateRecordDue: Day | undefined;
  readonly delinquencyNotice: Day | undefined;
  /** The office asked for the report on this day. */
  readonly officeNotice: Day | undefined;
  readonly firstReportFiled: Day | undefined;
  readonly reinstated: Day | undefined;
  readonly precedingYearTax: Exact | undefined;
  readonly finalTax: Exact | undefined;
}

const YEAR_END = /^(\d{2})-(\d{2})$/;
/** February 29 is a year end that clamps in common years. */
const SOME_LEAP_YEAR = 2024;

const FIELDS = caseFields(
  [
    'rule_id',
    'jurisdiction',
    'entity_kind',
    'origin',
    'filing',
    'formation_date',
    'fiscal_year_end',
    'tax_class',
    'filing_date_choice',
    'as_of',
    'state_record_due',
    'delinquency_notice_date',
    'office_notice_date',
    'first_report_filed',
    'reinstated_on',
    'initial_id',
    'agent_county_over_800k',
    'preceding_year_tax',
    'final_tax',
  ],
  ['last_timely_day', 'conservative_due'],
);
export const TAX_CLASSES = ['c', 's', 'partnership', 'disregarded'] as const;
export const DATE_CHOICES = ['anniversary_month', 'january_31'] as const;

export function readEntityCase(input: CaseInput, rules: EntityRules): EntityCase {
  refuseUnknown(input, FIELDS);
  const filing = choiceField(input, 'filing', FILING_SORTS) ?? 'periodic';
  const { rule, byAnalogy, asKind, initial } = ruleOf(input, rules, filing);
  const delinquencyNotice = dayField(input, 'delinquency_notice_date');
  if (delinquencyNotice !== undefined && rule.delinquency_notice === undefined) {
    throw badCase(
      `delinquency_notice_date: no rule of ${rule.id} runs from such a notice; leave the field out`,
    );
  }
  return {
    rule,
    byAnalogy,
    asKind,
    filing,
    initial,
    exempt: exemptionOf(input, initial),
    formed: dayField(input, 'formation_date'),
    fiscalYearEnd: fiscalYearEndOf(input),
    choice: choiceOf(input, rule),
    asOf: neededDay(input, 'as_of'),
    stateRecordDue: dayField(input, 'state_record_due'),
    delinquencyNotice,
    officeNotice: onlyFor(input, 'office_notice_date', rule, 'on_notice'),
    firstReportFiled: onlyFor(input, 'first_report_filed', rule, 'anniversary_of'),
    reinstated: dayField(input, 'reinstated_on'),
    precedingYearTax: figure(input, 'preceding_year_tax'),
    finalTax: figure(input, 'final_tax'),
  };
}

/** A day that only one sort of rule runs from; with another it would be lost in silence. */
function onlyFor(
  input: CaseInput,
  field: string,
  rule: FilingRule,
  type: FilingRule['due_rule']['type'],
): Day | undefined {
  const day = dayField(input, field);
  if (day !== undefined && rule.due_rule.type !== type) {
    throw badCase(`${field}: the date of ${rule.id} does not depend on it; leave the field out`);
  }
  return day;
}

function exemptionOf(input: CaseInput, initial: InitialFiling | undefined): string | undefined {
  const given = input['agent_county_over_800k'] ?? undefined;
  if (given !== undefined && initial?.not_where === undefined) {
    throw badCase(
      'agent_county_over_800k: only the publication of an Arizona LLC depends on it; leave the field out',
    );
  }
  return flagField(input, 'agent_county_over_800k') ? initial?.not_where?.because : undefined;
}

/** A tax class is a fact of the entity and may always be given; a day can only have been chosen where there is a choice. */
function choiceOf(input: CaseInput, rule: FilingRule): string | undefined {
  const taxClass = choiceField(input, 'tax_class', TAX_CLASSES);
  const chosen = choiceField(input, 'filing_date_choice', DATE_CHOICES);
  const asked = rule.choice?.input;
  if (chosen !== undefined && asked !== 'filing_date_choice') {
    throw badCase(
      `filing_date_choice: under ${rule.id} the entity does not choose its date; omit the field`,
    );
  }
  if (asked !== 'tax_class') return chosen;
  const known = Object.keys(rule.choice?.values ?? {});
  return taxClass === undefined || known.includes(taxClass)
    ? taxClass
    : refuseCase('tax_class', `one of ${known.join(', ')} under ${rule.id}`, taxClass);
}

function fiscalYearEndOf(input: CaseInput): MonthAndDay | undefined {
  const text = textField(input, 'fiscal_year_end');
  if (text === undefined) return undefined;
  const match = YEAR_END.exec(text);
  const month = Number(match?.[1] ?? 0);
  const day = Number(match?.[2] ?? 0);
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(SOME_LEAP_YEAR, month)) {
    return refuseCase('fiscal_year_end', 'a valid month and day, as MM-DD,', text);
  }
  return { month, day };
}

function figure(input: CaseInput, field: string): Exact | undefined {
  const value = input[field] ?? undefined;
  return value === undefined ? undefined : readExact(value, field);
}
