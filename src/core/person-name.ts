/**
 * Names of people. Two people never have names that look the same: who approved is read by its name. Pure; the table
 * `person` keeps skeletons unique by itself.
 */
import { lettersOf } from './letters.ts';
import { misuse } from './refusals.ts';

interface PersonName {
  /** In normal form C. */
  readonly name: string;
  /** The same for all names that look alike: whatever is kept once by it is never shown twice. */
  readonly skeleton: string;
}

const NAME_CHARACTERS_MAX = 200;
/** Nothing to see, or what turns the direction of the letters around it; spaces of other widths; no letter at all. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}|\u2800/u;

/** Refuses what cannot be read for certain; `written` in normal form C otherwise. */
export function readPersonName(written: string): PersonName {
  const name = written.normalize('NFC');
  const { length } = Array.from(name);
  if (name.trim() !== name || length === 0 || length > NAME_CHARACTERS_MAX) {
    throw misuse(
      `Expected a name of 1 to ${NAME_CHARACTERS_MAX} characters without surrounding spaces`,
    );
  }
  const unseen = UNSEEN.exec(name)?.[0].codePointAt(0);
  if (unseen !== undefined) {
    const code = unseen.toString(16).toUpperCase().padStart(4, '0');
    throw misuse(`Expected a name of visible characters, found U+${code}`);
  }
  const { text, doubt } = lettersOf(name);
  if (doubt !== undefined) throw misuse(`Expected a name that reads in one way, but ${doubt}`);
  const skeleton = skeletonOf(text);
  if (!/[\p{L}\p{N}]/u.test(skeleton)) throw misuse('Expected a name with letters');
  return { name, skeleton };
}

/**
 * Letters of other scripts, and digits, by the Latin letters that they look like. After the table of confusables of Unicode
 * (UTS 39), for the scripts that are mistaken for each other; case is folded before.
 */
const LATIN: ReadonlyMap<string, string> = new Map(
  [
    'аa вb сc ԁd еe ёë ғf һh нh іi їï јj кk мm оo рp ԛq гr ѕs тt уy ўy үy ұy ѵv ѡw ԝw хx ьb ӏl ӧö ҽe',
    'αa βb ϲc εe ηn ιi ϳj κk μu νv οo ρp τt υu χx ζz ωw γy σo',
    '0o 1l |l',
  ]
    .flatMap((line) => line.split(' '))
    .map((pair) => [pair.slice(0, 1), pair.slice(1)]),
);

function skeletonOf(letters: string): string {
  const latin = Array.from(letters.normalize('NFC'), (one) => LATIN.get(one) ?? one);
  return (
    latin
      .join('')
      .normalize('NFD')
      .replaceAll(/[\u2010-\u2015\u2212\u2043\ufe58\u30fc]/gu, '-')
      .replaceAll(/[\u2018\u2019\u201b\u2032\u02bc`\u00b4]/gu, "'")
      // An I in upper case is an l to the eye, and case is folded by now.
      .replaceAll('i', 'l')
      .replaceAll('m', 'rn')
      .replaceAll('w', 'vv')
      .replaceAll(/\s+/gu, ' ')
      .trim()
  );
}
