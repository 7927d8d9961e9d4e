/** Bytes to text, strictly: a byte that is not of the encoding, or a control character, is refused with its place. */
import type { FeedPlace } from './feed-events.ts';
import { type Refusal, refuse } from './refusal.ts';

/** By the names of the decoder; ISO 8859-1 is read as Windows-1252, of which it is a part. */
export type FeedEncoding = 'utf-8' | 'windows-1252' | 'iso-8859-15';

const NAMES: Readonly<Record<string, FeedEncoding>> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'us-ascii': 'utf-8',
  ascii: 'utf-8',
  'iso-8859-1': 'windows-1252',
  'iso8859-1': 'windows-1252',
  iso_8859_1: 'windows-1252',
  '8859-1': 'windows-1252',
  latin1: 'windows-1252',
  'latin-1': 'windows-1252',
  'windows-1252': 'windows-1252',
  cp1252: 'windows-1252',
  '1252': 'windows-1252',
  'iso-8859-15': 'iso-8859-15',
  latin9: 'iso-8859-15',
};

/** As feeds declare it, in any case; undefined for an encoding that is not read here. */
export function encodingNamed(name: string): FeedEncoding | undefined {
  const known = name.toLowerCase();
  return Object.hasOwn(NAMES, known) ? NAMES[known] : undefined;
}

export interface Decoding {
  readonly encoding: FeedEncoding;
  /** Markup treats a tab as space; in the line formats it has no meaning. */
  readonly allowsTab: boolean;
  /**
   * For a format that cannot say its encoding: read so from the first byte on that is not UTF-8. Only after plain ASCII;
   * what has been both could be either, and is refused.
   */
  readonly fallback?: FeedEncoding;
}

const BYTE_ORDER_MARK = '\uFEFF';
// Controls of C0 and C1 but line feed, return and tab; a byte order mark inside the text; non-characters.
// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\uFEFF\uFFFE\uFFFF]/;
const FORBIDDEN_WITH_TAB = new RegExp(`${FORBIDDEN.source}|\t`);

export class FeedDecoder {
  private readonly decoding: Decoding;
  private decoder: InstanceType<typeof TextDecoder>;
  private encoding: FeedEncoding;
  private isAsciiSoFar = true;
  /** The beginning of a character that was cut between two chunks: three bytes at most. */
  private held: Uint8Array = new Uint8Array(0);
  private line = 1;
  private column = 1;
  private isFirst = true;
  private fault: Refusal | undefined;

  constructor(decoding: Decoding) {
    this.decoding = decoding;
    this.encoding = decoding.encoding;
    this.decoder = decoderOf(decoding.encoding);
  }

  /**
   * The text up to the first fault, which `check` then throws: what is wrong before it in the feed is said first, so that
   * the refusal does not depend on how the feed was cut into chunks.
   */
  push(chunk: Uint8Array): string {
    const bytes = this.held.length === 0 ? chunk : joined(this.held, chunk);
    const cut = this.encoding === 'utf-8' ? wholeCharacters(bytes) : bytes.length;
    // Copied: the source may use its buffer again.
    this.held = bytes.slice(cut);
    return this.allowed(this.decode(bytes.subarray(0, cut)));
  }

  check(): void {
    if (this.fault !== undefined) refuse(this.place, this.fault);
  }

  finish(): void {
    if (this.held.length > 0) this.fault ??= this.notText('ends in the middle of a character');
    this.check();
  }

  private decode(bytes: Uint8Array): string {
    try {
      const text = this.decoder.decode(bytes);
      // As many characters as bytes: all of them are ASCII.
      this.isAsciiSoFar &&= text.length === bytes.length;
      return text;
    } catch {
      // Silence is right here: the fault below says more, since the decoder does not name the byte.
      const good = decodableLength(bytes);
      const { fallback } = this.decoding;
      const before = this.decoder.decode(bytes.subarray(0, good));
      if (fallback !== undefined && this.isAsciiSoFar && before.length === good) {
        this.encoding = fallback;
        this.decoder = decoderOf(fallback);
        return before + this.decoder.decode(bytes.subarray(good));
      }
      const found = bytes[good]?.toString(16).padStart(2, '0');
      this.fault = this.notText(`holds the byte 0x${found}, which is not UTF-8`);
      return before;
    }
  }

  private notText(found: string): Refusal {
    return {
      reason: `expected text in ${this.encoding}, but the feed ${found}`,
      remedy: 'Use the file as the bank sent it, in UTF-8',
    };
  }

  private allowed(decoded: string): string {
    let text = decoded;
    if (this.isFirst && text.length > 0) {
      this.isFirst = false;
      if (text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
    }
    const at = text.search(this.decoding.allowsTab ? FORBIDDEN : FORBIDDEN_WITH_TAB);
    if (at !== -1) {
      const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
      this.fault = { reason: `expected text without control characters, but found U+${code}` };
      text = text.slice(0, at);
    }
    this.advance(text);
    return text;
  }

  private get place(): FeedPlace {
    return { line: this.line, column: this.column };
  }

  private advance(text: string): void {
    let start = 0;
    for (;;) {
      const end = text.indexOf('\n', start);
      if (end === -1) break;
      this.line += 1;
      this.column = 1;
      start = end + 1;
    }
    this.column += text.length - start;
  }
}

// The mark is kept by the decoder so that only one at the very beginning is let through.
function decoderOf(encoding: FeedEncoding): InstanceType<typeof TextDecoder> {
  return new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** How many of the bytes are whole UTF-8 characters; what follows is the beginning of one more. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return needed > back ? bytes.length - back : bytes.length;
    }
  }
  return bytes.length;
}

/** Only after a failure: byte by byte, to find where the first character that cannot be begins. */
function decodableLength(bytes: Uint8Array): number {
  const probe = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let good = 0;
  try {
    for (let at = 0; at < bytes.length; at += 1) {
      if (probe.decode(bytes.subarray(at, at + 1), { stream: true }) !== '') good = at + 1;
    }
  } catch {
    // This is the place that was looked for.
  }
  return good;
}
