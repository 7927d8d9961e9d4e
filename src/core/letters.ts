/**
 * The letters of a name or a number, however they were written: full-width, upper case, with a soft hyphen or a zero-width
 * space in them. What only looks like letters (another script's, a symbol) is not guessed at; it is doubtful. Pure.
 */
export interface Letters {
  /** Lower case, compatibility forms and invisible characters gone, all digits 0 to 9; separators as they were. */
  readonly text: string;
  /** Why nobody can tell for certain what is written; undefined where it is certain. */
  readonly doubt: string | undefined;
}

const ASCII = /^[\x20-\x7e]*$/;
/** Trade marks say nothing of who it is, and would become the letters TM. */
const MARKS_OF_TRADE = /[\u00a9\u00ae\u2117\u2120\u2122]/gu;
/** Letters by their class, apostrophes by their use. */
const APOSTROPHES = /[\u02b9-\u02bd\u02c8]/gu;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]/gu;
/** The letters behind these are read in another order than they are stored in. */
const TURNED = /[\u202a-\u202e\u2066-\u2069]/u;
/** Their look is a matter of the font that shows them. */
const SHAPELESS = /[\p{Co}\p{Cn}\p{Cs}]/u;
/** A circle or a currency sign in the place of a letter. Those of a keyboard are left: AT+T, C++. */
const SYMBOL_IN_WORD =
  /(?<=[\p{L}\p{N}])(?![\x20-\x7e])\p{S}|(?![\x20-\x7e])\p{S}(?=[\p{L}\p{N}])/u;

/** For instance what people type and what databases hold: short. Longer texts are no names. */
const NAME_CHARACTERS_MAX = 500;

export function lettersOf(written: string): Letters {
  if (ASCII.test(written)) return { text: written.toLowerCase(), doubt: undefined };
  if (written.length > NAME_CHARACTERS_MAX) return { text: '', doubt: 'it is too long for a name' };
  const turned = TURNED.test(written);
  const compatible = written.replaceAll(MARKS_OF_TRADE, '').normalize('NFKC');
  const visible = compatible.replaceAll(INVISIBLE, '').replaceAll(APOSTROPHES, "'");
  const text = foldDigits(foldCase(visible));
  return { text, doubt: turned ? 'it is written in two directions' : doubtOf(text) };
}

/** Full case folding, where one letter may become two (ß, SS) and a sigma is a sigma wherever it stands. */
function foldCase(text: string): string {
  return text
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC')
    .replaceAll('ς', 'σ')
    .replaceAll('i\u0307', 'i')
    .replaceAll('ı', 'i');
}

/** Digits of any script by their value. Each script has its ten in a row. */
function foldDigits(text: string): string {
  return text.replaceAll(/(?![0-9])\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    let first = code;
    while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
    return String((code - first) % 10);
  });
}

function doubtOf(text: string): string | undefined {
  if (SHAPELESS.test(text)) return 'it has invisible characters';
  if (SYMBOL_IN_WORD.test(text)) return 'it has a symbol in place of a letter';
  return scriptDoubt(text);
}

/** Scripts that are written together in one word in East Asia. */
const EAST_ASIAN = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}]/u;
const SCRIPTS: readonly (readonly [string, RegExp])[] = [
  ['Latin', /\p{sc=Latn}/u],
  ['East Asian', EAST_ASIAN],
  ['Cyrillic', /\p{scx=Cyrl}/u],
  ['Greek', /\p{scx=Grek}/u],
  ['Arabic', /\p{scx=Arab}/u],
  ['Hebrew', /\p{scx=Hebr}/u],
  ['Thai', /\p{scx=Thai}/u],
  ['Devanagari', /\p{scx=Deva}/u],
];
/** Letters that have the shape of a Latin letter or a digit, in lower or in upper case. */
const LOOKS_LATIN = new Set(
  'абвгеёзіїјкмнорстуўхьѕһѵѡԁԛԝӏүұҽӧ' +
    'αβγεζηικμνορστυχωϲϳ' +
    '〇ロ口囗工エ一ー丨丿ノ卜ト八人入丫乂十〡',
);
/** Of Latin, what is left when marks are taken off: the alphabet and the letters that languages write with it. */
const PLAIN_LATIN = /^[a-zæœøđðþłŋħŧ]$/u;

function scriptDoubt(text: string): string | undefined {
  const foreign: string[] = [];
  for (const word of text.split(/[^\p{L}\p{M}\p{N}]+/u)) {
    const letters = Array.from(word.normalize('NFKD')).filter((one) => /[\p{L}\p{Nl}]/u.test(one));
    const scripts = new Set(letters.map(scriptOf));
    if (scripts.has(undefined)) return 'it has letters of an unknown script';
    if (letters.some((one) => scriptOf(one) === 'Latin' && !PLAIN_LATIN.test(one)))
      return 'it has letters that only look like Latin ones';
    const isEastAsian = scripts.has('East Asian') && scripts.has('Latin') && scripts.size === 2;
    if (scripts.size > 1 && !isEastAsian) return 'it mixes the letters of two scripts in one word';
    foreign.push(...letters.filter((one) => scriptOf(one) !== 'Latin'));
  }
  return foreign.length > 0 && foreign.every((one) => LOOKS_LATIN.has(one))
    ? 'all its letters look like those of another script'
    : undefined;
}

function scriptOf(letter: string): string | undefined {
  if (/[a-z]/.test(letter)) return 'Latin';
  return SCRIPTS.find(([, pattern]) => pattern.test(letter))?.[0];
}
