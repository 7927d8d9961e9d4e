/** Which of their columns is which of ours: by name, by a name that is known, or by likeness. Pure. */
import { misspelledNames, type SheetColumns } from '../../../core/index.ts';

/**
 * How it is known. `exact`, `given` (by this command) and `confirmed` (by a person, earlier) are certain; `known` and
 * `similar` are a proposal that a person confirms; `left out` is not read.
 */
type MatchedBy = 'exact' | 'given' | 'confirmed' | 'known' | 'similar' | 'extra' | 'left out';

export interface ColumnMatch {
  readonly theirs: string;
  /** Its place, from 0. */
  readonly at: number;
  /** Undefined where it is left out. */
  readonly ours: string | undefined;
  readonly by: MatchedBy;
}

interface MatchRules {
  readonly sheet: SheetColumns;
  /** `{ ours: theirs }` of this command. */
  readonly given: Readonly<Record<string, string>>;
  /** `{ theirs: ours }` as a person confirmed it for this set of names; null: left out. */
  readonly confirmed: Readonly<Record<string, string | null>> | undefined;
  /** Unknown columns that are read under their own names. */
  readonly extra: ReadonlySet<string>;
}

export function matchColumns(theirs: readonly string[], rules: MatchRules): readonly ColumnMatch[] {
  const taken = new Map<string, number>();
  const found = new Map<number, { readonly ours: string; readonly by: MatchedBy }>();
  const take = (at: number, ours: string | undefined, by: MatchedBy): void => {
    if (ours === undefined || found.has(at) || taken.has(ours)) return;
    taken.set(ours, at);
    found.set(at, { ours, by });
  };
  for (const [ours, their] of Object.entries(rules.given))
    take(theirs.indexOf(their), ours, 'given');
  found.delete(-1);
  const leftOut = new Set<number>();
  // A name of ours is one, whatever was confirmed for it once; only this command says otherwise.
  for (const [at, name] of theirs.entries()) {
    if (isOurs(name, rules.sheet)) take(at, name, 'exact');
  }
  for (const [at, name] of theirs.entries()) {
    const { confirmed } = rules;
    if (confirmed === undefined || !Object.hasOwn(confirmed, name)) continue;
    const ours = confirmed[name];
    if (ours === null || ours === undefined) leftOut.add(at);
    else take(at, ours, 'confirmed');
  }
  for (const [at, name] of theirs.entries()) {
    if (rules.extra.has(name)) take(at, name, 'extra');
  }
  for (const by of ['known', 'similar'] as const) {
    const nameFor = by === 'known' ? knownNames(rules.sheet) : similarNames(rules.sheet);
    for (const [at, name] of theirs.entries()) {
      if (!leftOut.has(at) && !found.has(at)) take(at, nameFor(name, taken), by);
    }
  }
  return theirs.map((name, at) => {
    const one = found.get(at);
    return { theirs: name, at, ours: one?.ours, by: one?.by ?? 'left out' };
  });
}

export function isCertain(match: ColumnMatch): boolean {
  return match.by !== 'known' && match.by !== 'similar';
}

/** How many names of a row a reader of tables would know: the row with the most is the header. */
export function headerScore(names: readonly string[], sheet: SheetColumns): number {
  const known = knownNames(sheet);
  const similar = similarNames(sheet);
  const none = new Map<string, number>();
  return names.filter(
    (name) =>
      name.trim() !== '' &&
      (isOurs(name, sheet) || known(name, none) !== undefined || similar(name, none) !== undefined),
  ).length;
}

function isOurs(name: string, sheet: SheetColumns): boolean {
  return sheet.columns.some((column) => column.name === name) || sheet.own(name) !== undefined;
}

type NameFor = (theirs: string, taken: ReadonlyMap<string, number>) => string | undefined;

function knownNames(sheet: SheetColumns): NameFor {
  const names = new Map<string, string>();
  for (const { name, also } of sheet.columns) {
    for (const one of [name, ...also])
      if (!names.has(lettersOf(one))) names.set(lettersOf(one), name);
  }
  return (theirs) => names.get(lettersOf(theirs));
}

/** A slip of the hand, or a known name with more words around it: "Due Date (2027)". */
function similarNames(sheet: SheetColumns): NameFor {
  const all = sheet.columns.flatMap(({ name, also }) =>
    [name, ...also].map((known) => ({ ours: name, known, words: wordsOf(known) })),
  );
  const slip = misspelledNames(all.map(({ known }) => known));
  return (theirs, taken) => {
    const meant = slip(theirs);
    const misspelled = meant === undefined ? undefined : all.find(({ known }) => known === meant);
    if (misspelled !== undefined && !taken.has(misspelled.ours)) return misspelled.ours;
    const words = new Set(wordsOf(theirs));
    const around = all
      .filter((one) => one.words.length > 1 && one.words.every((word) => words.has(word)))
      .filter((one) => !taken.has(one.ours))
      .toSorted((a, b) => b.words.length - a.words.length);
    return around[0]?.ours;
  };
}

function lettersOf(name: string): string {
  return wordsOf(name).join('');
}

const NAME_CHARACTERS_MAX = 200;

function wordsOf(name: string): readonly string[] {
  return name
    .slice(0, NAME_CHARACTERS_MAX)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('#', ' number ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
