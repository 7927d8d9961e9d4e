import type { JsonValue } from '../canonical-json.ts';
import type { FilewrightError } from '../errors.ts';
import type { RowError } from '../ports.ts';
import { badInput } from '../refusals.ts';

/** One record of the input: a row for the pack to read, or why there is none. */
export type InputRow =
  | {
      readonly kind: 'row';
      /** The line of the file (from 1) on which the record begins. */
      readonly line: number;
      /** The exact bytes of the record, without its line end. */
      readonly raw: Uint8Array;
      /** By our column names; the columns of an error file are left out. */
      readonly row: Readonly<Record<string, JsonValue>>;
      /** Cells that cannot be read as what their column holds; the row is refused with them and whatever else is wrong. */
      readonly faults?: readonly RowError[];
    }
  | {
      readonly kind: 'fault';
      readonly line: number;
      /** As in a row; only the first bytes of a record that was too large to hold. */
      readonly raw: Uint8Array;
      readonly error: RowError;
      /** False when the bytes cannot stand in an output as they are: they would break the rows after them. */
      readonly verbatim: boolean;
    };

/** `{ "<our name>": "<their header>" }`. */
export type ColumnMapping = Readonly<Record<string, string>>;

/** Where an error lies when it is not in one column. */
export const WHOLE_ROW = 'row';

/** The two columns that an error file adds, and that an import leaves out. */
export const ERROR_COLUMNS = ['error_where', 'error_why'] as const;

export function isErrorColumn(name: string): boolean {
  return name === ERROR_COLUMNS[0] || name === ERROR_COLUMNS[1];
}

export function noRows(line: number): FilewrightError {
  return badInput(
    `Expected at least one row after line ${line}, found none. Check that the export was complete.`,
    { details: { line } },
  );
}
