/** What an entity of the register owes at a day: one obligation with its identity, dates and fee, or why there is none. */
import { parseDay } from '../../../calendar/index.ts';
import {
  FilewrightError,
  obligationId,
  type ObligationId,
  obligationKey,
} from '../../../core/index.ts';
import type { Alarm } from '../law/alarm.ts';
import { answerObligation, type ObligationAnswer } from '../law/obligation-answer.ts';
import { answerTax, type TaxAnswer } from '../law/delaware-answer.ts';
import type { DelawareRates } from '../law/delaware-rates.ts';
import type { EntityLaw } from '../law/obligation.ts';
import { registerRule } from '../law/case-rule.ts';
import type { FilingSort } from '../law/filing-sort.ts';
import type { FilingRule } from '../law/filing-rule.ts';
import type { EntityRecord } from './entity-record.ts';
import { filingKindOf, periodOf, UNKNOWN_PERIOD } from './filing-kinds.ts';

type OwedTax = Omit<TaxAnswer, 'steps'>;

export interface RegisterLaw extends EntityLaw {
  readonly rates: DelawareRates;
}

interface OwedBase {
  readonly id: ObligationId;
  readonly sort: FilingSort;
  readonly filingKind: string;
  readonly period: string;
  readonly asOf: string;
  readonly ruleId: string | undefined;
  readonly ruleVersion: string;
  readonly calendarVersion: string;
}

interface OwedDate extends OwedBase {
  readonly state: 'open';
  /** Before any roll. */
  readonly raw: string;
  readonly due: string;
  readonly feeCents: number | undefined;
  readonly answer: ObligationAnswer;
  readonly tax: OwedTax | undefined;
  readonly alarms: readonly StoredAlarm[];
}

/** The law's own alarms, and the one of the register. */
type StoredAlarm = Alarm | { readonly code: 'TAX_NOT_COMPUTED'; readonly message: string };

export type Owed =
  | OwedDate
  /** Only the state can say when: a task for a person. */
  | (OwedBase & { readonly state: 'record_needed'; readonly reason: string })
  | (OwedBase & { readonly state: 'nothing_owed'; readonly reason: string });

interface OwedQuestion {
  readonly tenant: string;
  readonly sort: FilingSort;
  readonly asOf: string;
  /** The date in law of the last occurrence that is met: a record that shows no later one is old. */
  readonly metUntil?: string;
}

/** Throws `CASE_INVALID` where the record itself cannot be used; the message begins with the field. */
export function owedBy(record: EntityRecord, law: RegisterLaw, question: OwedQuestion): Owed {
  const { sort, asOf } = question;
  const rule = ruleOf(record, law);
  const filingKind = filingKindOf(rule, sort);
  const base = (period: string): OwedBase => ({
    id: obligationId(
      obligationKey({
        pack: 'entity',
        tenant: question.tenant,
        jurisdiction: record.jurisdiction,
        registryNumber: record.registryNumber,
        filingKind,
        period,
      }),
    ),
    sort,
    filingKind,
    period,
    asOf,
    ruleId: rule?.id,
    ruleVersion: law.rules.version,
    calendarVersion: law.businessDays.version,
  });
  const onRecord = record.stateRecordDue[filingKind];
  const isOld =
    onRecord !== undefined && question.metUntil !== undefined && onRecord <= question.metUntil;
  let answer: ObligationAnswer;
  try {
    answer = answerObligation(caseOf(record, question, isOld ? undefined : onRecord), law);
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    // The record stood in for what the rule needs; its date is met, so only the record can say the next one.
    const isSpent = isOld && error.code === 'CASE_INVALID';
    if (error.code !== 'STATE_RECORD_NEEDED' && !isSpent) throw error;
    const spent = `The date on the record, ${onRecord}, is met; enter the next one as state_record_due. `;
    const reason = `${isSpent ? spent : ''}${error.message}`;
    return { ...base(UNKNOWN_PERIOD), state: 'record_needed', reason };
  }
  if (answer.next_due === null || answer.due === undefined || rule === undefined) {
    const reason = answer.steps.map((step) => step.text).join(' ');
    return { ...base(UNKNOWN_PERIOD), state: 'nothing_owed', reason };
  }
  const tax = taxOf(record, rule, sort, answer, law.rates);
  return {
    ...base(periodOf(rule, sort, answer)),
    state: 'open',
    raw: answer.next_due,
    due: answer.due,
    feeCents: feeCentsOf(rule, sort, answer, tax),
    answer,
    tax,
    alarms: [...(answer.alarms ?? []), ...taxAlarms(rule, sort, tax)],
  };
}

