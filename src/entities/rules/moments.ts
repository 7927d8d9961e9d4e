/** The texts of `due` and `not_before` as moments. */
import { type Instant, parseRfc3339 } from '../../core/index.ts';
import { endOfDay, parseDay, startOfDay } from './zone-day.ts';

export type DayEdge = 'start' | 'end';

// A file of 200,000 rows names a few hundred days, and asking the zone costs 20 µs a day. Full means odd input:
// then it starts anew.
const DAYS_KEPT_MAX = 4096;

/** Reads dates and instants for one zone; undefined when the text is neither. */
export function momentReader(zone: string): (text: string, edge: DayEdge) => Instant | undefined {
  const known = new Map<string, Instant>();
  return (text, edge) => {
    const name = `${edge}${text}`;
    const found = known.get(name);
    if (found !== undefined) return found;
    const day = parseDay(text);
    if (day === undefined) return parseRfc3339(text);
    const moment = edge === 'end' ? endOfDay(day, zone) : startOfDay(day, zone);
    if (known.size >= DAYS_KEPT_MAX) known.clear();
    known.set(name, moment);
    return moment;
  };
}
