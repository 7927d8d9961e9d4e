/**
 * DER as time stamps use it (X.690 § 10): definite lengths in their shortest form, tags of one byte, and nothing after the
 * end. Written here because the libraries of the field read BER, in which one value has many spellings; and so little of it
 * is needed that a reader sees all of it. Nothing recurses: whoever reads names each level, so depth is bounded by the code.
 */

/** A stamp with a chain of certificates has 5 to 8 kB. */
export const DER_BYTES_MAX = 64 * 1024;
/** Of one SEQUENCE or SET; a certificate has about a dozen extensions. */
const CHILDREN_MAX = 200;

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** The tag `[n]` of a value that holds others. */
export function context(n: number): number {
  return 0xa0 | n;
}

/** What is wrong, as the end of a sentence. Thrown where it is found, turned into a value where reading began. */
export class DerFault extends Error {}

interface DerValue {
  readonly tag: number;
  readonly content: Uint8Array;
  /** With its tag and length: what is signed, hashed or compared. */
  readonly whole: Uint8Array;
}

/** Reads values one after another, from the content of another one. */
export class DerReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  #count = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get hasMore(): boolean {
    return this.#at < this.#bytes.length;
  }

  /** The tag of the next value. */
  get ahead(): number | undefined {
    return this.#bytes[this.#at];
  }

  next(what: string): DerValue {
    const bytes = this.#bytes;
    const start = this.#at;
    const tag = bytes[start];
    const first = bytes[start + 1];
    if (tag === undefined || first === undefined) throw new DerFault(`${what} is cut short`);
    if ((tag & 0x1f) === 0x1f) throw new DerFault(`${what} has a tag of several bytes`);
    this.#count += 1;
    if (this.#count > CHILDREN_MAX) throw new DerFault(`${what} has too many neighbors`);
    const { length, header } = lengthAt(bytes, start + 1, what);
    const from = start + 1 + header;
    const to = from + length;
    if (to > bytes.length) throw new DerFault(`${what} is cut short`);
    this.#at = to;
    return { tag, content: bytes.subarray(from, to), whole: bytes.subarray(start, to) };
  }

  expect(tag: number, what: string): DerValue {
    if (this.ahead !== tag) throw new DerFault(`${what} is missing`);
    return this.next(what);
  }

  optional(tag: number, what: string): DerValue | undefined {
    return this.ahead === tag ? this.next(what) : undefined;
  }

  inside(tag: number, what: string): DerReader {
    return new DerReader(this.expect(tag, what).content);
  }

  oid(what: string): string {
    return oidText(this.expect(TAG.oid, what).content, what);
  }

  /** The bytes of an INTEGER, in their one shortest form. */
  integer(what: string): Uint8Array {
    const { content } = this.expect(TAG.integer, what);
    const [first, second] = content;
    const isLong =
      second !== undefined &&
      ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80));
    if (first === undefined || isLong) throw new DerFault(`${what} is no INTEGER in DER`);
    return content;
  }

  /** A number of one byte, such as a version. */
  small(what: string): number {
    const [value, ...more] = this.integer(what);
    if (value === undefined || more.length > 0 || value > 0x7f) {
      throw new DerFault(`${what} is not a small number`);
    }
    return value;
  }

  boolean(what: string): boolean {
    const [value, ...more] = this.expect(TAG.boolean, what).content;
    if (more.length > 0 || (value !== 0 && value !== 0xff)) {
      throw new DerFault(`${what} is no BOOLEAN in DER`);
    }
    return value === 0xff;
  }

  end(what: string): void {
    if (this.hasMore) throw new DerFault(`${what} goes on after its end`);
  }
}

function lengthAt(
  bytes: Uint8Array,
  at: number,
  what: string,
): { readonly length: number; readonly header: number } {
  const first = bytes[at] ?? 0x80;
  if (first < 0x80) return { length: first, header: 1 };
  const count = first & 0x7f;
  // Three bytes are more than may be read at all; none is the indefinite form of BER.
  if (count === 0 || count > 3) throw new DerFault(`${what} has a length that is not DER`);
  let length = 0;
  for (let n = 1; n <= count; n += 1) length = length * 256 + (bytes[at + n] ?? 0);
  if (length < 0x80 || length < 256 ** (count - 1)) {
    throw new DerFault(`${what} has a length that is not in its shortest form`);
  }
  return { length, header: 1 + count };
}

function oidText(content: Uint8Array, what: string): string {
  const parts: number[] = [];
  let value = 0;
  let isFresh = true;
  for (const byte of content) {
    if (isFresh && byte === 0x80) throw new DerFault(`${what} is no identifier in DER`);
    value = value * 128 + (byte & 0x7f);
    if (value > Number.MAX_SAFE_INTEGER / 128) throw new DerFault(`${what} is too large`);
    isFresh = byte < 0x80;
    if (!isFresh) continue;
    parts.push(value);
    value = 0;
  }
  const [head] = parts;
  if (head === undefined || !isFresh) throw new DerFault(`${what} is no identifier in DER`);
  const top = Math.min(2, Math.floor(head / 40));
  return [top, head - top * 40, ...parts.slice(1)].join('.');
}

/** One value, from the bytes inside it. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 0x80
      ? [length]
      : length < 0x100
        ? [0x81, length]
        : [0x82, Math.floor(length / 256), length % 256];
  return Buffer.concat([Uint8Array.from([tag, ...size]), content]);
}

/** Undefined when the text names no object: numbers with dots between them. */
export function derOid(text: string): Uint8Array | undefined {
  if (text.length > 100 || !/^[0-2](\.(0|[1-9][0-9]{0,8})){1,30}$/.test(text)) return undefined;
  const [top = 0, second = 0, ...rest] = text.split('.').map(Number);
  if (top < 2 && second > 39) return undefined;
  const bytes = [top * 40 + second, ...rest].flatMap((value) => {
    const digits = [value % 128];
    for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128)) {
      digits.unshift(0x80 + (left % 128));
    }
    return digits;
  });
  return der(TAG.oid, Uint8Array.from(bytes));
}
