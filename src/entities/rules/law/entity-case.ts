/** One entity as a case names it, and the rule that it falls under. */
import { type Day, daysInMonth } from '../../../calendar/index.ts';
import { badCase, caseFields, FilewrightError, refuseUnknown } from '../../../core/index.ts';
import {
  type CaseInput,
  choiceField,
  dayField,
  neededDay,
  refuseCase,
  textField,
} from './case-fields.ts';
import { type Exact, readExact } from './exact.ts';
import type { EntityKind, FilingRule, Origin } from './filing-rule.ts';
import { type EntityRules, ruleById, ruleIdOf } from './read-entity-rules.ts';
import type { MonthAndDay } from './recurrence.ts';

type FilingSort = 'periodic' | 'initial';

export interface EntityCase {
  readonly rule: FilingRule;
  /** A foreign entity under a rule that was read for domestic ones only, because the case names that rule. */
  readonly byAnalogy: boolean;
  readonly filing: FilingSort;
  readonly formed: Day | undefined;
  readonly fiscalYearEnd: MonthAndDay | undefined;
  /** What the rule's date hangs on beside them: the tax class, or the day that the entity chose. */
  readonly choice: string | undefined;
  readonly asOf: Day;
  /** The date on the state's own record; it overrides the rule. */
  readonly stateRecordDue: Day | undefined;
  readonly delinquencyNotice: Day | undefined;
  readonly precedingYearTax: Exact | undefined;
  readonly finalTax: Exact | undefined;
}

const KINDS: readonly EntityKind[] = ['corporation', 'llc', 'lp'];
const ORIGINS: readonly Origin[] = ['domestic', 'foreign'];
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
    'preceding_year_tax',
    'final_tax',
  ],
  ['last_timely_day', 'conservative_due'],
);
export const TAX_CLASSES = ['c', 's'] as const;
export const DATE_CHOICES = ['anniversary_month', 'january_31'] as const;

export function readEntityCase(input: CaseInput, rules: EntityRules): EntityCase {
  refuseUnknown(input, FIELDS);
  const { rule, byAnalogy } = ruleOf(input, rules);
  const delinquencyNotice = dayField(input, 'delinquency_notice_date');
  if (delinquencyNotice !== undefined && rule.delinquency_notice === undefined) {
    throw badCase(
      `delinquency_notice_date: no rule of ${rule.id} runs from such a notice; leave the field out`,
    );
  }
  return {
    rule,
    byAnalogy,
    filing: choiceField(input, 'filing', ['periodic', 'initial'] as const) ?? 'periodic',
    formed: dayField(input, 'formation_date'),
    fiscalYearEnd: fiscalYearEndOf(input),
    choice: choiceOf(input, rule),
    asOf: neededDay(input, 'as_of'),
    stateRecordDue: dayField(input, 'state_record_due'),
    delinquencyNotice,
    precedingYearTax: figure(input, 'preceding_year_tax'),
    finalTax: figure(input, 'final_tax'),
  };
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
  return asked === 'tax_class' ? taxClass : chosen;
}

function ruleOf(
  input: CaseInput,
  rules: EntityRules,
): { readonly rule: FilingRule; readonly byAnalogy: boolean } {
  const named = textField(input, 'rule_id');
  const rule = named === undefined ? undefined : ruleById(rules, named);
  const jurisdiction = textField(input, 'jurisdiction') ?? rule?.jurisdiction;
  if (jurisdiction === undefined || !rules.jurisdictions.has(jurisdiction)) {
    throw new FilewrightError(
      'JURISDICTION_UNRESOLVED',
      `jurisdiction: expected one of the ${rules.jurisdictions.size} jurisdictions, as US-DE, found ${jurisdiction === undefined ? 'nothing' : JSON.stringify(jurisdiction)}`,
    );
  }
  const kind = choiceField(input, 'entity_kind', KINDS) ?? rule?.entity_kind;
  if (kind === undefined) return refuseCase('entity_kind', `one of ${KINDS.join(', ')}`, undefined);
  const origin = choiceField(input, 'origin', ORIGINS) ?? rule?.origin;
  if (origin === undefined) return refuseCase('origin', `one of ${ORIGINS.join(', ')}`, undefined);
  const own = rules.byId.get(ruleIdOf(jurisdiction, kind, origin));
  if (rule === undefined) {
    if (own === undefined) throw notRead(jurisdiction, kind, origin);
    return { rule: own, byAnalogy: false };
  }
  const byAnalogy = own === undefined && rule.origin === 'domestic';
  if (
    rule.jurisdiction !== jurisdiction ||
    rule.entity_kind !== kind ||
    !(rule === own || byAnalogy)
  ) {
    return refuseCase('rule_id', `the rule of a ${origin} ${kind} in ${jurisdiction}`, rule.id);
  }
  return { rule, byAnalogy };
}

/** A foreign entity often files as a domestic one does, but that was read for few states; a guess would be a default. */
function notRead(jurisdiction: string, kind: string, origin: string): FilewrightError {
  return new FilewrightError(
    'STATE_RECORD_NEEDED',
    `No rule for a ${origin} ${kind} in ${jurisdiction} is on file. To use the domestic one on your own judgment, name it as rule_id: "${ruleIdOf(jurisdiction, kind, 'domestic')}", with state_record_due if the record shows a date`,
  );
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
