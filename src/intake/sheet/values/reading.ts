/** What one cell says, read as people write it. */

export type ValueReading =
  | {
      readonly ok: true;
      readonly text: string;
      /** What was done to it, in words that are the same for every such cell of the column. */
      readonly note?: string;
    }
  | { readonly ok: false; readonly code: ValueFault; readonly why: string };

type ValueFault =
  | 'SHEET_ERROR_CELL'
  | 'SHEET_NUMBER_MANGLED'
  | 'SHEET_TEXT_LOST'
  | 'SHEET_DATE'
  | 'SHEET_AMOUNT'
  | 'SHEET_FLAG';

// A value in a message is a hint for the eye; the row itself stands beside it in the error file.
const SHOWN_CHARACTERS_MAX = 40;

export function shown(text: string): string {
  return JSON.stringify(
    text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text,
  );
}

export function read(text: string, note?: string): ValueReading {
  return note === undefined ? { ok: true, text } : { ok: true, text, note };
}
