/**
 * Schema drift: the sender changed what a record looks like. That is another kind of fault than a wrong value in a
 * well-formed record, because the next thousand records will have it too.
 */
import { parseDay, parseInstant } from '../../../calendar/index.ts';
import { editDistance, type JsonValue } from '../../../core/index.ts';
import { COLUMN_BY_NAME, type DocketColumn, type FieldShape } from './columns.ts';
import { isLabelShape } from './read-labels.ts';

export type DriftChange = {
  readonly field: string;
  readonly mandatory: boolean;
} & (
  | { readonly change: 'missing' }
  /** `likely` is the field under which the value seems to come now. */
  | { readonly change: 'renamed'; readonly likely: string }
  | { readonly change: 'retyped'; readonly expected: string; readonly found: string }
);

export type Fields = Readonly<Record<string, JsonValue>>;

const EXPECTED: Readonly<Record<FieldShape, string>> = {
  text: 'a text',
  day: 'a day as YYYY-MM-DD',
  day_or_instant: 'a day as YYYY-MM-DD or an instant as RFC 3339',
  labels: 'a text, a list of texts, or yes and no',
  inputs: 'an object',
};

const ISO_DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The change of one field against what it should be; undefined where the shape is right. A day that does not exist, in
 * the right spelling, is a wrong value and no drift. `others` are the fields among which a renamed one may be.
 */
export function driftOf(
  column: DocketColumn,
  value: JsonValue | undefined,
  others: Fields,
): DriftChange | undefined {
  const base = { field: column.name, mandatory: column.needed };
  if (isAbsent(value)) {
    if (!column.needed) return undefined;
    const likely = likelyName(column, others);
    return likely === undefined
      ? { ...base, change: 'missing' }
      : { ...base, change: 'renamed', likely };
  }
  return hasShape(column.shape, value)
    ? undefined
    : { ...base, change: 'retyped', expected: EXPECTED[column.shape], found: foundShape(value) };
}

/** Null, nothing, and a text in which nothing can be seen say the same: there is no value. */
export function isAbsent(value: JsonValue | undefined): value is null | undefined | '' {
  return value === undefined || value === null || (typeof value === 'string' && BLANK.test(value));
}

const BLANK = /^[\s\p{Default_Ignorable_Code_Point}\p{Cf}]*$/u;

function hasShape(shape: FieldShape, value: JsonValue): boolean {
  switch (shape) {
    case 'text':
      return typeof value === 'string';
    case 'day':
      return typeof value === 'string' && ISO_DAY.test(value.trim());
    case 'day_or_instant':
      return (
        typeof value === 'string' &&
        (ISO_DAY.test(value.trim()) || parseInstant(value.trim()) !== undefined)
      );
    case 'labels':
      return isLabelShape(value);
    case 'inputs':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
  }
}

/** The type and, for texts, the kind of text; never the value, which may be confidential. */
function foundShape(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value !== 'string') return `a ${typeof value}`;
  const digits = value.trim().replaceAll(/\d/g, '9').replaceAll(/\p{L}/gu, 'A');
  return digits.length <= 30 ? `a text like ${digits}` : 'a longer text';
}

/** Two names less alike than this are two names. */
const LIKENESS_MIN = 0.6;

/**
 * The unknown field that most likely is the column: by its name, letter case and separators aside, or one that it is
 * known to have elsewhere; and only where its value could be one of the column.
 */
export function likelyName(column: DocketColumn, others: Fields): string | undefined {
  let best: { readonly name: string; readonly score: number } | undefined;
  for (const [name, value] of Object.entries(others)) {
    if (COLUMN_BY_NAME.has(name) || isAbsent(value)) continue;
    const score = likeness(column, name) + (couldHold(column.shape, value) ? 0 : -1);
    if (score >= LIKENESS_MIN && (best === undefined || score > best.score)) best = { name, score };
  }
  return best?.name;
}

/** Looser than `hasShape`: a renamed field is often retyped at the same time. */
function couldHold(shape: FieldShape, value: JsonValue): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  if (shape !== 'day') return true;
  const text = String(value);
  return parseDay(text) !== undefined || parseInstant(text) !== undefined || /\d{4}/.test(text);
}

function likeness(column: DocketColumn, name: string): number {
  const plain = plainName(name);
  const wanted = plainName(column.name);
  if (plain === wanted) return 1;
  if (column.alsoCalled.includes(plain)) return 0.95;
  return 1 - editDistance(plain, wanted) / Math.max(plain.length, wanted.length);
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

export function sayDrift(change: DriftChange): string {
  switch (change.change) {
    case 'missing':
      return `the mandatory field is missing, and no other field looks like it`;
    case 'renamed':
      return `the mandatory field is missing; it seems to be called "${change.likely}" now`;
    case 'retyped':
      return `expected ${change.expected}, found ${change.found}`;
  }
}
