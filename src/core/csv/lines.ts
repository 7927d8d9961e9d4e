/** A line of the input, or a piece of one that is longer than the bound. */
export interface LinePart {
  /** Counted from 1 by line feeds. */
  readonly line: number;
  /** With its line feed, where there is one. */
  readonly bytes: Buffer;
  /** False: more of the same line follows. */
  readonly ends: boolean;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const CARRY_BYTES_MIN = 4096;
export const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Cuts chunks of any size into lines. Holds at most one line, or `bytesMax` of it, between two chunks. */
export class LineSplitter {
  private readonly bytesMax: number;
  private carry = Buffer.alloc(CARRY_BYTES_MIN);
  private carried = 0;
  private line = 1;
  private isMidLine = false;
  private isFirst = true;
  private hasMark = false;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  *push(chunk: Uint8Array): Generator<LinePart> {
    // A copy, because rows are kept for a while and the source may use its buffer again.
    const bytes = Buffer.from(chunk);
    let start = 0;
    for (;;) {
      const end = bytes.indexOf(LINE_FEED, start);
      if (end === -1) break;
      yield this.part(bytes.subarray(start, end + 1), true);
      this.line += 1;
      start = end + 1;
    }
    this.keep(bytes.subarray(start));
    if (this.carried > this.bytesMax) yield this.part(Buffer.alloc(0), false);
  }

  /** The last line, when no line feed ends it. */
  *end(): Generator<LinePart> {
    if (this.carried > 0 || this.isMidLine) yield this.part(Buffer.alloc(0), true);
  }

  /** Whether the input began with a byte order mark; the first line is given without it. */
  get hasByteOrderMark(): boolean {
    return this.hasMark;
  }

  private part(rest: Buffer, ends: boolean): LinePart {
    const carried = this.carry.subarray(0, this.carried);
    const whole = this.carried === 0 ? rest : Buffer.concat([carried, rest]);
    this.hasMark ||= this.isFirst && whole.subarray(0, 3).equals(BYTE_ORDER_MARK);
    const bytes = this.isFirst && this.hasMark ? whole.subarray(3) : whole;
    this.isFirst = false;
    this.isMidLine = !ends;
    this.carried = 0;
    return { line: this.line, bytes, ends };
  }

  private keep(rest: Buffer): void {
    const needed = this.carried + rest.length;
    if (needed > this.carry.length) {
      // Doubling: chunks of one byte must not cost a copy of the line each.
      const larger = Buffer.alloc(Math.max(needed, this.carry.length * 2));
      this.carry.copy(larger, 0, 0, this.carried);
      this.carry = larger;
    }
    rest.copy(this.carry, this.carried);
    this.carried = needed;
  }
}

/** The bytes without LF or CR LF at their end. A CR alone at the very end is a line end cut in two. */
export function withoutLineEnd(bytes: Buffer): Buffer {
  let end = bytes.length;
  if (bytes[end - 1] === LINE_FEED) end -= 1;
  if (bytes[end - 1] === CARRIAGE_RETURN) end -= 1;
  return bytes.subarray(0, end);
}
