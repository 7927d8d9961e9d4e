/** A docket case as it comes in: every field is checked here once and trusted afterwards. */
import { type Day, DAY_EXPECTED, parseDay } from '../../calendar/index.ts';
import { badCase, caseFields, refuseUnknown } from '../../core/index.ts';

export interface PatentCase {
  readonly office: string | undefined;
  readonly filingCountry: string | undefined;
  readonly eventCode: string | undefined;
  readonly rule: string | undefined;
  /** A day, or an instant for receipt rules. */
  readonly trigger: string;
  readonly period: string | undefined;
  readonly inputs: CaseInputs;
}

export interface CaseInputs {
  readonly deliveredDate: Day | undefined;
  readonly ptaDays: number | undefined;
  readonly disclaimedTo: Day | undefined;
  /** Days from which limits of their own run, by their names in `NAMED_DAYS`. */
  readonly days: ReadonlyMap<string, Day>;
  readonly served: Served | undefined;
  readonly after1630Et: boolean | undefined;
  readonly lateEntryMonths: number | undefined;
  /** Already inside the period, and compared with it; one rule applies it. */
  readonly extensionMonths: number | undefined;
  /** What follows from the rest and is only compared with it. */
  readonly checks: CaseChecks;
  readonly unknown: readonly string[];
}

interface CaseChecks {
  readonly extendable: boolean | undefined;
  readonly deemedDate: Day | undefined;
  readonly dueDate: Day | undefined;
  readonly deferredDueDate: Day | undefined;
  readonly abandonedAsOf: Day | undefined;
}

const NAMED_DAYS = [
  'priority_date',
  'filing_date',
  'search_report_date',
  'new_priority_date',
  'international_filing_date',
  'corrected_priority_date',
  'missed_period_end',
  'first_report_date',
  'notice_date',
  'grant_date',
  'first_reply_date',
  'advisory_date',
] as const;

/** Whether a limit may run from an input of that name. */
export function isNamedDay(name: string): boolean {
  return NAMED_DAYS.some((known) => known === name);
}

const SERVED = ['electronic', 'post'] as const;
type Served = (typeof SERVED)[number];

export const INPUT_NAMES = [
  'delivered_date',
  'pta_days',
  'disclaimed_to',
  'served',
  'after_1630_et',
  'late_entry_months',
  'extension_months',
  'extendable',
  'deemed_date',
  'due_date',
  'deferred_due_date',
  'abandoned_as_of',
  ...NAMED_DAYS,
] as const;

/** Two hundred years; the longest adjustments are a few thousand days. */
const PTA_DAYS_MAX = 73_000;
const EXTENSION_MONTHS_MAX = 60;

type Fields = Readonly<Record<string, unknown>>;

const NO_DAYS: ReadonlyMap<string, Day> = new Map();

/** One object for all cases that give none: whoever compares inputs sees at once that there are none. */
export const NO_INPUTS: CaseInputs = readInputs({});

const FIELDS = caseFields([
  'office',
  'filing_country',
  'event_code',
  'rule',
  'trigger_date',
  'period',
  'inputs',
]);

export function readPatentCase(input: Fields): PatentCase {
  refuseUnknown(input, FIELDS);
  const trigger = text(input, 'trigger_date');
  if (trigger === undefined) {
    invalid('trigger_date: a day (YYYY-MM-DD) is missing');
  }
  const inputs = input['inputs'];
  if (inputs !== undefined && inputs !== null && !isFields(inputs)) {
    invalid('inputs: expected an object');
  }
  return {
    office: text(input, 'office'),
    filingCountry: text(input, 'filing_country'),
    eventCode: text(input, 'event_code'),
    rule: text(input, 'rule'),
    trigger,
    period: text(input, 'period'),
    inputs: isFields(inputs) ? readInputs(inputs) : NO_INPUTS,
  };
}

function readInputs(fields: Fields): CaseInputs {
  return {
    deliveredDate: day(fields, 'delivered_date'),
    ptaDays: whole(fields, 'pta_days', PTA_DAYS_MAX),
    disclaimedTo: day(fields, 'disclaimed_to'),
    days: namedDays(fields),
    served: oneOfTexts(fields, 'served', SERVED),
    after1630Et: flag(fields, 'after_1630_et'),
    lateEntryMonths: whole(fields, 'late_entry_months', EXTENSION_MONTHS_MAX),
    extensionMonths: whole(fields, 'extension_months', EXTENSION_MONTHS_MAX),
    checks: {
      extendable: flag(fields, 'extendable'),
      deemedDate: day(fields, 'deemed_date'),
      dueDate: day(fields, 'due_date'),
      deferredDueDate: day(fields, 'deferred_due_date'),
      abandonedAsOf: day(fields, 'abandoned_as_of'),
    },
    unknown: Object.keys(fields).filter((name) => !INPUT_NAMES.some((known) => known === name)),
  };
}

function namedDays(fields: Fields): ReadonlyMap<string, Day> {
  let days: Map<string, Day> | undefined;
  for (const name of NAMED_DAYS) {
    const found = day(fields, name);
    if (found !== undefined) days = (days ?? new Map<string, Day>()).set(name, found);
  }
  return days ?? NO_DAYS;
}

function oneOfTexts<Choice extends string>(
  fields: Fields,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === '') return undefined;
  const found = choices.find((choice) => choice === value);
  if (found === undefined) {
    invalid(`inputs.${name}: expected ${choices.join(' or ')}, found ${show(value)}`);
  }
  return found;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Null and the empty text mean: not given. */
function text(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') invalid(`${name}: expected a text, found ${show(value)}`);
  return value.trim();
}

function day(fields: Fields, name: string): Day | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === '') return undefined;
  const found = typeof value === 'string' ? parseDay(value) : undefined;
  if (found === undefined) {
    invalid(`inputs.${name}: expected ${DAY_EXPECTED}, found ${show(value)}`);
  }
  return found;
}

function whole(fields: Fields, name: string, max: number): number | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > max) {
    invalid(`inputs.${name}: expected a whole number from 0 to ${max}, found ${show(value)}`);
  }
  return value;
}

function flag(fields: Fields, name: string): boolean | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') {
    invalid(`inputs.${name}: expected true or false, found ${show(value)}`);
  }
  return value;
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}

export function invalid(message: string): never {
  throw badCase(message);
}
