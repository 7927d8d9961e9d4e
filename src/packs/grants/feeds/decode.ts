/** Bytes to text, strictly: a byte that is not of the encoding, or a control character, is refused with its place. */
import type { FeedPlace } from './feed-events.ts';
import { type Refusal, refuse } from './refusal.ts';

export type FeedEncoding = 'utf-8' | 'windows-1252';

export interface Decoding {
  readonly encoding: FeedEncoding;
  /** Markup treats a tab as space; in the line formats it has no meaning. */
  readonly allowsTab: boolean;
}

const BYTE_ORDER_MARK = '\uFEFF';
// Controls of C0 and C1 but line feed, return and tab; a byte order mark inside the text; non-characters.
// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\uFEFF\uFFFE\uFFFF]/;
const FORBIDDEN_WITH_TAB = new RegExp(`${FORBIDDEN.source}|\t`);

export class FeedDecoder {
  private readonly decoding: Decoding;
  private readonly decoder: InstanceType<typeof TextDecoder>;
  /** The beginning of a character that was cut between two chunks: three bytes at most. */
  private held: Uint8Array = new Uint8Array(0);
  private line = 1;
  private column = 1;
  private isFirst = true;
  private fault: Refusal | undefined;

  constructor(decoding: Decoding) {
    this.decoding = decoding;
    // The mark is kept by the decoder so that only one at the very beginning is let through.
    this.decoder = new TextDecoder(decoding.encoding, { fatal: true, ignoreBOM: true });
  }

  /**
   * The text up to the first fault, which `check` then throws: what is wrong before it in the feed is said first, so that
   * the refusal does not depend on how the feed was cut into chunks.
   */
  push(chunk: Uint8Array): string {
    const bytes = this.held.length === 0 ? chunk : joined(this.held, chunk);
    const cut = this.decoding.encoding === 'utf-8' ? wholeCharacters(bytes) : bytes.length;
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
      return this.decoder.decode(bytes);
    } catch {
      // Silence is right here: the fault below says more, since the decoder does not name the byte.
      const good = decodableLength(bytes);
      const found = bytes[good]?.toString(16).padStart(2, '0');
      this.fault = this.notText(`holds the byte 0x${found}, which is not UTF-8`);
      return this.decoder.decode(bytes.subarray(0, good));
    }
  }

  private notText(found: string): Refusal {
    return {
      reason: `expected text in ${this.decoding.encoding}, but the feed ${found}`,
      remedy: 'Give the file as the bank sent it, in UTF-8',
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
