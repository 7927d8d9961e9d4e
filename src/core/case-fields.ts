/** Top-level fields of a case, of whichever pack: an unknown one is refused, because it may be a known one misspelt. */
import { editDistance } from './edit-distance.ts';
import { FilewrightError } from './errors.ts';

/** What whoever keeps a case writes beside it; no rule reads these. */
const NOTES = [
  'id',
  'why',
  'note',
  'notes',
  'source',
  'basis',
  'confidence',
  'verified',
  'standing',
  'expected',
];
const EXPECTED = /^expected_/;

/** The fields that a case may have: made once, looked at for each case of a docket. */
export interface CaseFields {
  readonly known: readonly string[];
  readonly may: ReadonlySet<string>;
}

/** `answers` are fields of the answer, which may be kept with the case to compare. */
export function caseFields(known: readonly string[], answers: readonly string[] = []): CaseFields {
  return { known, may: new Set([...known, ...NOTES, ...answers]) };
}

/** Throws CASE_INVALID with the first field that no rule knows, and the known one that it is most like. */
export function refuseUnknown(
  given: Readonly<Record<string, unknown>>,
  { known, may }: CaseFields,
): void {
  for (const name of Object.keys(given)) {
    if (!may.has(name) && !EXPECTED.test(name)) refuse(name, known);
  }
}

function refuse(stranger: string, known: readonly string[]): never {
  const shown = stranger.length > 60 ? `${stranger.slice(0, 60)}…` : stranger;
  const likely = known.find((name) => isAlike(name, stranger));
  throw new FilewrightError(
    'CASE_INVALID',
    `${shown}: no such field is known${likely === undefined ? '.' : `; was ${likely} meant?`} The fields are ${known.join(', ')}`,
    { details: { field: shown } },
  );
}

/** Shorter beginnings are common to many names. */
const PREFIX_CHARACTERS_MIN = 5;

/** The same letters but for a third of them at most, or the same words in part. */
function isAlike(known: string, given: string): boolean {
  const a = known.toLowerCase();
  const b = given.toLowerCase().replaceAll(/[\s-]/g, '_');
  if (editDistance(a, b) <= Math.floor(a.length / 3)) return true;
  if (b.length >= PREFIX_CHARACTERS_MIN && (a.startsWith(b) || b.startsWith(a))) return true;
  const words = b.split('_').filter((word) => word.length > 2);
  const shared = words.filter((word) => a.split('_').includes(word)).length;
  return shared >= 2;
}

/** More letters than these make another word; of a short name one is enough to. */
const MISSPELT_LETTERS_MAX = 2;
const SHORT_CHARACTERS_MAX = 5;

/** The known field that was probably meant: the same letters but for one or two, whatever their case and separators. */
export function misspeltField(given: string, known: readonly string[]): string | undefined {
  const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, '');
  const b = plain(given);
  return known.find((name) => {
    const a = plain(name);
    const max = a.length <= SHORT_CHARACTERS_MAX ? 1 : MISSPELT_LETTERS_MAX;
    return editDistance(a, b) <= max;
  });
}
