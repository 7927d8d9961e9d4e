/**
 * In which encoding a table was saved. The whole file is looked at, because a first accent may stand in its last row; what
 * was found is always named, and `--encoding` overrides it.
 */
import { createHash } from 'node:crypto';
import { isAscii } from 'node:buffer';
import { type Sha256Hex, sha256Hex } from '../../core/index.ts';

export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

export const ENCODING_NAMES: Readonly<Record<Encoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 LE',
  'utf-16be': 'UTF-16 BE',
  'windows-1252': 'Windows-1252',
};

export interface EncodingFound {
  readonly encoding: Encoding;
  readonly hasByteOrderMark: boolean;
  /** Of the file's bytes. */
  readonly sha256: Sha256Hex;
  readonly bytes: number;
}

/** Bytes that Windows-1252 has no character for. */
const UNDEFINED_1252 = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);
/** Enough to tell a text in two bytes a character from any other. */
const HEAD_BYTES = 4096;
/** Of the bytes in odd or even places, so many are 0 in a text of mostly Latin letters. */
const ZERO_SHARE_MIN = 0.4;

export async function findEncoding(source: AsyncIterable<Uint8Array>): Promise<EncodingFound> {
  const digest = createHash('sha256');
  const sequences = new Utf8Sequences();
  let head = Buffer.alloc(0);
  let bytes = 0;
  for await (const chunk of source) {
    digest.update(chunk);
    bytes += chunk.length;
    if (head.length < HEAD_BYTES) {
      head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES - head.length)]);
    }
    sequences.push(chunk);
  }
  return { ...named(head, sequences), sha256: sha256Hex(digest.digest('hex')), bytes };
}

function named(
  head: Buffer,
  found: Utf8Sequences,
): Pick<EncodingFound, 'encoding' | 'hasByteOrderMark'> {
  if (head.subarray(0, 3).toString('hex') === 'efbbbf') {
    return { encoding: 'utf-8', hasByteOrderMark: true };
  }
  const mark = head.subarray(0, 2).toString('hex');
  if (mark === 'fffe') return { encoding: 'utf-16le', hasByteOrderMark: true };
  if (mark === 'feff') return { encoding: 'utf-16be', hasByteOrderMark: true };
  const wide = utf16Without(head);
  if (wide !== undefined) return { encoding: wide, hasByteOrderMark: false };
  // A text in both is a UTF-8 file with broken rows: read as the other one, its good rows would be wrong.
  const isSingle = found.invalid > 0 && found.valid === 0 && !found.hasUndefined;
  return { encoding: isSingle ? 'windows-1252' : 'utf-8', hasByteOrderMark: false };
}

/** Without a mark, by the zeros beside Latin letters. */
function utf16Without(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const pairs = Math.floor(head.length / 2);
  if (pairs === 0) return undefined;
  let even = 0;
  let odd = 0;
  for (let at = 0; at < pairs * 2; at += 2) {
    if (head[at] === 0) even += 1;
    if (head[at + 1] === 0) odd += 1;
  }
  if (odd / pairs >= ZERO_SHARE_MIN && even === 0) return 'utf-16le';
  if (even / pairs >= ZERO_SHARE_MIN && odd === 0) return 'utf-16be';
  return undefined;
}

/** Counts the characters of more than one byte that are in order, and the bytes that are not. */
class Utf8Sequences {
  valid = 0;
  invalid = 0;
  hasUndefined = false;
  /** Bytes that the present character still needs, and the least and most that the next one may be. */
  #needed = 0;
  #least = 0x80;
  #most = 0xbf;

  push(chunk: Uint8Array): void {
    if (this.#needed === 0 && isAscii(chunk)) return;
    for (const byte of chunk) this.#byte(byte);
  }

  #byte(byte: number): void {
    if (UNDEFINED_1252.has(byte)) this.hasUndefined = true;
    if (this.#needed > 0) {
      if (byte >= this.#least && byte <= this.#most) {
        this.#needed -= 1;
        if (this.#needed === 0) this.valid += 1;
        this.#expect(this.#needed);
        return;
      }
      this.invalid += 1;
      this.#expect(0);
    }
    if (byte < 0x80) return;
    if (byte >= 0xc2 && byte <= 0xdf) this.#expect(1);
    else if (byte >= 0xe0 && byte <= 0xef) {
      // Neither longer than it must be, nor half of a pair (RFC 3629).
      this.#expect(2, byte === 0xe0 ? 0xa0 : 0x80, byte === 0xed ? 0x9f : 0xbf);
    } else if (byte >= 0xf0 && byte <= 0xf4) {
      this.#expect(3, byte === 0xf0 ? 0x90 : 0x80, byte === 0xf4 ? 0x8f : 0xbf);
    } else this.invalid += 1;
  }

  #expect(needed: number, least = 0x80, most = 0xbf): void {
    this.#needed = needed;
    this.#least = least;
    this.#most = most;
  }
}

/** The bytes of the file as UTF-8. UTF-8 itself passes as it is, so that a row that is broken stays what it was. */
export async function* asUtf8(
  source: AsyncIterable<Uint8Array>,
  encoding: Encoding,
): AsyncGenerator<Uint8Array> {
  if (encoding === 'utf-8') {
    yield* source;
    return;
  }
  // What has no character becomes the replacement character, which no value that is read may hold.
  const decoder = new TextDecoder(encoding, { fatal: false });
  for await (const chunk of source) {
    const text = decoder.decode(chunk, { stream: true });
    if (text !== '') yield Buffer.from(text, 'utf8');
  }
  const rest = decoder.decode();
  if (rest !== '') yield Buffer.from(rest, 'utf8');
}
