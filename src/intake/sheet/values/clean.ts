/** Cells as they come out of spreadsheets and web pages: spaces that do not break, characters without width. Pure. */

const SPACES = /[\u00a0\u2007\u202f\u2000-\u200a\u3000]/g;
const NO_WIDTH = /[\u200b-\u200d\u2060\ufeff\u00ad]/g;

/** A text that only describes: what cannot be seen is taken off its ends, and the rest is left as it is. */
export function edgesOff(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isUnseen(text.charAt(start))) start += 1;
  while (end > start && isUnseen(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isUnseen(character: string): boolean {
  return character.trim() === '' || /[\u200b-\u200d\u2060]/.test(character);
}

/** A code, a number, a date: spaces are spaces, digits are 0 to 9, whatever width they were typed in. */
export function plainCell(text: string): string {
  return text.replaceAll(NO_WIDTH, '').replaceAll(SPACES, ' ').normalize('NFKC').trim();
}
