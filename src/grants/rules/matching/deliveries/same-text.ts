/** What two lines say in words, for telling whether they are one entry. */
import type { BankLine } from '../bank-line.ts';

/** Numbers that a bank writes where it has none. */
const FILLER = /^(?:0+|9+|NONREF|NOTPROVIDED|NOT PROVIDED|NONE|N\/A|UNKNOWN|[-.*]+)$/i;

/** The bank's number, where it is one. */
export function ownNumber({ nativeId }: BankLine): string | undefined {
  return nativeId === undefined || FILLER.test(nativeId) ? undefined : nativeId;
}

const known = new WeakMap<BankLine, string>();

/** Everything that is said, in one spelling; empty where nothing is. Asked for often, and so made once for each line. */
export function wordsOf(line: BankLine): string {
  const made = known.get(line) ?? madeOf(line);
  known.set(line, made);
  return made;
}

function madeOf({ counterparty, description, references }: BankLine): string {
  const words = [counterparty ?? '', description ?? '', ...references].join(' ');
  return words.replaceAll(/\s+/g, ' ').trim().toUpperCase();
}
