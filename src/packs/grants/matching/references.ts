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

/** Numbers of the known references that a line names in its reference fields or as whole words of its texts. */
export function mentionedReferences(
  line: Pick<BankLine, 'references' | 'description'>,
  numbers: ReadonlyMap<string, number>,
): { readonly references: readonly number[]; readonly saysReference: boolean } {
  const found = new Set<number>();
  let saysReference = false;
  const look = (spelling: string): void => {
    const number = numbers.get(spelling);
    if (number !== undefined) found.add(number);
  };
  for (const reference of line.references) {
    const spelling = normalised(reference);
    if (spelling === '' || NO_REFERENCE.has(spelling)) continue;
    saysReference = true;
    look(spelling);
    lookAtWords(spelling, look);
  }
  if (line.description !== undefined) lookAtWords(normalised(line.description), look);
  const references = [...found].sort((one, other) => one - other);
  return { references, saysReference: saysReference || references.length > 0 };
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
