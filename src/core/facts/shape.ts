/** How the fields of a fact are described, and what is wrong with data that does not fit the description. */
import type { JsonValue } from '../canonical-json.ts';

/** `measures`: what was measured, under names of ours that differ from case to case. `given`: as somebody else wrote it. */
type Kind = 'text' | 'number' | 'flag' | 'day' | 'instant' | 'digest' | 'measures' | 'given';

/** A list is written `[one]`; a field whose name ends in `?` may be absent or null. */
export type Shape = Kind | readonly [Shape] | Fields;
export interface Fields {
  readonly [name: string]: Shape;
}

export interface FactShape {
  /** When it is written, in one sentence. */
  readonly when: string;
  readonly fields: Fields;
}

type ValueOf<S> = S extends 'text' | 'day' | 'instant' | 'digest'
  ? string
  : S extends 'number'
    ? number
    : S extends 'flag'
      ? boolean
      : S extends 'measures'
        ? Readonly<Record<string, JsonValue>>
        : S extends 'given'
          ? JsonValue
          : S extends readonly [infer One]
            ? readonly ValueOf<One>[]
            : DataOf<S>;

/** The data of a fact with these fields. */
export type DataOf<F> = F extends unknown
  ? {
      readonly [Name in keyof F as Name extends `${string}?` ? never : Name]: ValueOf<F[Name]>;
    } & {
      readonly [Name in keyof F as Name extends `${infer Bare}?` ? Bare : never]?:
        | ValueOf<F[Name]>
        | null
        | undefined;
    }
  : never;

const A = {
  text: 'a text',
  number: 'a number',
  flag: 'true or false',
  day: 'a day',
  instant: 'an instant',
  digest: 'a digest',
} as const;
const SNAKE = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
const FORMS = {
  day: /^\d{4}-\d{2}-\d{2}$/,
  instant: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/,
  digest: /^[0-9a-f]{64}$/,
} as const;

/** The path of the first value that does not fit, and what was expected there; never the value, which may be a payload's. */
export function faultIn(value: JsonValue | undefined, shape: Shape, path = ''): string | undefined {
  if (typeof shape === 'string') return faultOfKind(value, shape, path);
  if (isList(shape)) {
    if (!Array.isArray(value)) return `${path}: expected a list`;
    return firstFault(value, (one, n) => faultIn(one, shape[0], `${path}/${n}`));
  }
  if (!isFields(value)) return `${path}: expected an object`;
  const fields = shape;
  return firstFault(Object.entries(value), ([name, one]) => {
    const inner = `${path}/${name}`;
    const wanted = fields[name];
    if (wanted !== undefined) return faultIn(one, wanted, inner);
    const optional = fields[`${name}?`];
    if (optional === undefined) return `${inner}: there is no such field`;
    return one === null ? undefined : faultIn(one, optional, inner);
  });
}

/** The names of fields that must be there and are not. */
export function missingFrom(data: Readonly<Record<string, JsonValue>>, fields: Fields): string[] {
  return Object.keys(fields).filter((name) => !name.endsWith('?') && !Object.hasOwn(data, name));
}

function faultOfKind(value: JsonValue | undefined, kind: Kind, path: string): string | undefined {
  switch (kind) {
    case 'given':
      return undefined;
    case 'measures':
      return isFields(value) ? faultOfNames(value, path) : `${path}: expected an object`;
    case 'number':
    case 'text':
    case 'flag': {
      const wanted = { number: 'number', text: 'string', flag: 'boolean' }[kind];
      return typeof value === wanted ? undefined : `${path}: expected ${A[kind]}`;
    }
    case 'day':
    case 'instant':
    case 'digest': {
      const isForm = typeof value === 'string' && FORMS[kind].test(value);
      return isForm ? undefined : `${path}: expected ${A[kind]}`;
    }
  }
}

function faultOfNames(value: JsonValue, path: string): string | undefined {
  if (Array.isArray(value)) {
    return firstFault(value, (one, n) => faultOfNames(one, `${path}/${n}`));
  }
  if (!isFields(value)) return undefined;
  return firstFault(Object.entries(value), ([name, one]) => {
    const inner = `${path}/${name}`;
    return SNAKE.test(name) ? faultOfNames(one, inner) : `${inner}: a name in snake_case expected`;
  });
}

function firstFault<One>(
  all: readonly One[],
  faultOf: (one: One, n: number) => string | undefined,
): string | undefined {
  for (const [n, one] of all.entries()) {
    const fault = faultOf(one, n);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

export function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function isFields(
  value: JsonValue | undefined,
): value is { readonly [name: string]: JsonValue } & JsonValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
