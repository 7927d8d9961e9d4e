/** The fields of an award document. Everything else is refused, and all faults are told at once. */
import { parseDay } from '../../../calendar/index.ts';
import type { JsonValue } from '../../../core/index.ts';
import { AWARD_YEARS_MAX, isWithinAwardYears } from '../award.ts';
import { hasShape } from '../federal.ts';
import type { GrantsLaw } from '../law.ts';
import { type AwardRecord, type Spelling, type Violation, violation } from './award-record.ts';

type Kind =
  | { readonly kind: 'text'; readonly max: number; readonly pattern?: RegExp }
  | { readonly kind: 'cents'; readonly min: number }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  | { readonly kind: 'day' }
  /** Of every year: `02-28` and `02-29` both mean the last day of February. */
  | { readonly kind: 'dayOfYear' }
  | { readonly kind: 'flag' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] };

interface Field {
  readonly isNeeded: boolean;
  readonly kind: Kind;
}

/** Fifteen digits, as in a return. */
const CENTS_MAX = 999_999_999_999_999;
const TEXT_MAX = 200;
/** A purpose in a return has at most this many characters. */
const PURPOSE_MAX = 1_000;
const TAGS_MAX = 50;
/** Twice the base, in hundredths of a percent. */
const INDIRECT_RATE_MAX = 20_000;
const OFFSET_DAYS_MAX = 3_660;
/** It has every day that any year has. */
const LEAP_YEAR = 2024;

const needed = (kind: Kind): Field => ({ isNeeded: true, kind });
const optional = (kind: Kind): Field => ({ isNeeded: false, kind });
const text = (max = TEXT_MAX, pattern?: RegExp): Kind => ({
  kind: 'text',
  max,
  ...(pattern !== undefined && { pattern }),
});
const choice = (...choices: string[]): Kind => ({ kind: 'choice', choices });
const cents: Kind = { kind: 'cents', min: 0 };

const FUNDER_TYPES = [
  'government',
  'foundation',
  'corporation',
  'individual',
  'dafSponsor',
  'federatedCampaign',
  'relatedOrganization',
] as const;

const FREQUENCIES = ['quarterly', 'semiannual', 'annual'] as const;

const AWARD_FIELDS: Readonly<Record<string, Field>> = {
  grantor_id: needed(text()),
  award_amount: needed(cents),
  currency: needed(text(3)),
  fiscal_year: needed({ kind: 'integer', min: 1990, max: 2100 }),
  award_id: optional(text()),
  grantor_name: optional(text()),
  grantor_ein: optional(text(9, /^[0-9]{9}$/)),
  /** What does not come as money; `award_amount` includes it, as lines 1a to 1f of the return do. */
  noncash_amount: optional(cents),
  funder_type: optional(choice(...FUNDER_TYPES)),
  /** A payment that serves the government itself is no contribution. */
  benefit: optional(choice('public', 'grantor')),
  federal_alignment: optional({ kind: 'flag' }),
  organization: optional(text()),
  role: optional(choice('recipient', 'subrecipient')),
  fain: optional(text(30)),
  assistance_listing: optional(text(10)),
  uei: optional(text(12)),
  recipient_name: optional(text()),
  recipient_ein: optional(text(9, /^[0-9]{9}$/)),
  recipient_address: optional(text()),
  recipient_city: optional(text()),
  recipient_state: optional(text(2, /^[A-Z]{2}$/)),
  recipient_zip: optional(text(10, /^[0-9]{5}(-?[0-9]{4})?$/)),
  /** For the reports of federal awards. */
  agency: optional(text()),
  pass_through_name: optional(text()),
  pass_through_number: optional(text()),
  cluster: optional(text()),
  recipient_account: optional(text()),
  accounting_basis: optional(choice('cash', 'accrual')),
  /** For Schedule B. */
  grantor_address: optional(text()),
  grantor_city: optional(text()),
  grantor_state: optional(text(2, /^[A-Z]{2}$/)),
  grantor_zip: optional(text(10, /^[0-9]{5}(-?[0-9]{4})?$/)),
  grantor_country: optional(text(2, /^[A-Z]{2}$/)),
  payroll: optional({ kind: 'flag' }),
  noncash_description: optional(text()),
  irc_section: optional(text()),
  purpose: optional(text(PURPOSE_MAX)),
  payer: optional(text()),
  reference: optional(text()),
  expected_on: optional({ kind: 'day' }),
  period_start: optional({ kind: 'day' }),
  period_end: optional({ kind: 'day' }),
  fiscal_year_end: optional({ kind: 'dayOfYear' }),
  reporting_frequency: optional(choice(...FREQUENCIES)),
  performance_frequency: optional(choice(...FREQUENCIES)),
  guidance_version: optional(text(10)),
  'terms.reporting_periods': optional(choice('calendar', 'from-start')),
  'terms.roll_forward': optional({ kind: 'flag' }),
  'terms.indirect_type': optional(text()),
  /** Hundredths of a percent: 1500 is 15 %. */
  'terms.indirect_rate': optional({ kind: 'integer', min: 0, max: INDIRECT_RATE_MAX }),
  'terms.subaward_total_max': optional(cents),
  'terms.subaward_recipient_max': optional(cents),
  'terms.subaward_approval_above': optional(cents),
};

