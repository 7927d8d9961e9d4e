/** What every sheet of paper has in common: letters that its fonts know, and the bytes of the file. */
import { plainLines } from '../core/index.ts';

/**
 * The fonts that every reader has know Western European letters only. A letter that they lack is shown by its code
 * point rather than as a wrong one; the screen has it as it is.
 */
export function onPaper(text: string): string {
  return plainLines(text).replaceAll(
    /[^\n\x20-\x7e\u00a0-\u00ff\u2013\u2014\u2018\u2019\u201c\u201d\u2022\u2026\u20ac]/gu,
    (letter) => `[U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
  );
}

export function paperBytes(document: PDFKit.PDFDocument): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const parts: Uint8Array[] = [];
    document.on('data', (part: Uint8Array) => parts.push(part));
    document.on('end', () => resolve(Buffer.concat(parts)));
    document.on('error', reject);
  });
}
