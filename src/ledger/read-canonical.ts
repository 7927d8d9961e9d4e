/** Reading stored bytes that claim to be canonical JSON; the verifier spends most of its time here. */
import { canonicalText, JSON_DEPTH_MAX, type JsonValue } from '../core/index.ts';
import { ENTRY_BYTES_MAX } from './entry.ts';

// Stateless between calls (no stream option), so one serves everybody. The mark must stay visible to be refused.
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The value, when its bytes are its canonical ones. Plain JSON.parse is enough here: what it would let through
 * (duplicate keys, other spellings, lone surrogates) does not survive writing the value again. Valid UTF-8 and
 * text stand for each other one to one, so comparing the texts compares the bytes.
 */
export function readCanonical(bytes: Uint8Array): JsonValue | undefined {
  if (bytes.length > ENTRY_BYTES_MAX) return undefined;
  const text = attempt(() => UTF8.decode(bytes));
  if (text === undefined) return undefined;
  // JSON.parse gives nothing but JSON values.
  const value = attempt(() => JSON.parse(text) as JsonValue);
  if (value === undefined) return undefined;
  if (isPlainlyCanonical(value, text)) return value;
  return attempt(() => canonicalText(value)) === text ? value : undefined;
}

/**
 * A quick yes, three times as fast as writing the canonical text. RFC 8785 spells strings and numbers as
 * JSON.stringify does, so what comes back unchanged lacks only what is checked here: the order of keys, the range of
 * numbers, the depth, and escapes of half a surrogate pair, which JSON.stringify keeps. A no means nothing: keys that
 * look like numbers, for one, come back in another order.
 */
export function isPlainlyCanonical(value: JsonValue, text: string): boolean {
  // The depth comes first: JSON.stringify has a stack to lose.
  return !text.includes('\\ud') && isOrdered(value, 1) && JSON.stringify(value) === text;
}

function isOrdered(value: JsonValue, depth: number): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth > JSON_DEPTH_MAX) return false;
  if (Array.isArray(value)) return value.every((item: JsonValue) => isOrdered(item, depth + 1));
  // What is not an array is an object; the compiler does not see through readonly arrays.
  const object = value as Readonly<Record<string, JsonValue>>;
  let before: string | undefined;
  for (const key of Object.keys(object)) {
    // JavaScript compares strings by UTF-16 code units: exactly RFC 8785 § 3.2.3.
    if (before !== undefined && before >= key) return false;
    before = key;
    const item = object[key];
    if (item === undefined || !isOrdered(item, depth + 1)) return false;
  }
  return true;
}

// Wraps one call at a time whose every error means the same: these bytes are not canonical.
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
