/**
 * A column that nobody knows goes into the form unchanged. One that is almost a known one would be lost that way in
 * silence, and with it, for instance, the earlier date that the state itself shows. Both imports ask here.
 */
import { type JsonValue, misspelledNames, type RowError } from '../../core/index.ts';

/** Words in which people write the date on the record of the state. */
const LIKE_RECORD_DUE = /^(?:state[_ -]?)?record[_ -]?(?:due|date|day|deadline)/i;
const RECORD_DUE = 'state_record_due';

/** NDJSON may have other names in every line. */
const REMEMBERED_MAX = 4_096;

/** Says which of the known names an unknown one is almost; remembers, because a file asks the same in every row. */
export function misspelledColumns(known: readonly string[]): (name: string) => string | undefined {
  const names = new Set(known);
  const slipOf = misspelledNames(known);
  const remembered = new Map<string, string | undefined>();
  const find = (name: string): string | undefined =>
    names.has(RECORD_DUE) && LIKE_RECORD_DUE.test(name) ? RECORD_DUE : slipOf(name);
  return (name) => {
    if (names.has(name)) return undefined;
    if (!remembered.has(name)) {
      if (remembered.size >= REMEMBERED_MAX) remembered.clear();
      remembered.set(name, find(name));
    }
    return remembered.get(name);
  };
}

/** The error of one column, where its value would be lost; an empty one loses nothing. */
export function misspelledFault(
  name: string,
  value: JsonValue,
  meant: string | undefined,
): readonly RowError[] {
  if (meant === undefined || value === '' || value === null) return [];
  const why = `looks like ${meant} but is not read as it; correct the name, map it, or remove it`;
  return [{ where: name, why }];
}
