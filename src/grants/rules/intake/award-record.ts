/** One award as a document said it: paths and plain values, not yet believed. */
import { badInput, type JsonValue } from '../../../core/index.ts';

/** `table`: of people, in dollars; its columns are told beside it. */
export const AWARD_FORMATS = ['json', 'ndjson', 'csv', 'xml', 'table'] as const;
export type AwardFormat = (typeof AWARD_FORMATS)[number];

const VIOLATIONS = {
  MISSING: 'a required field is missing',
  UNKNOWN_FIELD: 'unknown field; a misspelled one would count as missing',
  WRONG_TYPE: 'the value has the wrong type',
  NOT_ALLOWED: 'the value is out of range',
  WRONG_CURRENCY: 'amounts are in US dollars',
  MONEY_NOT_CENTS: 'money is a whole number of cents',
  DUPLICATE_KEY: 'two values for one field: the record is ambiguous',
  NOT_A_NUMBER: 'NaN and Infinity are not numbers',
  NOT_TEXT: 'bytes that are not UTF-8, or half a character',
  MALFORMED: 'the record is not valid in its format',
  CLASSIFICATION_MISSING: 'two lines of the return are possible, and the record does not say which',
  MAPPING_INVALID: 'no line of the return fits this money',
} as const;
export type ViolationCode = keyof typeof VIOLATIONS;

export type Violation = {
  readonly code: ViolationCode;
  /** Empty where the record as a whole is meant. */
  readonly field: string;
  readonly message: string;
};

/** With these, reading again may give something else: the record is kept aside, never corrected and never retried. */
const NON_DETERMINISTIC: ReadonlySet<ViolationCode> = new Set([
  'DUPLICATE_KEY',
  'NOT_A_NUMBER',
  'NOT_TEXT',
  'MONEY_NOT_CENTS',
]);

export function isNonDeterministic(violations: readonly Violation[]): boolean {
  return violations.some(({ code }) => NON_DETERMINISTIC.has(code));
}

/** `text`: from CSV or XML, where every value is spelt; `typed`: from JSON, where a number must be a number. */
export type Spelling = 'typed' | 'text';

export interface AwardRecord {
  /** From 1, in the order of the document; part of the award's identity. */
  readonly ordinal: number;
  readonly line: number;
  readonly spelling: Spelling;
  /** By path: `terms.roll_forward`, `compliance_tags.program`. */
  readonly values: ReadonlyMap<string, JsonValue>;
  /** What was wrong already when it was read. */
  readonly violations: readonly Violation[];
  /** For the exception envelope. */
  readonly original: JsonValue;
  /** The cells of a table as it wrote them, kept as evidence. */
  readonly written?: JsonValue;
}

/** A download that broke off: nothing before its end may be used, and no person can decide what is missing. */
export function cutOff(line: number): Error {
  return badInput(
    `line ${line}: the end of the document is missing; download or export it again, and import the whole file`,
    { details: { line } },
  );
}

export function violation(code: ViolationCode, field: string, message: string): Violation {
  return { code, field, message };
}
