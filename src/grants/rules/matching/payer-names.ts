/**
 * Payers as the books and the banks spell them. Case, accents, marks, blanks, articles and legal forms say nothing about who
 * somebody is; every other letter does.
 */

/** A name in the spellings under which it may be found; two names are one where they share a spelling. */
export interface PayerName {
  /** One, or more where a letter is written in more ways: ü as ue and as u. Letters and digits only. */
  readonly spellings: readonly string[];
  /** The same words with blanks around each, to be looked for in a text. */
  readonly words: readonly string[];
  /** With its legal form, for names that a bank has cut. */
  readonly wholes: readonly string[];
}

/** Banks cut names at 32 (OFX), 35 or more characters; a shorter one is whole. */
const CUT_CHARACTERS_MIN = 32;
/** As much of a cut name as is looked up; the rest is compared. */
const BEGINNING_CHARACTERS = 20;

const DROPPED: ReadonlySet<string> = new Set(['the', 'and']);
const LEGAL_FORMS: ReadonlySet<string> = new Set(
  'inc incorporated llc corp corporation co company ltd limited lp llp pllc pc plc gmbh ev ag sa na'.split(
    ' ',
  ),
);

const WRITTEN_OUT: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe' };
// Letters that no decomposition takes apart.
const ONE_WAY: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
};

export function payerName(name: string): PayerName {
  const texts = lettersOf(name);
  const words = texts.map((text) => wordsOf(text));
  const bare = words.map((list) => withoutForms(list));
  return {
    spellings: once(bare.map((list) => list.join(''))),
    words: once(bare.map((list) => ` ${list.join(' ')} `)),
    wholes: once(words.map((list) => list.join(''))),
  };
}

/** Whether two names are one; `mayBeCut` where the first comes from a field that may have cut it. */
export function isSamePayer(bank: PayerName, books: PayerName, mayBeCut: boolean): boolean {
  if (bank.spellings.some((spelling) => spelling !== '' && books.spellings.includes(spelling))) {
    return true;
  }
  return (
    mayBeCut &&
    bank.wholes.some(
      (cut) =>
        cut.length >= BEGINNING_CHARACTERS && books.wholes.some((whole) => whole.startsWith(cut)),
    )
  );
}

export function mayBeCut(name: string): boolean {
  return name.length >= CUT_CHARACTERS_MIN;
}

/** Keys under which a payer of the books is found. */
export function keysOfBooks({ spellings, wholes }: PayerName): readonly string[] {
  return [...spellings, ...beginnings(wholes)];
}

/** Keys under which a payer whom a bank names is looked for. */
export function keysOfBank({ spellings, wholes }: PayerName, isCut: boolean): readonly string[] {
  return isCut ? [...spellings, ...beginnings(wholes)] : spellings;
}

function beginnings(wholes: readonly string[]): readonly string[] {
  return once(
    wholes
      .filter((whole) => whole.length >= BEGINNING_CHARACTERS)
      .map((whole) => `${whole.slice(0, BEGINNING_CHARACTERS)}…`),
  );
}

/** A text in which names are looked for as whole words. */
export function textOfNames(text: string): readonly string[] {
  return once(lettersOf(text).map((letters) => ` ${wordsOf(letters).join(' ')} `));
}

export function isNamedIn(texts: readonly string[], { words }: PayerName): boolean {
  return words.some((name) => name.trim() !== '' && texts.some((text) => text.includes(name)));
}

/** In small letters without accents; once more where some write out one of them as two letters. */
function lettersOf(name: string): readonly string[] {
  const small = name.toLowerCase();
  // Nearly all names.
  if (!/[^ -~]/.test(small)) return [small];
  const composed = small.normalize('NFC');
  const writtenOut = composed.replaceAll(/[äöüø]/g, (letter) => WRITTEN_OUT[letter] ?? letter);
  return once([composed, writtenOut, writtenOut.replaceAll('å', 'aa')].map(baseLetters));
}

function baseLetters(text: string): string {
  return text
    .replaceAll(/[ßæœøłđðþ]/g, (letter) => ONE_WAY[letter] ?? letter)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '');
}

/** A dot or an apostrophe stands inside a word, any other mark between two. */
function wordsOf(letters: string): readonly string[] {
  const words = letters
    .replaceAll(/[.'’‘`´]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const kept = words.filter((word) => !DROPPED.has(word));
  return kept.length > 0 ? kept : words;
}

/** Without the forms at the end; a name of nothing else keeps them. */
function withoutForms(words: readonly string[]): readonly string[] {
  let end = words.length;
  while (end > 1 && LEGAL_FORMS.has(words[end - 1] ?? '')) end -= 1;
  return words.slice(0, end);
}

function once(texts: readonly string[]): readonly string[] {
  return texts.length < 2 ? texts : [...new Set(texts)];
}

/** Payers come back all year: each name is taken apart once. */
export class PayerNames {
  readonly #known = new Map<string, PayerName>();

  of(name: string): PayerName {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    if (this.#known.size >= NAMES_MAX) this.#known.clear();
    const made = payerName(name);
    this.#known.set(name, made);
    return made;
  }
}

/** A bound for books in which every name is another one. */
const NAMES_MAX = 10_000;
