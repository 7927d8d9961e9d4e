/** Rows of CSV (RFC 4180), read piece by piece; strict, because a guess about a quote moves every cell after it. */
import { FilewrightError } from '../../core/index.ts';

const RECORD_CHARACTERS_MAX = 1_000_000;

/** Shorter cuts are copied by the engine anyway. */
const CUT_CHARACTERS_MIN = 13;

/** What may end a run: a line feed in a quoted cell is text, but must be counted. */
const PLAIN_END = /[",\r\n]/g;
const QUOTED_END = /["\n]/g;

type Mode = 'start' | 'plain' | 'quoted' | 'closed';

export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

export class CsvRows {
  #mode: Mode = 'start';
  #cell = '';
  #row: string[] = [];
  #size = 0;
  #line = 1;
  #rowLine = 1;
  #hasReturn = false;

  *push(piece: string): Generator<CsvRow> {
    for (let at = 0; at < piece.length; ) {
      const run = this.#run(piece, at);
      if (run > at) {
        this.#cell += piece.slice(at, run);
        this.#grow(run - at);
        at = run;
        continue;
      }
      const character = piece.charAt(at);
      at += 1;
      if (this.#hasReturn) {
        this.#hasReturn = false;
        if (character !== '\n') this.#refuse('a carriage return without a line feed');
      }
      this.#grow(1);
      const isRowEnd = this.#take(character);
      if (character === '\n') this.#line += 1;
      if (isRowEnd) yield* this.#endRow();
    }
  }

  /** The end of the ordinary characters of a cell that begin here: they are taken together, not one by one. */
  #run(piece: string, from: number): number {
    if (this.#hasReturn || (this.#mode !== 'plain' && this.#mode !== 'quoted')) return from;
    const end = this.#mode === 'plain' ? PLAIN_END : QUOTED_END;
    end.lastIndex = from;
    return end.exec(piece)?.index ?? piece.length;
  }

  #grow(characters: number): void {
    this.#size += characters;
    if (this.#size > RECORD_CHARACTERS_MAX) {
      this.#refuse('a record of more than a million characters');
    }
  }

  *finish(): Generator<CsvRow> {
    if (this.#mode === 'quoted') this.#refuse('a quoted cell that is never closed');
    if (this.#hasReturn) this.#refuse('a carriage return without a line feed');
    if (this.#size > 0) {
      this.#row.push(ownCopy(this.#cell));
      yield* this.#endRow();
    }
  }

  /** True at the end of a row. */
  #take(character: string): boolean {
    if (this.#mode === 'quoted') {
      if (character === '"') this.#mode = 'closed';
      else this.#cell += character;
      return false;
    }
    switch (character) {
      case '"':
        if (this.#mode === 'plain') this.#refuse('a quote inside a cell that is not quoted');
        // A second quote after a closing one is a quote of the text.
        if (this.#mode === 'closed') this.#cell += '"';
        this.#mode = 'quoted';
        return false;
      case ',':
        this.#endCell();
        return false;
      case '\r':
        this.#hasReturn = true;
        return false;
      case '\n':
        this.#endCell();
        return true;
      default:
        if (this.#mode === 'closed') this.#refuse('text after a closing quote');
        this.#mode = 'plain';
        this.#cell += character;
        return false;
    }
  }

  #endCell(): void {
    this.#row.push(ownCopy(this.#cell));
    this.#cell = '';
    this.#mode = 'start';
  }

  *#endRow(): Generator<CsvRow> {
    const row = this.#row;
    const line = this.#rowLine;
    this.#row = [];
    this.#cell = '';
    this.#mode = 'start';
    this.#size = 0;
    this.#rowLine = this.#line;
    if (row.length === 1 && row[0] === '') return;
    yield { line, cells: row };
  }

  #refuse(found: string): never {
    throw new FilewrightError(
      'INPUT_MALFORMED',
      `line ${this.#line}: CSV of RFC 4180 was expected, found ${found.slice(0, 200)}`,
      { details: { line: this.#line } },
    );
  }
}

/** A cut from a chunk keeps the whole chunk in memory as long as one cell of it is kept; a copy keeps itself. */
function ownCopy(cell: string): string {
  return cell.length < CUT_CHARACTERS_MIN ? cell : ` ${cell}`.slice(1);
}
