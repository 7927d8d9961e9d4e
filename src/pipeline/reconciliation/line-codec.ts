/** How a line is named by its feed, and what of it is sealed. */
import type { JsonValue } from '../../core/index.ts';
import { type BankLine, type LineFields, lineOfFields } from '../../packs/grants/index.ts';

export function openedLine(feed: string, ordinal: number, value: JsonValue): BankLine {
  // Written from `fieldsOfLine`; the seal has proved that it is unchanged.
  return lineOfFields(lineId(feed, ordinal), feed, value as unknown as LineFields);
}

export function lineId(feed: string, ordinal: number): string {
  return `${feed}#${ordinal}`;
}

export function lineOfId(id: string): { readonly feed: string; readonly ordinal: number } {
  const at = id.lastIndexOf('#');
  return { feed: id.slice(0, at), ordinal: Number(id.slice(at + 1)) };
}
