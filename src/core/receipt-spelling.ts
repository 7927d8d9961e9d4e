/** When two numbers that people copied from an office are one. Pure. */
import { lettersOf } from './letters.ts';

/**
 * The same for all spellings of one number: case, blanks and signs between letters, and what a hand or a scan mistakes for each
 * other (O and 0, I, L and 1). A sign between two digits stays one, because 1-11 and 11-1 are two numbers.
 */
export function receiptSpelling(receipt: string): string {
  return lettersOf(receipt)
    .text.replaceAll('o', '0')
    .replaceAll(/[il]/g, '1')
    .replaceAll(/(?<=[0-9])[^\p{L}\p{N}]+(?=[0-9])/gu, '-')
    .replaceAll(/(?<![0-9])[^\p{L}\p{N}]+|[^\p{L}\p{N}]+(?![0-9])/gu, '');
}
