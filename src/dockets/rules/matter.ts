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
  parsePeriodChoice,
  type Period,
  type PeriodChoice,
  type Relief,
} from '../../calendar/index.ts';
import { FilewrightError } from '../../core/index.ts';
import { type CaseInputs, invalid, type PatentCase } from './case.ts';
import { type EventCode, eventOf } from './event-codes.ts';
import type { PatentRule } from './patent-rule.ts';
import type { PatentOffice, PatentRules } from './rules-file.ts';
import { ordinalOf, renewalYear } from './words.ts';

/** Everything that a deadline is computed from. */
export interface PatentLaw {
  readonly rules: PatentRules;
  readonly calendars: CalendarSet;
  readonly relief: readonly Relief[];
}

export type MatterPeriod =
  | { readonly kind: 'period'; readonly period: Period }
  | { readonly kind: 'choice'; readonly choice: PeriodChoice }
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
  /** What the law itself sets at this office for this trigger; undefined where the document does. */
  readonly setPeriod: string | undefined;
  /** Further rules that the event starts, where it was the event that named the rule. */
  readonly also: readonly string[];
  /** Whether the law's own period was taken because the case gave none. */
  readonly periodFromLaw: boolean;
  readonly inputs: CaseInputs;
}

/** The national limits of the Treaty are those of some ninety offices. */
const OFFICES_SHOWN_MAX = 12;

export function matterOf(one: PatentCase, law: PatentLaw): Matter {
  const event =
    one.eventCode === undefined ? undefined : eventOf(one.eventCode, law.rules.eventCodes);
  const office = officeOf(one, event, law.rules);
  const general = ruleOf(one, { event, office }, law.rules);
  if (!general.offices.includes(office.code)) {
    invalid(
      `office: ${general.rule} is a rule of ${general.offices.slice(0, OFFICES_SHOWN_MAX).join(', ')}, but the case is at ${office.code}`,
    );
  }
  const calendar = law.calendars.get(office.calendar);
  if (calendar === undefined) {
    throw new FilewrightError(
      'RULE_UNKNOWN',
      `No calendar "${office.calendar}" is loaded, which ${office.title} needs`,
    );
  }
  const trigger =
    general.formula === 'receipt'
      ? receiptDay(one.trigger, calendar.zone)
      : triggerDay(one.trigger);
  const earlier = general.earlierPeriods.find(({ before }) => trigger < before);
  const isRecalled = earlier !== undefined || general.memoryAt.has(office.code);
  const rule = isRecalled ? fromMemory(general) : general;
  // What the law set before a change, or sets at this office.
  const setPeriod = earlier?.period ?? rule.periodsAt.get(office.code) ?? rule.period;
  const period = periodOf(one, { rule, event, setPeriod });
  for (const name of rule.needs) {
    if (!isGiven(one.inputs, name)) {
      invalid(`inputs.${name}: ${rule.rule} cannot be computed without it`);
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
    setPeriod,
    also: one.rule === undefined ? (event?.also ?? NONE) : NONE,
    periodFromLaw: one.period === undefined && rule.formula !== 'receipt',
    inputs: one.inputs,
  };
}

/** At this office, or before a change of the law, what the rule says was not read. */
function fromMemory(rule: PatentRule): PatentRule {
  return { ...rule, standing: 'memory', confidence: rule.confidence === 'low' ? 'low' : 'medium' };
}

const NONE: readonly string[] = [];

function isGiven(inputs: CaseInputs, name: string): boolean {
  return name === 'delivered_date' ? inputs.deliveredDate !== undefined : inputs.days.has(name);
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
      `Expected one of the offices ${namedOffices(rules)}; ${given.length === 0 ? 'neither office, filing_country nor event_code is given' : `none follows from ${given.join(', ')}`}`,
    );
  }
  if (event !== undefined && event.office !== office.code) {
    invalid(
      `event_code: "${one.eventCode}" is a code of ${event.office}, but the case is at ${office.code}`,
    );
  }
  return office;
}

