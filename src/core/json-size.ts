/** Whether JSON from outside can be parsed in a moment. One pass over its bytes, before any of it is a value. */

// As deep as strict JSON may ever be; four million brackets took the parser three seconds, which costs a worker its lease.
const DEPTH_MAX = 512;
// Values, keys and levels. An answer with a receipt has a dozen; half a million take a fifth of a second.
const PARTS_MAX = 500_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const ARRAY_OPEN = 0x5b;
const BACKSLASH = 0x5c;
const ARRAY_CLOSE = 0x5d;
const OBJECT_OPEN = 0x7b;
const OBJECT_CLOSE = 0x7d;

export function isModestJson(bytes: Uint8Array): boolean {
  let depth = 0;
  let parts = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    switch (bytes[at]) {
      case QUOTE:
        at = stringEnd(bytes, at);
        break;
      case ARRAY_OPEN:
      case OBJECT_OPEN:
        depth += 1;
        parts += 1;
        if (depth > DEPTH_MAX) return false;
        break;
      case ARRAY_CLOSE:
      case OBJECT_CLOSE:
        depth -= 1;
        break;
      case COMMA:
      case COLON:
        parts += 1;
        if (parts > PARTS_MAX) return false;
        break;
      case undefined:
      default:
        break;
    }
  }
  return true;
}

/** The place of the closing quote, or the end. UTF-8 has no byte of another character that looks like one. */
function stringEnd(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
