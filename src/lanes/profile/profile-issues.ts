import { type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';

/** One thing that is wrong with a document, in words for the person who wrote it. */
export interface Issue {
  /** JSON pointer (RFC 6901) of the field. */
  readonly pointer: string;
  readonly expected: string;
  readonly found: string;
}

// Long enough to recognise a value, short enough that a pasted file does not fill the terminal.
const FOUND_CHARS_MAX = 80;

/**
 * All places where `value` departs from `schema`. TypeBox finds the same ones but stops at eight and speaks of
 * keywords; here each field gets one line that says what to write instead.
 */
export function findIssues(schema: TSchema, value: unknown, pointer = ''): readonly Issue[] {
  if (Type.IsObject(schema) && isRecord(value)) {
    return findInRecord(schema, value, pointer);
  }
  if (Type.IsArray(schema) && Array.isArray(value)) {
    const inItems = value.flatMap((item, index) =>
      findIssues(schema.items, item, `${pointer}/${index}`),
    );
    const hasGoodSize = Value.Check({ ...schema, items: {} }, value);
    return hasGoodSize ? inItems : [...inItems, issue(schema, value, pointer)];
  }
  return Value.Check(schema, value) ? [] : [issue(schema, value, pointer)];
}

function findInRecord(
  schema: { readonly properties: Record<string, TSchema>; readonly required?: readonly string[] },
  value: Readonly<Record<string, unknown>>,
  pointer: string,
): readonly Issue[] {
  const { properties, required = [] } = schema;
  const known = Object.keys(properties);
  // A misspelt field must not quietly become its default: the ceiling of a portal depends on it.
  const unknown = Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      pointer: child(pointer, name),
      expected: `one of the fields ${known.filter((one) => !one.startsWith('$')).join(', ')}`,
      found: 'an unknown field',
    }));
  const inFields = known.flatMap((name) => {
    const field = properties[name];
    if (field === undefined) return [];
    if (Object.hasOwn(value, name)) return findIssues(field, value[name], child(pointer, name));
    if (!required.includes(name)) return [];
    return [{ pointer: child(pointer, name), expected: describeExpected(field), found: 'nothing' }];
  });
  return [...unknown, ...inFields];
}

function issue(schema: TSchema, value: unknown, pointer: string): Issue {
  return { pointer, expected: describeExpected(schema), found: describeFound(schema, value) };
}

/** The noun phrase after "expected". */
export function describeExpected(schema: TSchema): string {
  if ('title' in schema && typeof schema.title === 'string') return schema.title;
  if (Type.IsInteger(schema)) {
    return `an integer from ${bound(schema, 'minimum')} to ${bound(schema, 'maximum')}`;
  }
  if (Type.IsBoolean(schema)) return 'true or false';
  if (Type.IsEnum(schema)) return `one of ${schema.enum.join(', ')}`;
  if (Type.IsLiteral(schema)) return JSON.stringify(schema.const);
  if (Type.IsObject(schema)) return 'an object';
  if (Type.IsArray(schema)) {
    return `a list of ${bound(schema, 'minItems') ?? 0} to ${bound(schema, 'maxItems')} entries`;
  }
  return 'a text';
}

// TypeBox keeps the numeric keywords out of its types.
function bound(schema: TSchema, keyword: string): number | undefined {
  const value: unknown = Reflect.get(schema, keyword);
  return typeof value === 'number' ? value : undefined;
}

function describeFound(schema: TSchema, value: unknown): string {
  // Somebody may have pasted the secret where its reference belongs; it must not travel on in a message.
  if ('writeOnly' in schema) {
    return typeof value === 'string' ? 'a text that is not shown' : `a ${typeof value}`;
  }
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isRecord(value)) return 'an object';
  const text = JSON.stringify(value);
  return text.length > FOUND_CHARS_MAX ? `${text.slice(0, FOUND_CHARS_MAX)}…` : text;
}

/** The pointer of a member. */
export function child(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
