/**
 * A column that nobody knows goes into the form unchanged. One that is almost a known one would be lost that way in
 * silence, and with it, for instance, the earlier date that the state itself shows. Both imports ask here.
 */
import { editDistance, type JsonValue, type RowError } from '../../core/index.ts';

/** Words in which people write the date on the record of the state. */
const LIKE_RECORD_DUE = /^(?:state[_ -]?)?record[_ -]?(?:due|date|day|deadline)/i;
const RECORD_DUE = 'state_record_due';

/** With two letters changed, a shorter name is another word: formation_date, formation_state. */
const TWO_SLIPS_CHARACTERS_MIN = 14;
/** Below this, one letter more or less makes another word: fee, feed, free. */
const ONE_SLIP_CHARACTERS_MIN = 5;
/** Below this, another last letter makes another word: issued, issuer. */
const LAST_LETTER_CHARACTERS_MIN = 8;
/** NDJSON may have other names in every line. */
const REMEMBERED_MAX = 4_096;

/** Says which of the known names an unknown one is almost; remembers, because a file asks the same in every row. */
export function misspeltColumns(known: readonly string[]): (name: string) => string | undefined {
  const names = new Set(known);
  const plain = known.map((name) => ({ name, letters: lettersOf(name) }));
  const remembered = new Map<string, string | undefined>();
  const find = (name: string): string | undefined => {
    if (names.has(RECORD_DUE) && LIKE_RECORD_DUE.test(name)) return RECORD_DUE;
    const letters = lettersOf(name);
    return plain.find((one) => isSlip(letters, one.letters))?.name;
  };
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
export function misspeltFault(
  name: string,
  value: JsonValue,
  meant: string | undefined,
): readonly RowError[] {
  if (meant === undefined || value === '' || value === null) return [];
  const why = `looks like ${meant} and would not be read as it; correct the name, map it, or drop it`;
  return [{ where: name, why }];
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

function isSlip(given: string, known: string): boolean {
  if (given === known) return true;
  if (known.length < ONE_SLIP_CHARACTERS_MIN) return given === `${known}s`;
  const slipsMax = known.length < TWO_SLIPS_CHARACTERS_MIN ? 1 : 2;
  if (Math.abs(given.length - known.length) > slipsMax) return false;
  const isOtherEnd = given.length === known.length && given.slice(0, -1) === known.slice(0, -1);
  if (isOtherEnd && known.length < LAST_LETTER_CHARACTERS_MIN) return false;
  return editDistance(given, known) <= slipsMax;
}
