/** The obligation as the command line and the API write it. A field is there only where the law has it. */
import { type Confidence, type Day, formatDay } from '../../../calendar/index.ts';
import type { Alarm } from './alarm.ts';
import type { CaseInput } from './case-fields.ts';
import { type EntityCase, readEntityCase } from './entity-case.ts';
import type { BesideDate } from './obligation-dates.ts';
import { type EstimatedPayments, estimatedPaymentsOf, feeOf, taxYearOf } from './obligation-fee.ts';
import { computeObligation, type EntityLaw } from './obligation.ts';
import { type RollRule, weekdayName } from './weekend.ts';

interface ClosedDayAnswer {
  readonly date: string;
  readonly weekday: string;
  readonly reason: string;
}

interface AnswerStep {
  readonly n: number;
  readonly text: string;
  readonly citation?: string;
  readonly date: string;
}

export interface ObligationAnswer {
  readonly rule_id: string;
  /** The record of the first filing, where that was asked. */
  readonly initial_id?: string;
  readonly filing_name?: string;
  readonly filed_with: string;
  /** Null where nothing is owed. */
  readonly next_due: string | null;
  readonly weekday?: string;
  readonly rolled_due?: string;
  readonly window_opens?: string;
  readonly window_opens_unverified?: string;
  readonly last_timely_day?: string;
  readonly conservative_due?: string;
  readonly penalty_free_until?: string;
  readonly not_before?: string;
  readonly due?: string;
  readonly final?: string;
  /** What is lost on that day, and under which condition. */
  readonly final_condition?: string;
  readonly notice_due?: string;
  readonly start_by?: string;
  /** RFC 3339 in the portal's own time, and the zone of its clock. */
  readonly cutoff?: string;
  readonly cutoff_zone?: string;
  readonly schedule_by?: string;
  /** The named days on which no business is done; `roll_rule` says whether that moves the date. */
  readonly closed_days?: readonly ClosedDayAnswer[];
  readonly roll_rule?: RollRule;
  readonly tax_year?: number;
  readonly fee?: string;
  readonly fee_note?: string;
  /** A fee from memory informs; it must not be paid from. */
  readonly fee_basis?: 'read' | 'memory';
  readonly fee_as_of?: string;
  readonly late?: string;
  readonly estimated_payments?: EstimatedPayments;
  readonly note?: string;
  readonly alarms?: readonly Alarm[];
  readonly reasons?: Readonly<
    Record<string, { readonly text: string; readonly citation?: string }>
  >;
  readonly steps: readonly AnswerStep[];
  readonly confidence: Confidence;
  /** False: a person must confirm it first; the answer then informs, it does not decide. */
  readonly decides: boolean;
  readonly verified: 'primary' | 'secondary' | 'none';
  /** Whether the sections that the steps cite were read, or are known from memory. */
  readonly citation_basis?: 'read' | 'memory';
  readonly rule_version: string;
  readonly calendar_version: string;
}

export function answerObligation(input: CaseInput, law: EntityLaw): ObligationAnswer {
  const entity = readEntityCase(input, law.rules);
  const { rule } = entity;
  const found = computeObligation(entity, law);
  const alarms = [...found.alarms];
  const owed = found.nextDue;
  const beside = new Map(found.beside.map((date) => [date.name, formatDay(date.day)]));
  const cost = owed === undefined ? undefined : feeOf(entity, owed, alarms);
  return {
    rule_id: rule.id,
    ...given('initial_id', entity.initial?.id),
    ...given('filing_name', rule.filing_name),
    filed_with: rule.filed_with,
    next_due: owed === undefined ? null : formatDay(owed),
    ...given('weekday', owed === undefined ? undefined : weekdayName(owed)),
    ...given('rolled_due', dayText(found.rolledDue)),
    ...given('window_opens', beside.get('window_opens')),
    ...given('window_opens_unverified', beside.get('window_opens_unverified')),
    ...given('last_timely_day', dayText(found.lastTimelyDay)),
    ...given('conservative_due', dayText(found.conservativeDue)),
    ...given('penalty_free_until', beside.get('penalty_free_until')),
    ...given('not_before', beside.get('window_opens')),
    ...given('due', dayText(found.due)),
    ...given('final', beside.get('final')),
    ...given('final_condition', found.beside.find(({ name }) => name === 'final')?.reason),
    ...given('notice_due', beside.get('notice_due')),
    ...given('start_by', beside.get('start_by')),
    ...given('cutoff', found.cutoff?.text),
    ...given('cutoff_zone', found.cutoff?.zone),
    ...given('schedule_by', dayText(found.scheduleBy)),
    ...(found.closed.length === 0
      ? {}
      : { closed_days: found.closed.map(({ day, ...one }) => ({ date: formatDay(day), ...one })) }),
    ...given('roll_rule', found.rollRule),
    ...given('tax_year', owed === undefined ? undefined : taxYearOf(rule, owed)),
    ...cost,
    ...given('late', owed === undefined ? undefined : rule.late),
    ...given(
      'estimated_payments',
      owed === undefined ? undefined : estimatedPaymentsOf(entity, owed),
    ),
    ...given('note', rule.notes),
    ...(alarms.length === 0 ? {} : { alarms }),
    ...(found.beside.length === 0 ? {} : { reasons: reasonsOf(found.beside) }),
    steps: found.steps.map((step, index) => ({
      n: index + 1,
      text: step.text,
      ...given('citation', step.citation),
      date: formatDay(step.day),
    })),
    confidence: found.confidence,
    decides: decides(found.confidence, entity),
    verified: rule.verified,
    ...given('citation_basis', rule.citation === null ? undefined : rule.citation_basis),
    rule_version: law.rules.version,
    calendar_version: law.businessDays.version,
  };
}

/** What is from memory decides nothing, unless the state's own record stands in for it. */
function decides(confidence: Confidence, { rule, stateRecordDue }: EntityCase): boolean {
  return confidence !== 'low' && (rule.verified !== 'none' || stateRecordDue !== undefined);
}

function reasonsOf(beside: readonly BesideDate[]): NonNullable<ObligationAnswer['reasons']> {
  return Object.fromEntries(
    beside.map((date) => [date.name, { text: date.reason, ...given('citation', date.citation) }]),
  );
}

function dayText(day: Day | undefined): string | undefined {
  return day === undefined ? undefined : formatDay(day);
}

function given<Name extends string, Value>(
  name: Name,
  value: Value | null | undefined,
): { readonly [Key in Name]?: Value } {
  // One field of that name or none, which the compiler cannot see through a computed key.
  return (value === null || value === undefined ? {} : { [name]: value }) as {
    readonly [Key in Name]?: Value;
  };
}
