/** From a case to what will be computed: which office, which rule, which calendar, which period. Nothing is assumed. */
import {
  type CalendarSet,
  type CompiledCalendar,
  dateAtOffice,
  type Day,
  DAY_EXPECTED,
  formatDay,
  parseDay,
  parseInstant,
  parsePeriod,
  type Period,
  type Relief,
} from '../../calendar/index.ts';
import { FilewrightError } from '../../core/index.ts';
import { type CaseInputs, invalid, type PatentCase } from './case.ts';
import type { EventCode, PatentOffice, PatentRule, PatentRules } from './rules-file.ts';
import { renewalYear } from './words.ts';

/** Everything that a deadline is computed from. */
export interface PatentLaw {
  readonly rules: PatentRules;
  readonly calendars: CalendarSet;
  readonly relief: readonly Relief[];
}

type MatterPeriod =
  | { readonly kind: 'period'; readonly period: Period }
  | { readonly kind: 'renewal'; readonly year: number }
  | { readonly kind: 'receipt' };

export interface Matter {
  readonly office: PatentOffice;
  readonly rule: PatentRule;
  readonly calendar: CompiledCalendar;
  readonly trigger: Day;
  /** As the case wrote it; for receipts an instant. */
  readonly triggerText: string;
  readonly period: MatterPeriod;
  /** Whether the law's own period was taken because the case gave none. */
  readonly periodFromLaw: boolean;
  readonly inputs: CaseInputs;
}

export function matterOf(one: PatentCase, law: PatentLaw): Matter {
  const event = one.eventCode === undefined ? undefined : eventOf(one.eventCode, law.rules);
  const office = officeOf(one, event, law.rules);
  const rule = ruleOf(one, event, law.rules);
  if (!rule.offices.includes(office.code)) {
    invalid(
      `office: ${rule.rule} is a rule of ${rule.offices.join(', ')}, but the case is at ${office.code}`,
    );
  }
  const calendar = law.calendars.get(office.calendar);
  if (calendar === undefined) {
    throw new FilewrightError(
      'RULE_UNKNOWN',
      `No calendar "${office.calendar}" is loaded, which ${office.title} needs`,
    );
  }
  const period = periodOf(one, rule, event);
  const trigger =
    rule.formula === 'receipt' ? receiptDay(one.trigger, calendar.zone) : triggerDay(one.trigger);
  for (const name of rule.needs) {
    if (name === 'delivered_date' && one.inputs.deliveredDate === undefined) {
      invalid(`inputs.delivered_date: ${rule.rule} cannot be computed without it`);
    }
  }
  const { deliveredDate } = one.inputs;
  if (deliveredDate !== undefined && deliveredDate < trigger) {
    invalid(
      `inputs.delivered_date: ${formatDay(deliveredDate)} is before the date of the document, ${formatDay(trigger)}`,
    );
  }
  if (rule.documentsFrom !== undefined && trigger < rule.documentsFrom) {
    invalid(
      `trigger_date: ${rule.rule} is for documents dated from ${formatDay(rule.documentsFrom)}, found ${formatDay(trigger)}; use EP-NOTIFICATION, which selects the regime by the date of the document`,
    );
  }
  return {
    office,
    rule,
    calendar,
    trigger,
    triggerText: one.trigger,
    period,
    periodFromLaw: one.period === undefined && rule.formula !== 'receipt',
    inputs: one.inputs,
  };
}

function eventOf(code: string, rules: PatentRules): EventCode | undefined {
  return rules.eventCodes.find((event) =>
    event.prefix ? code.startsWith(event.code) : code === event.code,
  );
}

function officeOf(one: PatentCase, event: EventCode | undefined, rules: PatentRules): PatentOffice {
  const country =
    one.filingCountry === undefined ? undefined : rules.filingCountries.get(one.filingCountry);
  const code =
    one.office ?? country ?? (one.filingCountry === undefined ? event?.office : undefined);
  const office = code === undefined ? undefined : rules.offices.get(code);
  if (office === undefined) {
    const given = [
      ['office', one.office],
      ['filing_country', one.filingCountry],
      ['event_code', one.eventCode],
    ].flatMap(([name, value]) => (value === undefined ? [] : [`${name} "${value}"`]));
    throw new FilewrightError(
      'JURISDICTION_UNRESOLVED',
      `Expected one of the offices ${[...rules.offices.keys()].join(', ')}; ${given.length === 0 ? 'neither office, filing_country nor event_code is given' : `none follows from ${given.join(', ')}`}`,
    );
  }
  if (event !== undefined && event.office !== office.code) {
    invalid(
      `event_code: "${one.eventCode}" is a code of ${event.office}, but the case is at ${office.code}`,
    );
  }
  return office;
}

function ruleOf(one: PatentCase, event: EventCode | undefined, rules: PatentRules): PatentRule {
  const code = one.rule ?? event?.rule;
  if (code === undefined) {
    invalid('rule: the name of a rule is missing, and the event code does not give one');
  }
  const rule = rules.rules.get(code);
  if (rule === undefined) {
    throw new FilewrightError('RULE_UNKNOWN', `rule: no rule "${code}" is loaded`);
  }
  return rule;
}

/** Periods repeat from case to case; reading each text once is what makes a docket of thousands quick. */
const PARSED_MAX = 1_000;
const parsed = new Map<string, Period | undefined>();

function parsedPeriod(text: string): Period | undefined {
  if (parsed.has(text)) return parsed.get(text);
  const period = parsePeriod(text);
  if (parsed.size >= PARSED_MAX) parsed.clear();
  parsed.set(text, period);
  return period;
}

const RECEIPT: MatterPeriod = { kind: 'receipt' };

function periodOf(one: PatentCase, rule: PatentRule, event: EventCode | undefined): MatterPeriod {
  if (rule.formula === 'receipt') {
    if (one.period === undefined || one.period === 'receipt') return RECEIPT;
    invalid(`period: expected "receipt" for ${rule.rule}, found "${one.period}"`);
  }
  if (rule.formula === 'renewal' || rule.formula === 'renewal-earliest') {
    const year = one.period === undefined ? undefined : renewalYear(one.period);
    if (year === undefined) {
      invalid(
        `period: expected "third year" to "twentieth year" for ${rule.rule}, found ${one.period === undefined ? 'nothing' : `"${one.period}"`}`,
      );
    }
    return { kind: 'renewal', year };
  }
  const text = one.period ?? rule.period;
  if (text === undefined) {
    const usual =
      event?.usualPeriod === undefined
        ? ''
        : ` (usually ${event.usualPeriod} for ${event.code}, but the action decides)`;
    invalid(`period: missing; take it from the document, for example P3M${usual}`);
  }
  const period = parsedPeriod(text);
  if (period === undefined) {
    invalid(`period: expected a form such as P3M, P60D, P3M+P1M or P31M then P6M, found "${text}"`);
  }
  return { kind: 'period', period };
}

function triggerDay(text: string): Day {
  const day = parseDay(text);
  if (day === undefined) {
    invalid(`trigger_date: expected ${DAY_EXPECTED}, found "${text}"`);
  }
  return day;
}

function receiptDay(text: string, zone: string): Day {
  const at = parseInstant(text);
  if (at === undefined) {
    invalid(
      `trigger_date: expected an instant such as 2025-03-11T03:59:59Z for a receipt, found "${text}"`,
    );
  }
  return dateAtOffice(at, zone);
}
