/** What a person must say before a table is read. Nothing has been read for good; the same command with the answers goes on. */
import { FilewrightError } from '../../core/index.ts';
import type { ColumnMatch } from './columns/match.ts';

export interface Asked {
  /** Every column, in order, where some of them are a proposal. */
  readonly columns?: readonly ColumnMatch[];
  /** Our columns that are needed and that no column is read as. */
  readonly missing?: readonly string[];
  readonly dates?: {
    readonly column: string;
    readonly letter: string;
    readonly count: number;
    readonly example: string;
    /** Some dates of it can only be the one, others only the other. */
    readonly isMixed: boolean;
  };
  readonly sheets?: readonly string[];
  readonly hiddenRows?: { readonly sheet: string; readonly count: number };
}

export class SheetQuestion extends FilewrightError {
  readonly asked: Asked;

  constructor(asked: Asked) {
    super('SHEET_UNCLEAR', wordsOf(asked));
    this.asked = asked;
  }
}

function wordsOf(asked: Asked): string {
  const waiting = [
    ...(asked.columns === undefined ? [] : ['which column is which (--accept-map or --map)']),
    ...(asked.missing === undefined
      ? []
      : [`where ${asked.missing.join(', ')} is (--map or --set)`]),
    ...(asked.dates === undefined ? [] : ['in which order dates are written (--dates)']),
    ...(asked.sheets === undefined
      ? []
      : [
          `which sheet is meant (--sheet): ${asked.sheets.map((name) => JSON.stringify(name)).join(', ')}`,
        ]),
    ...(asked.hiddenRows === undefined
      ? []
      : [`whether ${asked.hiddenRows.count} hidden rows are read (--hidden-rows)`]),
  ];
  return `Before this table can be read, please say ${waiting.join('; ')}. Nothing was imported.`;
}
