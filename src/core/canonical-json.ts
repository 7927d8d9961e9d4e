import { FilewrightError } from './errors.ts';

/** Any value that JSON can carry. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** Levels of arrays and objects inside each other; the same for writing and for reading. */
export const JSON_DEPTH_MAX = 64;

/**
 * `integers` is the ledger's profile: no fractions, nothing beyond 2^53−1, so that every reader in every
 * language sees the same number. `any` is RFC 8785 as it stands, for documents that are not ours.
 */
type NumberProfile = 'integers' | 'any';

/**
 * The one spelling of a JSON value (RFC 8785): keys sorted by UTF-16 code units, no spaces, shortest escapes.
 * Two equal values give equal texts, so their hashes can be compared.
 *
 * Anything that is not plain JSON is refused with `NOT_CANONICAL` and its JSON pointer. Dropping an `undefined`
 * or calling a `toJSON` would hash something else than what the caller holds.
 */
export function canonicalText(value: JsonValue, options?: { numbers?: NumberProfile }): string {
  try {
    return write(value, options?.numbers ?? 'integers', 1);
  } catch (error) {
    if (error instanceof Refusal) throw error.toPublicError();
    throw error;
  }
}

/** `canonicalText` in UTF-8: the bytes that are hashed, sealed and stored. */
export function canonicalBytes(
  value: JsonValue,
  options?: { numbers?: NumberProfile },
): Uint8Array {
  return Buffer.from(canonicalText(value, options), 'utf8');
}

// Unicode-aware matching reads a proper pair as one character, so this finds only halves without a partner.
const LONE_SURROGATE = /\p{Surrogate}/u;
// Most strings need no escape at all; this test costs a third of JSON.stringify.
const NEEDS_CARE = /[^ !#-[\]-~]/;

// Takes `unknown`: the type says JsonValue, but rows, payloads and parsed files reach this by way of casts.
function write(value: unknown, numbers: NumberProfile, depth: number): string {
  switch (typeof value) {
    case 'string':
      return writeString(value);
    case 'number':
      return writeNumber(value, numbers);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      if (depth > JSON_DEPTH_MAX)
        throw new Refusal(`is nested deeper than ${JSON_DEPTH_MAX} levels`);
      return Array.isArray(value)
        ? writeArray(value, numbers, depth)
        : writeObject(value, numbers, depth);
    case 'undefined':
      throw new Refusal('is undefined, or a hole in an array');
    case 'bigint':
    case 'symbol':
    case 'function':
      throw new Refusal(`is a ${typeof value}`);
    default:
      throw new Refusal('is of an unknown type');
  }
}

function writeString(text: string): string {
  if (!NEEDS_CARE.test(text)) return `"${text}"`;
  if (LONE_SURROGATE.test(text)) throw new Refusal('has a lone surrogate, which has no UTF-8');
  // ECMAScript's own escapes are the ones RFC 8785 asks for.
  return JSON.stringify(text);
}

function writeNumber(number: number, numbers: NumberProfile): string {
  if (numbers === 'integers') {
    if (!Number.isSafeInteger(number)) {
      throw new Refusal('is a number, but not an integer of at most 2^53−1');
    }
  } else if (!Number.isFinite(number)) {
    throw new Refusal('is not a finite number');
  }
  // String(-0) is "0", as RFC 8785 asks.
  return String(number);
}

function writeArray(items: readonly unknown[], numbers: NumberProfile, depth: number): string {
  if (Object.getPrototypeOf(items) !== Array.prototype) throw new Refusal('is not a plain array');
  let text = '[';
  let index = 0;
  try {
    for (; index < items.length; index++) {
      if (index > 0) text += ',';
      text += write(items[index], numbers, depth + 1);
    }
  } catch (error) {
    throw located(error, index);
  }
  return `${text}]`;
}

function writeObject(object: object, numbers: NumberProfile, depth: number): string {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new Refusal('is an instance of a class, not a plain object');
  }
  if (Object.getOwnPropertySymbols(object).length > 0) throw new Refusal('has a symbol as a key');
  // The default order of sort() is that of UTF-16 code units: exactly RFC 8785 § 3.2.3.
  const keys = Object.keys(object).sort();
  let text = '{';
  let key = '';
  try {
    for (let index = 0; index < keys.length; index++) {
      key = keys[index] ?? '';
      text += index > 0 ? `,${writeString(key)}:` : `${writeString(key)}:`;
      // A plain object is a record of unknowns; the compiler knows it only as `object`.
      text += write((object as Readonly<Record<string, unknown>>)[key], numbers, depth + 1);
    }
  } catch (error) {
    throw located(error, key);
  }
  return `${text}}`;
}

/** Grows its path while it falls through the levels, so that the good case pays nothing for it. */
class Refusal extends Error {
  private readonly reason: string;
  private readonly path: (string | number)[] = [];

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }

  enter(step: string | number): void {
    this.path.unshift(step);
  }

  toPublicError(): FilewrightError {
    // RFC 6901: the only spelling of a path that no key can forge.
    const pointer = this.path
      .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
      .join('');
    const place = pointer === '' ? 'the value itself' : `the value at ${pointer}`;
    return new FilewrightError(
      'NOT_CANONICAL',
      `Expected plain JSON of the ledger's profile, but ${place} ${this.reason}.`,
      { details: { path: pointer, reason: this.reason } },
    );
  }
}

function located(error: unknown, step: string | number): unknown {
  if (error instanceof Refusal) error.enter(step);
  return error;
}
