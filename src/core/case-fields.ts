/** Top-level fields of a case, of whichever pack: an unknown one is refused, because it may be a known one misspelled. */
import { likelyMeant } from './misspelled-name.ts';
import { badCase } from './refusals.ts';

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
interface CaseFields {
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
  const likely = likelyMeant(stranger, known);
  throw badCase(
    `${shown}: unknown field${likely === undefined ? '.' : `; did you mean ${likely}?`} The fields are ${known.join(', ')}`,
    { details: { field: shown } },
  );
}
