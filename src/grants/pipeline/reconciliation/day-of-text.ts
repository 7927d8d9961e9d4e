import { type Day, parseDay } from '../../../calendar/index.ts';
import { misuse } from '../../../core/index.ts';

/** Days of people: YYYY-MM-DD. */
export function dayOfText(text: string, what: string): Day {
  const day = parseDay(text);
  if (day !== undefined) return day;
  throw misuse(`${what}: expected a day like 2026-12-31, found "${text}"`);
}
