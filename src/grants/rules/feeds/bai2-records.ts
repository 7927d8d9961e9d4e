/** Physical lines to logical BAI2 records: several on one line, one on several, with or without the closing slash. */
import type { FeedPlace } from './feed-events.ts';
import { CONTINUATIONS_MAX, RECORD_CHARS_MAX } from './limits.ts';
import { quoted, refuse } from './refusal.ts';
import type { TextLine } from './text-lines.ts';

type Bai2Code = '01' | '02' | '03' | '16' | '49' | '98' | '99';

/** A part of a record, as one physical record held it. */
export interface Bai2Piece {
  /** Without the record code and the slash. */
  readonly text: string;
  /** A slash ends the field too; without one the next piece may go on inside it. */
  readonly isTerminated: boolean;
  /** Length of the physical record, to tell a cut at full length from a wanted line end. */
  readonly length: number;
}

export interface Bai2Record {
  readonly code: Bai2Code;
  readonly place: FeedPlace;
  readonly pieces: readonly Bai2Piece[];
  /** The record and its continuations, as the control records count them. */
  readonly physicalRecords: number;
}

interface OpenRecord {
  readonly code: Bai2Code;
  readonly place: FeedPlace;
  readonly pieces: Bai2Piece[];
  physicalRecords: number;
  chars: number;
}

const CODE = /^(01|02|03|16|49|88|98|99)(?:,|$)/;
// A slash inside a text is a slash; one before spaces and a record code begins the next record.
const NEXT_ON_LINE = /\/ +(?=(?:01|02|03|16|49|88|98|99),)/;

export class Bai2Assembler {
  private record: OpenRecord | undefined;

  /** Gives the records that this line shows to be complete. */
  *push({ text, line }: TextLine): Generator<Bai2Record> {
    let rest = text;
    let column = 1;
    for (;;) {
      const next = NEXT_ON_LINE.exec(rest);
      const end = next === null ? rest.length : next.index + 1;
      yield* this.segment(rest.slice(0, end), { line, column });
      if (next === null) return;
      const skipped = next.index + next[0].length;
      rest = rest.slice(skipped);
      column += skipped;
    }
  }

  *finish(): Generator<Bai2Record> {
    const { record } = this;
    this.record = undefined;
    if (record !== undefined) yield record;
  }

  private *segment(raw: string, place: FeedPlace): Generator<Bai2Record> {
    const segment = raw.trimEnd();
    if (segment === '') return;
    const isTerminated = segment.endsWith('/');
    const body = isTerminated ? segment.slice(0, -1) : segment;
    const length = raw.length;
    const code = CODE.exec(body)?.[1];
    if (code === undefined || code === '88') {
      const piece = {
        text: code === undefined ? body : body.slice(3),
        isTerminated,
        length,
      };
      this.continue(piece, { place, isRecord: code !== undefined });
      return;
    }
    yield* this.finish();
    this.record = {
      // The expression above lets only these through.
      code: code as Bai2Code,
      place,
      pieces: [{ text: body.slice(3), isTerminated, length }],
      physicalRecords: 1,
      chars: length,
    };
  }

  private continue(
    piece: Bai2Piece,
    { place, isRecord }: { readonly place: FeedPlace; readonly isRecord: boolean },
  ): void {
    const { record } = this;
    const last = record?.pieces.at(-1);
    if (record === undefined || last === undefined) {
      return refuse(place, {
        reason: `expected a record 01 first, but found ${quoted(piece.text)}`,
      });
    }
    // Some banks break a text over two lines without a record of its own; only a text can be broken so.
    if (!isRecord && (record.code !== '16' || last.isTerminated)) {
      return refuse(place, {
        reason: `expected a record code (01, 02, 03, 16, 49, 88, 98, 99), but found ${quoted(piece.text)}`,
      });
    }
    record.chars += piece.length;
    if (record.pieces.length >= CONTINUATIONS_MAX || record.chars > RECORD_CHARS_MAX) {
      refuse(place, {
        code: 'INPUT_LIMIT',
        reason: `expected at most ${CONTINUATIONS_MAX} continuations of one record and ${RECORD_CHARS_MAX} characters, but it is longer`,
      });
    }
    record.pieces.push(piece);
    if (isRecord) record.physicalRecords += 1;
  }
}
