/** The known name that an unknown one is almost: a column, a field of a case, a member of an object. Pure. */
import { editDistance } from './edit-distance.ts';

/** With two letters changed, a shorter name is another word: formation_date, formation_state. */
const TWO_SLIPS_CHARACTERS_MIN = 14;
/** Below this, one letter more or less makes another word: fee, feed, free. */
const ONE_SLIP_CHARACTERS_MIN = 5;
/** Below this, another last letter makes another word: issued, issuer. */
const LAST_LETTER_CHARACTERS_MIN = 8;

/**
 * Where a name that nobody knows may be right, so that only a slip of the hand is taken for another: the same letters but
 * for one or two, whatever their case and separators.
 */
export function misspelledNames(known: readonly string[]): (given: string) => string | undefined {
  const plain = known.map((name) => ({ name, letters: lettersOf(name) }));
  return (given) => {
    const letters = lettersOf(given);
    return plain.find((one) => isSlip(letters, one.letters))?.name;
  };
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

/** Shorter beginnings are common to many names. */
const PREFIX_CHARACTERS_MIN = 5;

/** Where the name is refused anyway, so that a wider guess only helps: a third of the letters, or the same words in part. */
export function likelyMeant(given: string, known: readonly string[]): string | undefined {
  const b = given.toLowerCase().replaceAll(/[\s-]/g, '_');
  const words = b.split('_').filter((word) => word.length > 2);
  return known.find((name) => {
    const a = name.toLowerCase();
    if (editDistance(a, b) <= Math.floor(a.length / 3)) return true;
    if (b.length >= PREFIX_CHARACTERS_MIN && (a.startsWith(b) || b.startsWith(a))) return true;
    return words.filter((word) => a.split('_').includes(word)).length >= 2;
  });
}