function ruleOf(
  record: Pick<EntityRecord, 'ruleId' | 'jurisdiction' | 'kind' | 'origin'>,
  law: Pick<EntityLaw, 'rules'>,
): FilingRule | undefined {
  if (record.ruleId !== undefined) return law.rules.byId.get(record.ruleId);
  return registerRule(law.rules, record);
}

function caseOf(
  record: EntityRecord,
  question: OwedQuestion,
  onRecord: string | undefined,
): Readonly<Record<string, unknown>> {
  return {
    jurisdiction: record.jurisdiction,
    entity_kind: record.kind,
    origin: record.origin,
    rule_id: record.ruleId,
    formation_date: record.formationDate,
    fiscal_year_end: record.fiscalYearEnd,
    tax_class: record.sealed.tax_class,
    filing_date_choice: record.sealed.filing_date_choice,
    as_of: question.asOf,
    filing: question.sort,
    state_record_due: onRecord,
    preceding_year_tax: record.sealed.preceding_year_tax,
  };
}

/** The report that closes the Delaware tax year is paid together with the tax (8 Del. C. §§ 502, 503). */
const TAXED_RULE = 'US-DE.corporation.domestic';

function taxOf(
  record: EntityRecord,
  rule: FilingRule,
  sort: FilingSort,
  answer: ObligationAnswer,
  rates: DelawareRates,
): OwedTax | undefined {
  const { authorized, issued, gross_assets, large_filer } = record.sealed;
  if (rule.id !== TAXED_RULE || sort !== 'periodic' || authorized === undefined) return undefined;
  // The steps repeat the assets and shares, which are sealed; what is owed is kept in the clear.
  const { steps: _steps, ...figures } = answerTax(
    { authorized, issued, gross_assets, large_filer, tax_year: answer.tax_year },
    rates,
  );
  return figures;
}

/** Undefined rather than too little: the report fee alone is not what a Delaware corporation pays. */
function feeCentsOf(
  rule: FilingRule,
  sort: FilingSort,
  answer: ObligationAnswer,
  tax: OwedTax | undefined,
): number | undefined {
  // A fee from memory informs a person; nothing is paid from it.
  const isRead = answer.fee_basis === 'read';
  const fee = answer.fee === undefined || !isRead ? undefined : centsOf(answer.fee);
  if (rule.id !== TAXED_RULE || sort !== 'periodic') return fee;
  return tax === undefined || fee === undefined ? undefined : fee + centsOf(tax.tax);
}

function taxAlarms(
  rule: FilingRule,
  sort: FilingSort,
  tax: OwedTax | undefined,
): readonly StoredAlarm[] {
  if (rule.id !== TAXED_RULE || sort !== 'periodic' || tax !== undefined) return [];
  const message =
    'The franchise tax depends on the authorized shares, which the register does not have; give authorized, and issued with gross_assets where the tax may be less.';
  return [{ code: 'TAX_NOT_COMPUTED', message }];
}

/** Money texts of the rules have exactly two decimals. */
function centsOf(money: string): number {
  const cents = Number(money.replace('.', ''));
  if (!/^\d+\.\d{2}$/.test(money) || !Number.isSafeInteger(cents)) {
    throw new FilewrightError('BROKEN_INVARIANT', `Expected dollars and cents, found "${money}".`);
  }
  return cents;
}

/** Whether a first filing that nobody has made here is a question: its day has not passed, or the record names one. */
export function asksFirst(record: EntityRecord, law: RegisterLaw, question: OwedQuestion): boolean {
  const rule = ruleOf(record, law);
  const { sort } = question;
  const onRecord = record.stateRecordDue[filingKindOf(rule, sort)];
  if (onRecord !== undefined)
    return question.metUntil === undefined || onRecord > question.metUntil;
  const firsts = law.rules.initialFilings.some(
    (one) => one.jurisdiction === record.jurisdiction && one.sort === sort,
  );
  if (rule === undefined || !firsts || record.formationDate === undefined) return false;
  // That of a company that was formed years ago was made or is lost; only one still to come is known to be owed.
  const found = owedBy(record, law, question);
  return found.state === 'open' && isOnOrAfter(found.raw, question.asOf);
}

function isOnOrAfter(day: string, other: string): boolean {
  const [a, b] = [parseDay(day), parseDay(other)];
  return a !== undefined && b !== undefined && a >= b;
}
