import { JSON_DEPTH_MAX, type JsonValue } from './canonical-json.ts';
import { FilewrightError } from './errors.ts';
import { invariant } from './invariant.ts';

/** Bounds of one document. */
export interface JsonLimits {
  /** Levels of arrays and objects inside each other; 64 unless told, never above 512. */
  readonly depthMax?: number;
  /** UTF-8 bytes of the whole text; 16 MiB unless told. */
  readonly bytesMax?: number;
}

// Each level takes two frames of the call stack; Node's default stack holds many times this number.
const DEPTH_CEILING = 512;
// A payload with its attachments' metadata stays far below; an endless body must not fill the heap.
const BYTES_MAX = 16 * 1024 * 1024;

/**
 * Reads JSON that came from outside. `JSON.parse` keeps the last of two equal keys, so two readers of one text
 * can see two different filings; here duplicate keys, lone surrogates, a byte order mark, bytes that are not
 * UTF-8 and numbers too large for a double are refused with `JSON_MALFORMED`, its line and its column.
 */
export function parseStrictJson(input: string | Uint8Array, limits: JsonLimits = {}): JsonValue {
  const depthMax = limits.depthMax ?? JSON_DEPTH_MAX;
  invariant(
    depthMax <= DEPTH_CEILING,
    `Expected a depth limit of at most ${DEPTH_CEILING}, found ${depthMax}.`,
  );
  const text = decode(input, limits.bytesMax ?? BYTES_MAX);
  return new Reader(text, depthMax).document();
}

function decode(input: string | Uint8Array, bytesMax: number): string {
  const size = typeof input === 'string' ? Buffer.byteLength(input, 'utf8') : input.byteLength;
  if (size > bytesMax) {
    throw refusal('', 0, `the text has ${size} bytes, more than the ${bytesMax} allowed`);
  }
  if (typeof input === 'string') {
    const lone = input.search(LONE_SURROGATE);
    if (lone >= 0) throw refusal(input, lone, 'lone surrogate');
    return input;
  }
  try {
    // ignoreBOM keeps the mark in the text, where the reader refuses it; the default would hide it.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(input);
  } catch (cause) {
    throw refusal('', 0, 'the bytes are not UTF-8', cause);
  }
}

const LONE_SURROGATE = /\p{Surrogate}/u;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
// Everything up to the closing quote, a backslash or a character that must be escaped.
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for.
const PLAIN_RUN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const ARRAY_OPEN = 0x5b;
const BACKSLASH = 0x5c;
const ARRAY_CLOSE = 0x5d;
const OBJECT_OPEN = 0x7b;
const OBJECT_CLOSE = 0x7d;

class Reader {
  private readonly text: string;
  private readonly depthMax: number;
  private at = 0;

  constructor(text: string, depthMax: number) {
    this.text = text;
    this.depthMax = depthMax;
  }

  document(): JsonValue {
    if (this.text.charCodeAt(0) === 0xfeff) this.refuse('byte order mark');
    this.skipSpace();
    if (this.at === this.text.length) this.refuse('the text is empty');
    const value = this.value(1);
    this.skipSpace();
    if (this.at < this.text.length) this.refuse('text after the end of the value');
    return value;
  }

  private value(depth: number): JsonValue {
    switch (this.text.charCodeAt(this.at)) {
      case OBJECT_OPEN:
        return this.object(depth);
      case ARRAY_OPEN:
        return this.array(depth);
      case QUOTE:
        return this.string();
      case 0x74:
        return this.word('true', true);
      case 0x66:
        return this.word('false', false);
      case 0x6e:
        return this.word('null', null);
      default:
        return this.number();
    }
  }

  private object(depth: number): JsonValue {
    this.checkDepth(depth);
    const object: Record<string, JsonValue> = {};
    this.at++;
    this.skipSpace();
    if (this.take(OBJECT_CLOSE)) return object;
    for (;;) {
      this.skipSpace();
      if (this.text.charCodeAt(this.at) !== QUOTE) this.refuse('expected a key in double quotes');
      const keyAt = this.at;
      const key = this.string();
      if (Object.hasOwn(object, key)) this.refuse('duplicate key', keyAt);
      this.skipSpace();
      if (!this.take(COLON)) this.refuse('expected a colon after the key');
      this.skipSpace();
      assign(object, key, this.value(depth + 1));
      this.skipSpace();
      if (this.take(OBJECT_CLOSE)) return object;
      if (!this.take(COMMA)) this.refuse('expected a comma or the end of the object');
    }
  }

  private array(depth: number): JsonValue {
    this.checkDepth(depth);
    const items: JsonValue[] = [];
    this.at++;
    this.skipSpace();
    if (this.take(ARRAY_CLOSE)) return items;
    for (;;) {
      this.skipSpace();
      items.push(this.value(depth + 1));
      this.skipSpace();
      if (this.take(ARRAY_CLOSE)) return items;
      if (!this.take(COMMA)) this.refuse('expected a comma or the end of the array');
    }
  }

  private string(): string {
    const start = this.at;
    this.at++;
    let escaped = false;
    for (;;) {
      this.skip(PLAIN_RUN);
      const code = this.text.charCodeAt(this.at);
      if (code === QUOTE) break;
      if (code !== BACKSLASH) {
        this.refuse(Number.isNaN(code) ? 'the string has no end' : 'raw control character');
      }
      escaped = true;
      if (!this.skip(ESCAPE)) this.refuse('unknown escape');
    }
    this.at++;
    if (!escaped) return this.text.slice(start + 1, this.at - 1);
    // The spelling is checked above, so JSON.parse only unescapes; that cannot make two strings of one.
    const value: unknown = JSON.parse(this.text.slice(start, this.at));
    invariant(typeof value === 'string', 'Expected a quoted text to be read as a string.');
    if (LONE_SURROGATE.test(value)) this.refuse('lone surrogate', start);
    return value;
  }

  private number(): number {
    const start = this.at;
    if (!this.skip(NUMBER)) {
      this.refuse(start < this.text.length ? 'expected a value' : 'the text ends too early');
    }
    const number = Number(this.text.slice(start, this.at));
    if (!Number.isFinite(number)) this.refuse('the number is too large for a double', start);
    return number;
  }

  private word<T extends JsonValue>(spelling: string, value: T): T {
    if (!this.text.startsWith(spelling, this.at)) this.refuse('expected a value');
    this.at += spelling.length;
    return value;
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at++;
    }
  }

  private skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.text)) return false;
    this.at = pattern.lastIndex;
    return true;
  }

  private take(code: number): boolean {
    if (this.text.charCodeAt(this.at) !== code) return false;
    this.at++;
    return true;
  }

  private checkDepth(depth: number): void {
    if (depth > this.depthMax) this.refuse(`nested deeper than ${this.depthMax} levels`);
  }

  private refuse(reason: string, at: number = this.at): never {
    throw refusal(this.text, at, reason);
  }
}

function assign(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key !== '__proto__') {
    object[key] = value;
    return;
  }
  // A plain assignment would change the object's prototype and lose the key.
  Object.defineProperty(object, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

// The text itself stays out of the message: it may be a payload, and messages reach logs.
function refusal(text: string, at: number, reason: string, cause?: unknown): FilewrightError {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  return new FilewrightError(
    'JSON_MALFORMED',
    `Expected strict JSON, found at line ${line}, column ${column}: ${reason}.`,
    { details: { line, column, reason }, ...(cause === undefined ? {} : { cause }) },
  );
}