/** Offices of which only a limit is known are in `rules list`; here they would hide the others. */
function namedOffices({ offices }: PatentRules): string {
  return [...offices.values()]
    .filter(({ limitsOnly }) => !limitsOnly)
    .map(({ code }) => code)
    .join(', ');
}

function ruleOf(
  one: PatentCase,
  at: { readonly event: EventCode | undefined; readonly office: PatentOffice },
  rules: PatentRules,
): PatentRule {
  const code = one.rule ?? ruleOfEvent(one.eventCode, at);
  const rule = rules.rules.get(code);
  if (rule === undefined) {
    throw new FilewrightError('RULE_UNKNOWN', `rule: no rule "${code}" is loaded`);
  }
  if (rule.formula === 'none') invalid(`rule: ${rule.rule} sets no period. ${rule.note ?? ''}`);
  return rule;
}

/** An event that the table does not hold may be the one that starts a period, so it is never passed over. */
function ruleOfEvent(
  eventCode: string | undefined,
  { event, office }: { readonly event: EventCode | undefined; readonly office: PatentOffice },
): string {
  if (eventCode === undefined) {
    invalid('rule: the name of a rule is missing, and no event code is given');
  }
  if (event === undefined || event.standing === 'unknown') {
    throw new FilewrightError(
      'EVENT_UNKNOWN',
      `event_code: "${eventCode}" is an unknown event at the ${office.title}; a person must look at the document and name the rule`,
    );
  }
  const named = `event_code: "${eventCode}" (${event.title})`;
  if (event.rule === undefined) {
    invalid(`${named} names no rule. ${event.says ?? 'Name the rule, as the document says'}`);
  }
  if (event.dated === 'document') {
    invalid(
      `${named} starts ${event.rule}, but the period runs from the date on the document, and the register gives the date of its own entry; name the rule and the date on the document`,
    );
  }
  return event.rule;
}

/** Periods repeat from case to case; reading each text once is what makes a docket of thousands quick. */
const PARSED_MAX = 1_000;
const parsed = new Map<string, MatterPeriod>();

export function parsedPeriod(text: string): MatterPeriod | undefined {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const period = parsePeriod(text);
  const choice = period === undefined ? parsePeriodChoice(text) : undefined;
  const found: MatterPeriod | undefined =
    period !== undefined ? { kind: 'period', period } : choice && { kind: 'choice', choice };
  if (found === undefined) return undefined;
  if (parsed.size >= PARSED_MAX) parsed.clear();
  parsed.set(text, found);
  return found;
}

const RECEIPT: MatterPeriod = { kind: 'receipt' };

function periodOf(
  one: PatentCase,
  at: {
    readonly rule: PatentRule;
    readonly event: EventCode | undefined;
    readonly setPeriod: string | undefined;
  },
): MatterPeriod {
  const { rule, event } = at;
  if (rule.formula === 'receipt') {
    if (one.period === undefined || one.period === 'receipt') return RECEIPT;
    invalid(`period: expected "receipt" for ${rule.rule}, found "${one.period}"`);
  }
  if (rule.formula.startsWith('renewal')) return renewalOf(one.period, rule);
  const text = one.period ?? at.setPeriod;
  if (text === undefined) {
    const usually = event?.usualPeriod ?? rule.usualPeriod;
    const usual =
      usually === undefined
        ? ''
        : ` (usually ${usually} for ${event?.code ?? rule.rule}, but the document decides)`;
    invalid(`period: missing; take it from the document, for example P3M${usual}`);
  }
  const period = parsedPeriod(text);
  if (period === undefined) {
    invalid(
      `period: expected a form such as P3M, P60D, P3M+P1M, P31M then P6M or later(P16M from trigger; P4M from filing_date), found "${text}"`,
    );
  }
  return period;
}

function renewalOf(text: string | undefined, rule: PatentRule): MatterPeriod {
  const year = text === undefined ? undefined : renewalYear(text);
  if (year === undefined || year < rule.renewal.from) {
    invalid(
      `period: expected "${ordinalOf(rule.renewal.from)} year" to "twentieth year" for ${rule.rule}, found ${text === undefined ? 'nothing' : `"${text}"`}`,
    );
  }
  return { kind: 'renewal', year };
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