/** Without tags and offsets, whose names are open. */
export const AWARD_FIELD_NAMES: readonly string[] = Object.keys(AWARD_FIELDS);

export function kindOfField(name: string): Kind['kind'] | undefined {
  return Object.hasOwn(AWARD_FIELDS, name) ? AWARD_FIELDS[name]?.kind.kind : undefined;
}

/** A field of an award by its path, whatever it holds. */
export function isAwardField(path: string): boolean {
  return (
    Object.hasOwn(AWARD_FIELDS, path) ||
    path === 'compliance_tags' ||
    path.startsWith(TAG_PREFIX) ||
    path.startsWith(OFFSET_PREFIX)
  );
}

/** Nothing in it says that it is an award: another kind of file. */
export function isNoAward(violations: readonly Violation[]): boolean {
  const missing = new Set(
    violations.flatMap(({ code, field }) => (code === 'MISSING' ? [field] : [])),
  );
  return ['grantor_id', 'award_amount', 'currency', 'fiscal_year'].every((name) =>
    missing.has(name),
  );
}

const OFFSET_PREFIX = 'terms.offset_days.';
const OFFSET_REPORTS: ReadonlySet<string> = new Set([
  'sf425.interim',
  'sf425.final',
  'performance.interim',
  'performance.final',
  'liquidation',
]);
const TAG_PREFIX = 'compliance_tags.';
const TAG_NAME = /^[a-z][a-z0-9_-]{0,49}$/;

/** A valid award: whole numbers, texts and flags only, in the shape in which it is hashed. */
export type AwardPayload = { readonly [field: string]: JsonValue };

interface Validated {
  readonly payload: AwardPayload;
  readonly violations: readonly Violation[];
}

export function validateAward(record: AwardRecord, law: GrantsLaw): Validated {
  const violations: Violation[] = [...record.violations];
  const payload: Record<string, JsonValue> = {};
  const tags: Record<string, JsonValue> = {};
  const terms: Record<string, JsonValue> = {};
  const offsets: Record<string, JsonValue> = {};
  const put = (target: Record<string, JsonValue>, name: string, path: string, kind: Kind): void => {
    const read = readValue(record.values.get(path), path, kind, record.spelling);
    if ('code' in read) violations.push(read);
    else target[name] = read.value;
  };
  for (const path of record.values.keys()) {
    const field = Object.hasOwn(AWARD_FIELDS, path) ? AWARD_FIELDS[path] : undefined;
    if (path.startsWith(TAG_PREFIX) && TAG_NAME.test(path.slice(TAG_PREFIX.length))) {
      put(tags, path.slice(TAG_PREFIX.length), path, text());
    } else if (
      path.startsWith(OFFSET_PREFIX) &&
      OFFSET_REPORTS.has(path.slice(OFFSET_PREFIX.length))
    ) {
      const kind: Kind = { kind: 'integer', min: 0, max: OFFSET_DAYS_MAX };
      put(offsets, path.slice(OFFSET_PREFIX.length), path, kind);
    } else if (path === 'compliance_tags') {
      // The readers put an empty object here to say that tags were thought of; anything else would be lost.
      if (!isEmptyObject(record.values.get(path))) {
        violations.push(violation('WRONG_TYPE', path, 'tags by name, each a text'));
      }
    } else if (field === undefined) {
      violations.push(violation('UNKNOWN_FIELD', path, 'no award field has this name'));
    } else if (path.startsWith('terms.')) put(terms, path.slice('terms.'.length), path, field.kind);
    else put(payload, path, path, field.kind);
  }
  // A record that could not be read at all has no fields to miss.
  if (record.values.size > 0 || record.violations.length === 0) {
    violations.push(...missingFields(record, Object.keys(tags).length));
    violations.push(...crossChecks(payload, law));
  }
  if (Object.keys(offsets).length > 0) terms['offset_days'] = offsets;
  if (Object.keys(terms).length > 0) payload['terms'] = terms;
  payload['compliance_tags'] = tags;
  return { payload, violations };
}

function missingFields({ values }: AwardRecord, tags: number): Violation[] {
  const missing = Object.entries(AWARD_FIELDS)
    .filter(([path, { isNeeded }]) => isNeeded && !values.has(path))
    .map(([path]) => violation('MISSING', path, `${path} is required`));
  if (tags === 0 && !values.has('compliance_tags')) {
    missing.push(
      violation('MISSING', 'compliance_tags', 'compliance_tags is required, even if empty'),
    );
  }
  if (tags > TAGS_MAX) {
    missing.push(violation('NOT_ALLOWED', 'compliance_tags', `at most ${TAGS_MAX} tags`));
  }
  return missing;
}

