/**
 * Cuts lines into CSV records and finds its feet again after a broken one. csv-parse 7.0.3 was tried for this: after
 * text behind a closing quote, or a record above max_record_size, it drops every good row that follows; it replaces
 * bytes that are not UTF-8 and joins rows where CR LF and LF are mixed. It serves as the oracle of the tests.
 *
 * The rule for a broken record (quotes out of order, too large, or several lines with the wrong number of fields): it
 * ends where its quotes say, or before the first later line that is by itself a whole record of the header's width,
 * whichever comes first. So a stray quote costs its own row and not the thousand rows up to the next quote. The price:
 * a line inside a broken quoted field that looks exactly like a row is read as one. That needs a broken record, the
 * same number of columns and values that the pack accepts, and the batch is still approved by a second person.
 */
import { type Delimiter, isWholeRecord, QuoteScanner } from './quotes.ts';
import { CUT_BYTES, RECORD_BYTES_MAX } from './limits.ts';
import { type LinePart, withoutLineEnd } from './lines.ts';
import { badInput } from '../refusals.ts';

export type CsvRecord =
  | { readonly kind: 'whole'; readonly line: number; readonly bytes: Buffer }
  | {
      readonly kind: 'broken';
      readonly line: number;
      /** Only the first bytes when the record was too large to hold. */
      readonly bytes: Buffer;
      readonly why: string;
      readonly field: number | undefined;
    };

const TOO_LARGE = `is larger than ${RECORD_BYTES_MAX} bytes; only its beginning is kept here`;

/** Spreadsheets end their exports with rows of nothing but delimiters, as many as somebody once scrolled down. */
export function isBlankRecord(record: CsvRecord, delimiter: Delimiter): boolean {
  const code = delimiter.codePointAt(0);
  // Of a record that is too large only the beginning is here.
  if (record.kind !== 'whole') return false;
  return withoutLineEnd(record.bytes).every((byte) => byte === code);
}

export class RecordCutter {
  private readonly delimiter: Delimiter;
  private readonly scanner: QuoteScanner;
  /** Unknown until the header is read; until then nothing can be found again. */
  private width = 0;
  /** Lines that wait to be read, the next one last: the new one, and those given back after a broken record. */
  private readonly waiting: LinePart[] = [];
  private held: LinePart[] = [];
  private heldBytes = 0;
  /** The beginning of a record too large to hold, while the rest of it passes by. */
  private cut: { readonly line: number; readonly bytes: Buffer } | undefined;
  /** The latest part was a piece of a line that goes on. */
  private isMidLine = false;

  constructor(delimiter: Delimiter) {
    this.delimiter = delimiter;
    this.scanner = new QuoteScanner(delimiter);
  }

  setWidth(width: number): void {
    this.width = width;
  }

  *push(part: LinePart): Generator<CsvRecord> {
    this.waiting.push(part);
    yield* this.drain();
  }

  /** Stops with `INPUT_MALFORMED` when a quote is still open and no row can be found behind it. */
  *end(): Generator<CsvRecord> {
    while (this.held.length > 0 || this.cut !== undefined) {
      const line = this.scanner.openedOnLine;
      const found = this.findAgain(`has a quote opened on line ${line} that is never closed`);
      if (found === undefined) {
        throw badInput(
          `Expected every quote to be closed, but the one opened on line ${line} is not, and the rows after it ` +
            'cannot be separated. The file may be incomplete: compare it with its source, or close the quote.',
          { details: { line } },
        );
      }
      yield found;
      yield* this.drain();
    }
  }

  private *drain(): Generator<CsvRecord> {
    for (let part = this.waiting.pop(); part !== undefined; part = this.waiting.pop()) {
      const record = this.take(part);
      if (record !== undefined) yield record;
    }
  }

