/** Arguments that the grants commands share, read once and refused in words. */
import { type ActorRef, misuse } from '../../core/index.ts';
import type { Organization } from '../../grants/index.ts';
import type { PersonActor } from '../../access/index.ts';
import { readDay } from './obligation-register.ts';

/** Days as YYYY-MM-DD, both included. */
interface Days {
  readonly from: string;
  readonly to: string;
}

export const PERIOD_FORM = '2026, 2026-Q3, 2026-09 or 2026-07-01..2026-09-30';

export function readPeriod(text: string): Days {
  const range = /^(\d{4}-\d{2}-\d{2})\.\.(\d{4}-\d{2}-\d{2})$/.exec(text);
  if (range !== null) {
    const [, first = '', last = ''] = range;
    const [from, to] = [readDay('period', first), readDay('period', last)];
    if (from > to) refusePeriod(text);
    return { from, to };
  }
  const named = /^(\d{4})(?:-(?:Q([1-4])|(0[1-9]|1[0-2])))?$/.exec(text);
  if (named === null) refusePeriod(text);
  const [, year = '', quarter, month] = named;
  const first = quarter === undefined ? Number(month ?? 1) : Number(quarter) * 3 - 2;
  const months = quarter !== undefined ? 3 : month !== undefined ? 1 : 12;
  const start = Date.UTC(Number(year), first - 1, 1);
  const end = Date.UTC(Number(year), first - 1 + months, 0);
  return { from: dayOf(start), to: dayOf(end) };
}

function refusePeriod(text: string): never {
  throw misuse(`Expected a period like ${PERIOD_FORM}, found "${text}"`);
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export interface OrganizationOptions {
  readonly states: readonly string[];
  readonly fiscalYearEnd: string;
}

/** Needed, never assumed: a state that nobody named would be a threshold that nobody watches. */
export const STATES_OPTION = [
  '--states <codes...>',
  'states in which you solicit, for instance PA NC; "none" if you solicit in no state',
] as const;
export const YEAR_END_OPTION = [
  '--fiscal-year-end <MM-DD>',
  'last day of your fiscal year',
  '12-31',
] as const;

export function readOrganization(own: OrganizationOptions): Organization {
  const words = own.states.flatMap((word) => word.split(',')).filter((word) => word !== '');
  const isNone = words.length === 1 && words[0] === 'none';
  const wrong = isNone ? undefined : words.find((word) => !/^[A-Z]{2}$/.test(word));
  if (words.length === 0 || wrong !== undefined) {
    throw misuse(`--states: expected two-letter codes like PA, or none, found "${wrong ?? ''}"`);
  }
  if (!isDayOfYear(own.fiscalYearEnd)) {
    throw misuse(`--fiscal-year-end: expected a day like 06-30, found "${own.fiscalYearEnd}"`);
  }
  return { states: isNone ? [] : words, fiscalYearEnd: own.fiscalYearEnd };
}

/** `MM-DD` that exists in some year. */
function isDayOfYear(text: string): boolean {
  const day = Date.parse(`2024-${text}T00:00:00Z`);
  return /^\d{2}-\d{2}$/.test(text) && !Number.isNaN(day) && dayOf(day) === `2024-${text}`;
}

export function actorOf(person: PersonActor): ActorRef {
  return { kind: 'user', id: person.id };
}

/** Dollars of people, `25.00` or `1,025`, as cents. */
export function readAmount(option: string, text: string): number {
  const [, whole = '', fraction = '00'] =
    /^(\d{1,3}(?:,\d{3})+|\d{1,12})(?:\.(\d{2}))?$/.exec(text) ?? [];
  const cents = Number(`${whole.replaceAll(',', '')}${fraction}`);
  if (whole === '' || cents === 0) {
    throw misuse(`${option}: expected an amount in dollars like 25.00, found "${text}"`);
  }
  return cents;
}

/** A balance of an account, which may be overdrawn: 1,234.56 or -12.30. */
export function readBalance(what: string, text: string): number {
  const [, sign = '', whole = '', part = '00'] =
    /^(-?)(\d{1,12}|\d{1,3}(?:,\d{3}){1,4})(?:\.(\d{2}))?$/.exec(text.trim()) ?? [];
  if (whole === '') throw misuse(`${what}: expected an amount like 1234.56, found "${text}"`);
  const cents = Number(whole.replaceAll(',', '')) * 100 + Number(part);
  return sign === '-' && cents !== 0 ? -cents : cents;
}

/** Cents for people: 1234567 as 12,345.67. */
export function dollars(cents: number | bigint | string): string {
  const amount = BigInt(cents);
  const digits = String(amount < 0n ? -amount : amount).padStart(3, '0');
  const whole = BigInt(digits.slice(0, -2)).toLocaleString('en-US');
  return `${amount < 0n ? '-' : ''}${whole}.${digits.slice(-2)}`;
}
