/** Reading a portal's JSON answer: tolerant about its shape, strict about its bytes. */
import { isModestJson } from './json-size.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Undefined when the bytes are not UTF-8, not JSON, or too much of it: each means that the answer cannot be trusted. */
export function decodeJson(bytes: Uint8Array): unknown {
  if (!isModestJson(bytes)) return undefined;
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown;
  } catch {
    // Silence is right: "no JSON" is one of the answers a portal gives, and the caller classifies it.
    return undefined;
  }
}

/** RFC 6901. Undefined when nothing is there. */
export function pointer(value: unknown, path: string): unknown {
  if (path === '') return value;
  let at: unknown = value;
  for (const part of path.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    // Narrowed by hasOwn above; arrays are reached by their index as text.
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

/** Longer than any receipt number, submission id or state word; the rest is not one. */
const TEXT_CHARACTERS_MAX = 500;

/** What a portal says goes into columns, headers and logs: no control characters, no half of a surrogate pair. */
export function isPlainText(text: string): boolean {
  return text.length <= TEXT_CHARACTERS_MAX && !/[\p{Cc}\p{Surrogate}]/u.test(text);
}

/** The text at a pointer; numbers are read as their digits, since portals number receipts both ways. */
export function textAt(value: unknown, path: string): string | undefined {
  const found = pointer(value, path);
  if (typeof found === 'string') return isPlainText(found) ? found : undefined;
  return typeof found === 'number' && Number.isSafeInteger(found) ? String(found) : undefined;
}
