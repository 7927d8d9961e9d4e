import { LINE_CHARS_MAX } from './limits.ts';
import { refuse } from './refusal.ts';

export interface TextLine {
  readonly text: string;
  readonly line: number;
}

/** Cuts pieces of any size into lines that end in LF or CR LF. Holds one line at most. */
export class LineCutter {
  private carry = '';
  private line = 1;

  *push(piece: string): Generator<TextLine> {
    let start = 0;
    for (;;) {
      const end = piece.indexOf('\n', start);
      if (end === -1) break;
      yield this.cut(this.carry + piece.slice(start, end));
      this.carry = '';
      this.line += 1;
      start = end + 1;
    }
    this.carry += piece.slice(start);
    if (this.carry.length > LINE_CHARS_MAX) this.tooLong();
  }

  /** The last line, when no line feed ends it. */
  *finish(): Generator<TextLine> {
    if (this.carry !== '') yield this.cut(this.carry);
    this.carry = '';
  }

  /** The line that is being read, for a fault of the end itself. */
  get lastLine(): number {
    return this.line;
  }

  private cut(raw: string): TextLine {
    if (raw.length > LINE_CHARS_MAX) this.tooLong();
    const text = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    const stray = text.indexOf('\r');
    if (stray !== -1) {
      refuse(
        { line: this.line, column: stray + 1 },
        { reason: 'expected lines that end in LF or CR LF, but found a CR alone' },
      );
    }
    return { text, line: this.line };
  }

  private tooLong(): never {
    return refuse(
      { line: this.line, column: LINE_CHARS_MAX },
      {
        code: 'INPUT_LIMIT',
        reason: `expected a line of at most ${LINE_CHARS_MAX} characters, but it is longer`,
      },
    );
  }
}
