/** JSON and NDJSON awards. Strict: what two parsers could read differently is not read at all. */
import { FilewrightError, type JsonValue, parseStrictJson } from '../../../core/index.ts';
import { type AwardRecord, type Violation, violation, type ViolationCode } from './award-record.ts';

/**
 * A string that has no end goes to the end of the text: else each quote in a hostile one is tried anew, and a hundred
 * kilobytes take seconds.
 * Strings first, so that a number inside one is skipped; then every number as it is spelt.
 */
const TOKENS = /"(?:[^"\\]|\\.)*"?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Strings, so that a bracket inside one is skipped; then what separates values. */
const STRUCTURE = /"(?:[^"\\]|\\.)*"?|[[\]{},]/g;

/** One object is one award; a list of objects, or `{"awards": [...]}`, is many. */
export function* recordsOfJson(text: string): Generator<AwardRecord> {
  let document: JsonValue;
  try {
    document = parseStrictJson(text);
  } catch (error) {
    yield unreadable(text, { ordinal: 1, line: 1 }, error);
    return;
  }
  const { list, depth } = listOf(document);
  // Only where a number is spelt strangely somewhere: then each award's own text says whether it is there.
  const isPlain = isExact(text) && floatsIn(text).length === 0;
  const texts = isPlain ? [] : textsOf(text, depth);
  for (const [index, item] of list.entries()) {
    const own = texts[index];
    const spelt = own === undefined ? [] : floatsIn(own);
    const original = originalOf(item, own);
    yield recordOf(item, { ordinal: index + 1, line: 1 }, { spelt, original });
  }
}

export function recordOfLine(
  text: string,
  place: { readonly ordinal: number; readonly line: number },
): AwardRecord {
  try {
    const item = parseStrictJson(text);
    return recordOf(item, place, { spelt: floatsIn(text), original: originalOf(item, text) });
  } catch (error) {
    return unreadable(text, place, error);
  }
}

/** The awards, and how many brackets deep they stand. */
function listOf(document: JsonValue): {
  readonly list: readonly JsonValue[];
  readonly depth: 0 | 1 | 2;
} {
  if (Array.isArray(document)) return { list: document, depth: 1 };
  if (
    isObject(document) &&
    Object.keys(document).length === 1 &&
    Array.isArray(document['awards'])
  ) {
    return { list: document['awards'], depth: 2 };
  }
  return { list: [document], depth: 0 };
}

/** Whether every number is written again as it was spelt: `1e3`, `1.0` and more digits than a double holds are not. */
function isExact(text: string): boolean {
  for (const [token] of text.matchAll(TOKENS)) {
    if (!token.startsWith('"') && String(Number(token)) !== token) return false;
  }
  return true;
}

/** The award as it came: its text where a number of it would not survive. */
function originalOf(item: JsonValue, text: string | undefined): JsonValue {
  return text === undefined || isExact(text) ? item : text;
}

/** The text of each award of a document that was read already, so that only its brackets need to be followed. */
function textsOf(text: string, depth: 0 | 1 | 2): readonly string[] {
  if (depth === 0) return [text.trim()];
  const texts: string[] = [];
  let level = 0;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(STRUCTURE)) {
    const isOpening = token === '[' || token === '{';
    const isClosing = token === ']' || token === '}';
    if (isOpening) level += 1;
    if (level === depth && isOpening) start = index + 1;
    if (level === depth && (isClosing || token === ',')) {
      texts.push(text.slice(start, index).trim());
      start = index + 1;
    }
    if (isClosing) level -= 1;
  }
  return texts;
}

function recordOf(
  item: JsonValue,
  place: { readonly ordinal: number; readonly line: number },
  { spelt, original }: { readonly spelt: readonly Violation[]; readonly original: JsonValue },
): AwardRecord {
  const values = new Map<string, JsonValue>();
  const violations = [...spelt];
  if (isObject(item)) flatten(item, '', values, violations);
  else violations.push(violation('MALFORMED', '', 'an award is a JSON object'));
  return { ...place, spelling: 'typed', values, violations, original };
}

const NESTED: ReadonlySet<string> = new Set(['compliance_tags', 'terms', 'terms.offset_days']);

function flatten(
  object: { readonly [key: string]: JsonValue },
  prefix: string,
  values: Map<string, JsonValue>,
  violations: Violation[],
): void {
  for (const [key, value] of Object.entries(object)) {
    const path = `${prefix}${key}`;
    if (NESTED.has(path) && isObject(value)) {
      // Empty tags are said to be empty, which is more than not said.
      if (path === 'compliance_tags') values.set(path, {});
      flatten(value, `${path}.`, values, violations);
      continue;
    }
    if (values.has(path)) {
      violations.push(
        violation('DUPLICATE_KEY', path, 'given both nested and dotted: two values for one field'),
      );
    }
    values.set(path, value);
  }
}

/** No number of an award has a fraction: `1.0` and `1e2` are refused although they are whole, before they become numbers. */
function floatsIn(text: string): readonly Violation[] {
  for (const [token] of text.matchAll(TOKENS)) {
    if (!token.startsWith('"') && (/[.eE]/.test(token) || token === '-0')) {
      const message = `found the number ${token.slice(0, 40)}; money is whole cents`;
      return [violation('MONEY_NOT_CENTS', '', message)];
    }
  }
  return [];
}

function unreadable(
  text: string,
  place: { readonly ordinal: number; readonly line: number },
  error: unknown,
): AwardRecord {
  if (!(error instanceof FilewrightError)) throw error;
  return {
    ...place,
    spelling: 'typed',
    values: new Map(),
    violations: [violation(codeOf(text, error), '', whereInDocument(error, place.line))],
    original: text,
  };
}

/** The parser counts from the record's own beginning; a person looks at the whole file. */
function whereInDocument({ message, details }: FilewrightError, firstLine: number): string {
  const { line, column, reason } = details;
  if (typeof line !== 'number') return message;
  return `expected strict JSON, found at line ${firstLine + line - 1}, column ${column}: ${reason}`;
}

function codeOf(text: string, error: FilewrightError): ViolationCode {
  if (/duplicate key/i.test(error.message)) return 'DUPLICATE_KEY';
  if (/surrogate|UTF-8/i.test(error.message)) return 'NOT_TEXT';
  return /\b(NaN|Infinity)\b/.test(text.replaceAll(/"(?:[^"\\]|\\.)*"?/g, '""'))
    ? 'NOT_A_NUMBER'
    : 'MALFORMED';
}

function isObject(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
