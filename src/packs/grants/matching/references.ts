/** References as people and banks spell them, brought to one spelling. */
import type { BankLine } from './bank-line.ts';

/** What banks write where there is no reference. */
const NO_REFERENCE: ReadonlySet<string> = new Set(['NONREF', 'NOTPROVIDED', 'NONE', 'N/A']);
/** A shorter word inside free text is found by chance; as a reference field of its own it counts. */
const WORD_CHARACTERS_MIN = 4;

/** Upper case and single spaces; everything else is part of the reference. */
export function normalised(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').toUpperCase();
}

type SaysReferences = Pick<BankLine, 'references' | 'description'>;

/** Numbers of the known references that a line names in its reference fields or as whole words of its texts. */
export function mentionedReferences(
  line: SaysReferences,
  numbers: ReadonlyMap<string, number>,
): { readonly references: readonly number[]; readonly saysReference: boolean } {
  const found = new Set<number>();
  const saysReference = eachMention(line, (spelling) => {
    const number = numbers.get(spelling);
    if (number !== undefined) found.add(number);
  });
  const references = [...found].sort((one, other) => one - other);
  return { references, saysReference: saysReference || references.length > 0 };
}

/** Everything in a line that could be a reference, in its one spelling; whether a field of the line says any at all. */
export function eachMention(line: SaysReferences, look: (spelling: string) => void): boolean {
  let saysReference = false;
  for (const reference of line.references) {
    const spelling = normalised(reference);
    if (spelling === '' || NO_REFERENCE.has(spelling)) continue;
    saysReference = true;
    // One word is looked at as a word below.
    if (spelling.includes(' ')) look(spelling);
    lookAtWords(spelling, look);
  }
  if (line.description !== undefined) lookAtWords(normalised(line.description), look);
  return saysReference;
}

function lookAtWords(text: string, look: (word: string) => void): void {
  if (!text.includes(' ')) {
    look(text);
    return;
  }
  for (const word of text.split(' ')) {
    // The end of a sentence is not part of a reference.
    const bare = word.replace(/[.,;:]+$/, '');
    if (bare.length >= WORD_CHARACTERS_MIN) look(bare);
  }
}

/** Whether the payer's name stands in a text as whole words. */
export function namesPayer(text: string, payer: string): boolean {
  if (payer === '') return false;
  return ` ${normalised(text)} `.includes(` ${payer} `);
}
