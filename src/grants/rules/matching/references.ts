/** References as people and banks spell them, brought to one spelling. */
import { trimEndOf } from '../../../core/index.ts';
import type { BankLine } from './bank-line.ts';

/** What banks write where there is no reference. */
const NO_REFERENCE: ReadonlySet<string> = new Set(['NONREF', 'NOTPROVIDED', 'NONE', 'N/A']);
/** A shorter word inside free text is found by chance; as a reference field of its own it counts. */
const WORD_CHARACTERS_MIN = 4;
/** ISO 20022 and SWIFT have room for this much of a reference; banks cut the rest off. */
const FIELD_CHARACTERS = 35;
/** Words that are put together to find a reference with blanks in it, and what they must come to at least. */
const JOINED_WORDS_MAX = 8;
const JOINED_CHARACTERS_MIN = 6;
/** As a word of the feeds has at most. */
const JOINED_CHARACTERS_MAX = 64;

/** Upper case, and no blanks: payers leave some out, and banks put some in where their lines end. */
export function spelledReference(text: string): string {
  return text.replaceAll(/\s+/g, '').toUpperCase();
}

/** What is left of a reference that is too long for the field, cut before its blanks went or after. */
export function cutSpellings(reference: string): readonly string[] {
  if (reference.length <= FIELD_CHARACTERS) return [];
  const whole = spelledReference(reference);
  const cut = spelledReference(reference.slice(0, FIELD_CHARACTERS));
  const after = whole.slice(0, FIELD_CHARACTERS);
  return [...new Set([cut, after])].filter((spelling) => spelling !== whole && spelling !== '');
}

/** The references of the ledger by their number, found by what a bank may have left of them. */
export class KnownReferences {
  readonly #numbers = new Map<string, number>();
  /** Several references may have one beginning. */
  readonly #cut = new Map<string, Set<number>>();

  /** -1 for none. */
  add(reference: string | undefined): number {
    const spelling = reference === undefined ? '' : spelledReference(reference);
    if (reference === undefined || spelling === '') return -1;
    const number = this.#numbers.get(spelling) ?? this.#numbers.size;
    this.#numbers.set(spelling, number);
    for (const cut of cutSpellings(reference)) {
      this.#cut.set(cut, (this.#cut.get(cut) ?? new Set()).add(number));
    }
    return number;
  }

  find(spelling: string, found: Set<number>): void {
    const number = this.#numbers.get(spelling);
    if (number !== undefined) found.add(number);
    if (this.#cut.size === 0) return;
    for (const cut of this.#cut.get(spelling) ?? []) found.add(cut);
  }
}

type SaysReferences = Pick<BankLine, 'references' | 'description'>;

/** Numbers of the known references that a line names, ascending. Only where it names none are its words put together. */
export function mentionedReferences(
  line: SaysReferences,
  known: KnownReferences,
): readonly number[] {
  const found = new Set<number>();
  eachMention(line, (spelling) => known.find(spelling, found));
  if (found.size === 0) eachJoinedMention(line, (spelling) => known.find(spelling, found));
  return [...found].sort((one, other) => one - other);
}

/** Everything in a line that could be a reference by itself, in its one spelling. */
export function eachMention(line: SaysReferences, look: (spelling: string) => void): void {
  for (const reference of line.references) {
    const spelling = spelledReference(reference);
    if (spelling === '' || NO_REFERENCE.has(spelling)) continue;
    look(spelling);
    if (/[\s/]/.test(reference.trim())) lookAtWords(reference, look);
  }
  const { description } = line;
  if (description === undefined) return;
  const text = description.trim();
  if (/[\s/]/.test(text)) lookAtWords(text, look);
  else look(text.toUpperCase());
}

/** A slash may be part of a reference, or stand between it and other words. */
function lookAtWords(text: string, look: (word: string) => void): void {
  for (const word of wordsOf(text)) {
    if (word.length < WORD_CHARACTERS_MIN) continue;
    look(word);
    if (!word.includes('/')) continue;
    for (const part of word.split('/')) if (part.length >= WORD_CHARACTERS_MIN) look(part);
  }
}

/** The end of a sentence is not part of a reference, nor is the label that a bank puts before it, as in EREF+. */
function wordsOf(text: string): readonly string[] {
  return text
    .toUpperCase()
    .split(/\s+/)
    .map((word) => trimEndOf(word.replace(/^[A-Z]{4}\+/, ''), '.,;:'));
}

/** Neighbouring words as one: a reference that has blanks in it, in the ledger or at the bank. */
export function eachJoinedMention(line: SaysReferences, look: (spelling: string) => void): void {
  const texts = line.description === undefined ? [] : [line.description];
  for (const text of [...line.references, ...texts]) {
    if (!/\s/.test(text)) continue;
    const words = wordsOf(text);
    for (let first = 0; first + 1 < words.length; first += 1) {
      let joined = words[first] ?? '';
      for (let at = first + 1; at < words.length && at - first < JOINED_WORDS_MAX; at += 1) {
        joined += words[at] ?? '';
        if (joined.length > JOINED_CHARACTERS_MAX) break;
        if (joined.length >= JOINED_CHARACTERS_MIN) look(joined);
      }
    }
  }
}

/**
 * Whether what a line names speaks against a reference that it does not name. A bare number may be anything, such as the
 * bank's own or the payer's: it counts only where the reference is a bare number as well.
 */
export function namesAnother(line: SaysReferences, reference: string): boolean {
  return contradicting(line, reference) !== undefined;
}

/** The first that speaks against it. */
export function contradicting(
  { references, description = '' }: SaysReferences,
  reference: string,
): string | undefined {
  const isNumber = isBareNumber(spelledReference(reference));
  const text = description.toUpperCase();
  const joined = spelledReference(description);
  return references.find((one) => {
    const spelling = spelledReference(one);
    if (spelling === '' || NO_REFERENCE.has(spelling)) return false;
    // Two words that the reader has tried as one, because the bank's line ended between them.
    if (!text.includes(one.toUpperCase()) && joined.includes(spelling)) return false;
    return isNumber || !isBareNumber(spelling);
  });
}

function isBareNumber(spelling: string): boolean {
  return !/\p{L}/u.test(spelling);
}
