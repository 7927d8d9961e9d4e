/** What can identify a payment, found in fields and in free text, the same way for every format. */
import { REFERENCE_CHARS_MAX, REFERENCES_MAX } from './limits.ts';

// Fillers that the standards ask for where there is no reference.
const FILLERS = new Set(['NONREF', 'NOTPROVIDED', 'NOT PROVIDED', 'NONE', 'N/A', 'UNKNOWN']);

// An ACH trace has fifteen digits; banks print it after one of these words.
const TRACE = /\b(?:TRN|TRACE(?: ?(?:NO|NUM|NUMBER|NBR|ID))?)[\s:#.]*(\d{15})(?!\d)/i;

// A word that may be a reference: at least one digit, four characters, nothing that only a sentence has.
const WORD = /[A-Z0-9](?:[A-Z0-9._/-]*[A-Z0-9])?/gi;
const WORD_CHARS_MIN = 4;
const AMOUNT = /^\d+\.\d{2}$/;

interface PaymentText {
  /** Fields that are references by definition, best first; fillers are dropped. */
  readonly fields: readonly (string | undefined)[];
  /**
   * Free text as the feed cut it. Nobody says whether a cut is between two words or inside one, so that both readings
   * are looked at.
   */
  readonly pieces: readonly string[];
}

interface PaymentReferences {
  readonly references: readonly string[];
  readonly trace: string | undefined;
  /** The text in one line, without the trace. */
  readonly text: string;
}

export function findReferences({ fields, pieces }: PaymentText): PaymentReferences {
  const spaced = oneLine(pieces.join(' '));
  const trace = TRACE.exec(spaced)?.[1] ?? TRACE.exec(oneLine(pieces.join('')))?.[1];
  const text = oneLine(spaced.replace(TRACE, ' '));
  const found = new Set<string>();
  const add = (word: string): void => {
    if (word !== trace && found.size < REFERENCES_MAX) found.add(word);
  };
  for (const field of fields) {
    const value = oneLine(field ?? '');
    if (value !== '' && !FILLERS.has(value.toUpperCase())) add(value);
  }
  for (const word of referenceWords(text)) add(word);
  for (const word of wordsAcrossCuts(pieces)) add(word);
  return { references: [...found], trace, text };
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function referenceWords(text: string): string[] {
  return (text.match(WORD) ?? []).filter(
    (word) =>
      word.length >= WORD_CHARS_MIN &&
      word.length <= REFERENCE_CHARS_MAX &&
      /\d/.test(word) &&
      !AMOUNT.test(word),
  );
}

function wordsAcrossCuts(pieces: readonly string[]): string[] {
  const words: string[] = [];
  for (let at = 1; at < pieces.length && words.length < REFERENCES_MAX; at += 1) {
    const last = pieces[at - 1] ?? '';
    // By place, not by an expression: one that looks for the last word takes the square of the length.
    const before = last.slice(last.lastIndexOf(' ') + 1);
    const after = (pieces[at] ?? '').split(' ', 1)[0] ?? '';
    if (before !== '' && after !== '') words.push(...referenceWords(before + after));
  }
  return words;
}