type Read = { readonly value: JsonValue } | Violation;

function readValue(
  value: JsonValue | undefined,
  path: string,
  kind: Kind,
  spelling: Spelling,
): Read {
  switch (kind.kind) {
    case 'cents':
      return readCents(value, path, kind.min, spelling);
    case 'integer': {
      const number = wholeNumber(value, spelling);
      const fits = number !== undefined && number >= kind.min && number <= kind.max;
      return fits
        ? { value: number }
        : violation('NOT_ALLOWED', path, `a whole number from ${kind.min} to ${kind.max}`);
    }
    case 'flag': {
      const isSpelt = spelling === 'text' && (value === 'true' || value === 'false');
      const flag = isSpelt ? value === 'true' : value;
      return typeof flag === 'boolean'
        ? { value: flag }
        : violation('WRONG_TYPE', path, 'true or false');
    }
    case 'day':
      return typeof value === 'string' && parseDay(value) !== undefined
        ? { value }
        : violation('NOT_ALLOWED', path, 'a valid date, as YYYY-MM-DD');
    case 'dayOfYear':
      return typeof value === 'string' && parseDay(`${LEAP_YEAR}-${value}`) !== undefined
        ? { value }
        : violation('NOT_ALLOWED', path, 'a valid date, as MM-DD');
    case 'choice':
      return typeof value === 'string' && kind.choices.includes(value)
        ? { value }
        : violation('NOT_ALLOWED', path, `one of ${kind.choices.join(', ')}`);
    case 'text':
      return readText(value, path, kind);
  }
}

function readText(
  value: JsonValue | undefined,
  path: string,
  kind: Extract<Kind, { readonly kind: 'text' }>,
): Read {
  if (typeof value !== 'string') return violation('WRONG_TYPE', path, 'a text');
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for.
  if (value.trim() === '' || value.length > kind.max || /[\u0000-\u001f\u007f]/.test(value)) {
    return violation('NOT_ALLOWED', path, `1 to ${kind.max} characters without control characters`);
  }
  if (kind.pattern !== undefined && !kind.pattern.test(value)) {
    return violation('NOT_ALLOWED', path, `a text of the form ${kind.pattern.source}`);
  }
  return { value };
}

function readCents(
  value: JsonValue | undefined,
  path: string,
  min: number,
  spelling: Spelling,
): Read {
  const number = wholeNumber(value, spelling);
  if (number === undefined) {
    return violation('MONEY_NOT_CENTS', path, 'a whole number of cents, without point or exponent');
  }
  return number >= min && number <= CENTS_MAX
    ? { value: number }
    : violation('NOT_ALLOWED', path, `from ${min} to ${CENTS_MAX} cents`);
}

function wholeNumber(value: JsonValue | undefined, spelling: Spelling): number | undefined {
  if (spelling === 'text') {
    const isPlain = typeof value === 'string' && /^(0|-?[1-9][0-9]{0,15})$/.test(value);
    return isPlain && Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
  }
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

function crossChecks(payload: AwardPayload, law: GrantsLaw): Violation[] {
  const faults: Violation[] = [];
  const { currency, award_amount: amount, noncash_amount: noncash } = payload;
  if (currency !== undefined && currency !== 'USD') {
    faults.push(
      violation('WRONG_CURRENCY', 'currency', `expected USD, found ${JSON.stringify(currency)}`),
    );
  }
  if (amount === 0) faults.push(violation('NOT_ALLOWED', 'award_amount', 'an award of zero'));
  if (typeof amount === 'number' && typeof noncash === 'number' && noncash > amount) {
    const message = 'part of award_amount, so not more than that';
    faults.push(violation('NOT_ALLOWED', 'noncash_amount', message));
  }
  const { period_start: start, period_end: end } = payload;
  if (typeof start === 'string' && typeof end === 'string') {
    if (end < start) faults.push(violation('NOT_ALLOWED', 'period_end', 'not before period_start'));
    // Accepted, it would stop the calendar of every other award for ever.
    else if (!isWithinAwardYears(start, end)) {
      const message = `at most ${AWARD_YEARS_MAX} years after period_start`;
      faults.push(violation('NOT_ALLOWED', 'period_end', message));
    }
  }
  const { uei, aln } = law.federal.identifiers;
  for (const [field, shape] of [
    ['uei', uei],
    ['assistance_listing', aln],
  ] as const) {
    const value = payload[field];
    if (typeof value === 'string' && !hasShape(value, shape)) {
      faults.push(violation('NOT_ALLOWED', field, 'an identifier of the published form'));
    }
  }
  const { guidance_version: guidance } = payload;
  if (typeof guidance === 'string' && !law.federal.guidance.includes(guidance)) {
    faults.push(
      violation('NOT_ALLOWED', 'guidance_version', `one of ${law.federal.guidance.join(', ')}`),
    );
  }
  return faults;
}

function isEmptyObject(value: JsonValue | undefined): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).length === 0
  );
}
