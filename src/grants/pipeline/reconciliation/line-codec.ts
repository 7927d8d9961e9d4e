/** How a line is named by its feed, and what of it is sealed. */
import { type JsonValue, misuse } from '../../../core/index.ts';
import type { BankLine } from '../../rules/matching/bank-line.ts';
import { type LineFields, lineOfFields } from '../../rules/matching/entries/entry-codec.ts';

/** Feeds that only announce; lines that were sealed before they were marked are known by them. */
const ANNOUNCING: ReadonlySet<string> = new Set(['camt.052', 'camt.054', 'nacha']);

export function openedLine(
  place: { readonly feed: string; readonly format: string; readonly ordinal: number },
  value: JsonValue,
): BankLine {
  const { feed, format, ordinal } = place;
  // Written from `fieldsOfLine`; the seal has proved that it is unchanged.
  const line = lineOfFields(lineId(feed, ordinal), feed, value as LineFields);
  if (line.statement !== undefined) return line;
  return { ...line, statement: 1, ...(ANNOUNCING.has(format) && { isAnnounced: true }) };
}

export function lineId(feed: string, ordinal: number): string {
  return `${feed}#${ordinal}`;
}

export function lineOfId(id: string): { readonly feed: string; readonly ordinal: number } {
  const at = id.lastIndexOf('#');
  return { feed: id.slice(0, at), ordinal: Number(id.slice(at + 1)) };
}

/** At least 8 digits of a feed's hash, and the line's number in it where one is given. */
const LINE_NAME = /^([0-9a-f]{8,64})(?:#(\d{1,9}))?$/;

/** Which lines somebody means who typed the whole id, or its beginning with or without the number: `897b9a56#2`. */
export function linesNamed(text: string): (id: string) => boolean {
  const [, begin, number] = LINE_NAME.exec(text) ?? [];
  if (begin === undefined) {
    throw misuse(
      `Expected a bank line, at least the first 8 digits of its id, found "${text}"; see grants unmatched`,
    );
  }
  return (id) => {
    const { feed, ordinal } = lineOfId(id);
    return feed.startsWith(begin) && (number === undefined || ordinal === Number(number));
  };
}
