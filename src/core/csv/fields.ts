import type { Delimiter } from './quotes.ts';

/** The fields of a record whose quotes are known to be in order, without its line end. */
export function splitFields(text: string, delimiter: Delimiter): string[] {
  if (!text.includes('"')) return text.split(delimiter);
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    const end = text.charAt(at) === '"' ? quotedEnd(text, at) : plainEnd(text, at, delimiter);
    const field = text.slice(at, end);
    fields.push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field);
    if (end >= text.length) return fields;
    // The character at `end` is the delimiter; after a last one there is one more, empty field.
    at = end + 1;
  }
}

/** A field as it must be spelled so that reading it gives the same text. */
export function quoteField(text: string, delimiter: Delimiter): string {
  const isPlain = !/["\r\n]/.test(text) && !text.includes(delimiter);
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}

function plainEnd(text: string, from: number, delimiter: Delimiter): number {
  const end = text.indexOf(delimiter, from);
  return end === -1 ? text.length : end;
}

function quotedEnd(text: string, from: number): number {
  let at = from + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    if (text.charAt(quote + 1) !== '"') return quote + 1;
    at = quote + 2;
  }
}
