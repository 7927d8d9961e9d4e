/** The texts that a PDF of ours draws, page by page: enough to read a report back without a viewer. */
import { inflateSync } from 'node:zlib';

export function pdfTexts(bytes: Uint8Array): string[][] {
  const file = Buffer.from(bytes).toString('latin1');
  const pages: string[][] = [];
  for (const { 1: body = '' } of file.matchAll(/stream\r?\n([^]*?)\r?\nendstream/g)) {
    const drawn = inflated(body);
    if (!drawn.includes('TJ')) continue;
    pages.push(
      [...drawn.matchAll(/\[([^\]]*)\] TJ/g)].map(([, shown = '']) =>
        [...shown.matchAll(/<([0-9a-f]*)>/g)]
          .map(([, hex = '']) => Buffer.from(hex, 'hex').toString('latin1'))
          .join(''),
      ),
    );
  }
  return pages;
}

function inflated(body: string): string {
  try {
    return inflateSync(Buffer.from(body, 'latin1')).toString('latin1');
  } catch {
    // Not compressed: a stream of another kind.
    return '';
  }
}