  private take(part: LinePart): CsvRecord | undefined {
    const wasBroken = this.cut !== undefined || this.scanner.fault !== undefined;
    if (wasBroken && part.ends && !this.isMidLine && this.isRow(part)) {
      this.waiting.push(part);
      return this.finishBroken();
    }
    this.isMidLine = !part.ends;
    this.scanner.feed(part.bytes, part.line);
    this.hold(part);
    if (part.ends && !this.scanner.isOpen) return this.finish(wasBroken);
    if (this.cut !== undefined) return undefined;
    if (this.heldBytes > RECORD_BYTES_MAX) return this.overflow();
    // A stray quote was closed by the next one, lines later: the rows between them are rows. Looked for once only;
    // from now on each new line is looked at as it comes.
    return this.scanner.fault !== undefined && !wasBroken ? this.findAgain() : undefined;
  }

  private hold(part: LinePart): void {
    if (this.cut !== undefined) return;
    this.held.push(part);
    this.heldBytes += part.bytes.length;
  }

  private finish(wasBroken: boolean): CsvRecord {
    const isTooLarge = this.cut !== undefined || this.heldBytes > RECORD_BYTES_MAX;
    const isFaulty = isTooLarge || this.scanner.fault !== undefined;
    const isSuspect = this.held.length > 1 && this.scanner.fieldCount !== this.width;
    if (!wasBroken && (isFaulty || isSuspect)) {
      const found = this.findAgain();
      if (found !== undefined) return found;
    }
    if (isFaulty) return this.finishBroken();
    const bytes = this.heldText();
    const line = this.held[0]?.line ?? 0;
    this.reset();
    return { kind: 'whole', line, bytes };
  }

  private overflow(): CsvRecord | undefined {
    const found = this.findAgain(
      `has a quote opened on line ${this.scanner.openedOnLine} that is not closed in ${RECORD_BYTES_MAX} bytes`,
    );
    if (found !== undefined) return found;
    this.cut = { line: this.held[0]?.line ?? 0, bytes: this.heldText().subarray(0, CUT_BYTES) };
    this.held = [];
    this.heldBytes = 0;
    return undefined;
  }

  /** Ends the broken record before the first later line that is a row, and gives the lines from there on back. */
  private findAgain(why = this.brokenWhy()): CsvRecord | undefined {
    const at = this.held.findIndex((part, index) => index > 0 && part.ends && this.isRow(part));
    if (at === -1) return undefined;
    const back = this.held.slice(at);
    this.held = this.held.slice(0, at);
    // Not spread into one call: there may be as many lines as the bound has bytes.
    for (const part of back.reverse()) this.waiting.push(part);
    return this.finishBroken(`${why}; reading continued at line ${back.at(-1)?.line ?? 0}`);
  }

  private finishBroken(why = this.brokenWhy()): CsvRecord {
    const { cut } = this;
    const bytes = this.heldText();
    const isTooLarge = cut !== undefined || bytes.length > RECORD_BYTES_MAX;
    const record: CsvRecord = {
      kind: 'broken',
      line: cut?.line ?? this.held[0]?.line ?? 0,
      bytes: cut?.bytes ?? (isTooLarge ? bytes.subarray(0, CUT_BYTES) : bytes),
      why,
      field: isTooLarge ? undefined : this.scanner.fault?.field,
    };
    this.reset();
    return record;
  }

  private brokenWhy(): string {
    if (this.cut !== undefined) return TOO_LARGE;
    if (this.scanner.fault !== undefined) return this.scanner.fault.why;
    if (this.heldBytes > RECORD_BYTES_MAX) return TOO_LARGE;
    return `has ${this.scanner.fieldCount} fields over ${this.held.length} lines, not ${this.width}`;
  }

  private heldText(): Buffer {
    const [first] = this.held;
    if (this.held.length === 1 && first !== undefined) return first.bytes;
    return Buffer.concat(this.held.map((part) => part.bytes));
  }

  private isRow(part: LinePart): boolean {
    return this.width > 0 && isWholeRecord(part.bytes, this.delimiter, this.width);
  }

  private reset(): void {
    this.scanner.reset();
    this.held = [];
    this.heldBytes = 0;
    this.cut = undefined;
  }
}
