/** RFC 5545 as text: escaping, folding, dates. Nothing here knows what an event means. */
import { plainLines } from '../core/index.ts';
import { civilOf, type Day } from './day.ts';

/** RFC 5545 § 3.1: octets of one line, without its line break. */
const LINE_OCTETS_MAX = 75;

const MS_PER_DAY = 86_400_000;

// RFC 5545 § 3.3.11: backslash, semicolon, comma and line break are written with a backslash.
export function escapeText(text: string): string {
  return plainLines(text)
    .replaceAll('\\', '\\\\')
    .replaceAll(';', '\\;')
    .replaceAll(',', '\\,')
    .replaceAll(/\r\n|\n/g, '\\n');
}

// RFC 5545 § 3.1: a longer line goes on after a line break and one space, which counts; never inside a character.
export function foldLine(line: string): string {
  let folded = '';
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character, 'utf8');
    if (octets + size > LINE_OCTETS_MAX) {
      folded += '\r\n ';
      octets = 1;
    }
    folded += character;
    octets += size;
  }
  return folded;
}

/** Lines as a calendar file: each folded, each ended by CR LF, the last one too. */
export function calendarText(lines: readonly string[]): string {
  return lines.map((line) => `${foldLine(line)}\r\n`).join('');
}

// RFC 5545 § 3.3.4.
export function dateValue(day: Day): string {
  const { year, month, day: dayOfMonth } = civilOf(day);
  return `${digits(year, 4)}${digits(month, 2)}${digits(dayOfMonth, 2)}`;
}

// RFC 5545 § 3.3.5, form 2: UTC, to the second.
export function utcValue(epochMs: number): string {
  // A day number is whole days since 1970, as the milliseconds are.
  const day = Math.floor(epochMs / MS_PER_DAY) as Day;
  const seconds = Math.floor((epochMs - day * MS_PER_DAY) / 1000);
  const time = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${dateValue(day)}T${time.map((part) => digits(part, 2)).join('')}Z`;
}

function digits(value: number, length: number): string {
  return String(value).padStart(length, '0');
}
