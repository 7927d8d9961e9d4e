/** Lines of text on paper, as they stand on the screen: Letter, in a face in which columns stay columns. */
import { onPaper, paperBytes } from '../system/index.ts';

const MARGIN = 40;

/** The same moment gives the same bytes. */
export async function linesPdf(
  lines: readonly string[],
  title: string,
  madeAt: number,
): Promise<Uint8Array> {
  // Loaded here: it is large, and few commands write on paper.
  const { default: PDFDocument } = await import('pdfkit');
  const at = new Date(madeAt);
  const document = new PDFDocument({
    size: 'LETTER',
    layout: 'landscape',
    margin: MARGIN,
    info: { Title: title, Author: 'Filewright', CreationDate: at, ModDate: at },
  });
  const bytes = paperBytes(document);
  document.font('Courier').fontSize(8);
  // A space keeps the height of an empty line.
  for (const line of lines) document.text(onPaper(line === '' ? ' ' : line));
  document.end();
  return bytes;
}
