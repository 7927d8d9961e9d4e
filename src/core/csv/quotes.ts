/**
 * Follows the quotes of one CSV record (RFC 4180) over any number of pieces. It only says where the record ends and
 * whether its quotes are in order; the fields are cut later, from a record that is known to be whole.
 */

export type Delimiter = ',' | ';' | '\t' | '|';

type Mode = 'start' | 'plain' | 'quoted' | 'closed';

interface QuoteFault {
  readonly why: string;
  /** The index of the field. */
  readonly field: number;
}

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export class QuoteScanner {
  private readonly delimiter: number;
  private mode: Mode = 'start';
  private field = 0;
  private firstFault: QuoteFault | undefined;
  private openedOn = 0;

  constructor(delimiter: Delimiter) {
    this.delimiter = delimiter.charCodeAt(0);
  }

  reset(): void {
    this.mode = 'start';
    this.field = 0;
    this.firstFault = undefined;
  }

  /** A line feed here belongs to a field. */
  get isOpen(): boolean {
    return this.mode === 'quoted';
  }

  /** The first thing that is wrong with the quotes. */
  get fault(): QuoteFault | undefined {
    return this.firstFault;
  }

  /** The line on which the latest quoted field began. */
  get openedOnLine(): number {
    return this.openedOn;
  }

  /** Exact only for a record with a quote in it. */
  get fieldCount(): number {
    return this.field + 1;
  }

  feed(bytes: Buffer, line: number): void {
    let at = 0;
    while (at < bytes.length) {
      // Most of the bytes need no look each: native search jumps to the next quote.
      if (this.mode === 'quoted') {
        at = bytes.indexOf(QUOTE, at);
        if (at === -1) return;
        this.mode = 'closed';
      } else if (at === 0 && !bytes.includes(QUOTE)) {
        this.feedPlain(bytes);
        return;
      } else {
        this.step(bytes[at] ?? LINE_FEED, bytes[at + 1] ?? LINE_FEED, line);
      }
      at += 1;
    }
  }

  // A piece without a quote outside quotes: only its end matters, and a quote straight after it.
  private feedPlain(bytes: Buffer): void {
    const first = bytes[0];
    if (this.mode === 'closed' && first !== this.delimiter && !isLineEnd(first)) {
      this.refuse(AFTER_CLOSING);
    }
    const stray = strayReturn(bytes);
    if (stray !== -1) {
      this.refuse(STRAY_RETURN, this.field + count(bytes.subarray(0, stray), this.delimiter));
    }
    this.mode = bytes.at(-1) === this.delimiter ? 'start' : 'plain';
  }

  private step(byte: number, next: number, line: number): void {
    if (byte === this.delimiter) {
      this.field += 1;
      this.mode = 'start';
    } else if (byte === LINE_FEED) {
      // The end of the record; the caller resets.
    } else if (byte === QUOTE) {
      this.quote(line);
    } else if (byte === CARRIAGE_RETURN && next !== LINE_FEED) {
      this.refuse(this.mode === 'closed' ? AFTER_CLOSING : STRAY_RETURN);
      this.mode = 'plain';
    } else if (this.mode === 'start') {
      this.mode = 'plain';
    } else if (this.mode === 'closed' && !(byte === CARRIAGE_RETURN && next === LINE_FEED)) {
      this.refuse(AFTER_CLOSING);
      // From here the field is read as if it had no quotes, so that the next line end ends the record.
      this.mode = 'plain';
    }
  }

  private quote(line: number): void {
    if (this.mode === 'plain') {
      this.refuse(INSIDE_PLAIN);
      return;
    }
    // At the start of a field it opens; straight after a closing one it is the second half of an escaped quote.
    if (this.mode === 'start') this.openedOn = line;
    this.mode = 'quoted';
  }

  private refuse(why: string, field = this.field): void {
    this.firstFault ??= { why, field };
  }
}

const AFTER_CLOSING = 'has text after its closing quote; double each quote inside a quoted field';
const INSIDE_PLAIN =
  'has a quote inside, but does not begin with one; quote the whole field and double the quotes in it';
/** RFC 4180 has none outside quotes; read as text it would hide a row, read as a line end it would cut one. */
const STRAY_RETURN =
  'goes over a carriage return; save the file with LF or CR LF at the ends of its lines, or quote the field';

/** The place of a carriage return that belongs to no line end, in bytes without a quote; -1 where there is none. */
function strayReturn(bytes: Buffer): number {
  const at = bytes.indexOf(CARRIAGE_RETURN);
  // At the very end it is a line end cut in two.
  const endsLine =
    at === bytes.length - 1 || (at === bytes.length - 2 && bytes[at + 1] === LINE_FEED);
  return endsLine ? -1 : at;
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === LINE_FEED || byte === CARRIAGE_RETURN;
}

/** Whether a line is by itself a record of that many fields with its quotes in order. */
export function isWholeRecord(bytes: Buffer, delimiter: Delimiter, width: number): boolean {
  if (!bytes.includes(QUOTE)) {
    return count(bytes, delimiter.charCodeAt(0)) + 1 === width && strayReturn(bytes) === -1;
  }
  const scanner = new QuoteScanner(delimiter);
  scanner.feed(bytes, 0);
  return !scanner.isOpen && scanner.fault === undefined && scanner.fieldCount === width;
}

function count(bytes: Buffer, byte: number): number {
  let found = 0;
  for (let at = bytes.indexOf(byte); at !== -1; at = bytes.indexOf(byte, at + 1)) found += 1;
  return found;
}
