/** The 94-character records of a NACHA file: cutting them, and the fields by their columns. */
import type { FeedPlace } from './feed-events.ts';
import { quoted, refuse } from './refusal.ts';

export const RECORD_CHARS = 94;
export const BLOCKING_FACTOR = 10;

export interface NachaRecord {
  readonly text: string;
  readonly place: FeedPlace;
}

/** Cuts records, one on a line or all in one row. */
export class RecordCutter {
  private carry = '';
  private line = 1;
  private column = 1;
  private isAfterLineEnd = false;
  /** Decided by what follows the first record. */
  private layout: 'first' | 'lines' | 'row' = 'first';

  *push(piece: string): Generator<NachaRecord> {
    const text = this.carry + piece;
    let at = 0;
    for (;;) {
      at = this.skipLineEnds(text, at);
      if (text.length - at < RECORD_CHARS) break;
      yield this.record(text.slice(at, at + RECORD_CHARS));
      at += RECORD_CHARS;
    }
    this.carry = text.slice(at);
  }

  /** Nothing but line ends and spaces may be left. */
  finish(): void {
    if (this.carry.trim() === '') return;
    this.record(this.carry.padEnd(RECORD_CHARS, '\n'));
  }

  get place(): FeedPlace {
    return { line: this.line, column: this.column };
  }

  private skipLineEnds(text: string, from: number): number {
    let at = from;
    for (; text[at] === '\r' || text[at] === '\n'; at += 1) {
      if (text[at] === '\n') this.line += 1;
      this.column = 1;
      this.isAfterLineEnd = true;
    }
    return at;
  }

  private record(text: string): NachaRecord {
    const { place } = this;
    this.checkLayout();
    const short = /[\r\n]/.exec(text)?.index;
    if (short !== undefined) {
      refuse(place, {
        reason: `expected a record of ${RECORD_CHARS} characters, but found one of ${short}`,
      });
    }
    const strange = /[^ -~]/.exec(text);
    if (strange !== null) {
      refuse(
        { line: place.line, column: place.column + strange.index },
        { reason: `expected ASCII, but found ${quoted(strange[0])}` },
      );
    }
    this.column += RECORD_CHARS;
    this.isAfterLineEnd = false;
    return { text, place };
  }

  private checkLayout(): void {
    if (this.layout === 'lines' && !this.isAfterLineEnd) {
      refuse(this.place, {
        reason: `expected a record of ${RECORD_CHARS} characters, but the line is longer`,
      });
    }
    const isFirst = this.line === 1 && this.column === 1;
    if (this.layout === 'first' && !isFirst) this.layout = this.isAfterLineEnd ? 'lines' : 'row';
  }
}

/** Columns are counted from 1, both included, as in the rule book. */
export function columns(record: NachaRecord, first: number, last: number): string {
  return record.text.slice(first - 1, last);
}

/** Digits only, at most fifteen. */
export function numberIn(record: NachaRecord, first: number, last: number): number {
  const text = columns(record, first, last);
  if (/^\d+$/.test(text)) return Number(text);
  return refuse(
    { line: record.place.line, column: record.place.column + first - 1 },
    { reason: `expected digits in columns ${first} to ${last}, but found ${quoted(text)}` },
  );
}

export function trimmed(record: NachaRecord, first: number, last: number): string {
  return columns(record, first, last).trim();
}
