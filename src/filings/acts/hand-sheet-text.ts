/** The sheet as lines, for a terminal and for paper: the same words in the same order. */
import type { HandSheet, SheetLine } from './hand-sheet.ts';
import { shownTime } from '../../core/index.ts';
import { SHEET_AUTHOR } from '../rules/confirmation.ts';
import { onPaper, paperBytes } from '../../system/index.ts';

interface SheetPart {
  readonly title: string;
  readonly lines: readonly SheetLine[];
}

function partsOf(sheet: HandSheet): readonly SheetPart[] {
  const { filing, state, zone, kinds, assumed } = sheet;
  const line = (label: string, value: string | undefined): SheetLine[] =>
    value === undefined || value === '' ? [] : [{ label, value }];
  const time = (at: number): string => shownTime(at, zone);
  const kind = kinds.map(({ name, appliesTo }) => `${name} (${appliesTo})`);
  return [
    {
      title: `${filing.entityId}, ${filing.jurisdiction}`,
      lines: [
        ...line('Filing', filing.id),
        ...line('Office', sheet.office),
        ...line('Page', sheet.page),
        ...line('Start by', `${time(sheet.lastSafe)} (last safe time)`),
        ...line('Due', time(sheet.due)),
        ...line(
          'Yours until',
          state.kind === 'taken' ? `${time(state.until)} (${state.name})` : undefined,
        ),
        ...line('Form', [...new Set(kind)].join('; ')),
      ],
    },
    { title: 'Type this', lines: sheet.fields },
    {
      title: 'Approved besides',
      lines: sheet.more.map((one) => ({ ...one, label: nameOf(one.label) })),
    },
    {
      title: 'Pay',
      lines: [
        ...line('Fee', sheet.fee ?? 'none was approved'),
        ...line('Reference', sheet.reference),
      ],
    },
    {
      title: 'Known of this form',
      lines: kinds.flatMap(({ appliesTo, fee, window, citation, verified }) =>
        line(appliesTo, [fee, window, citation, `source: ${verified}`].filter(Boolean).join('; ')),
      ),
    },
    { title: 'Not verified', lines: assumed.map((value) => ({ label: '-', value })) },
  ].filter(({ lines }) => lines.length > 0);
}

/** `/fields/signatory` reads as it stood in the file: signatory. */
function nameOf(pointer: string): string {
  return pointer
    .replace(/^\/(?:fields\/)?/, '')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
}

export function sheetText(sheet: HandSheet): string {
  return partsOf(sheet)
    .map(({ title, lines }) => {
      const width = Math.min(24, Math.max(...lines.map(({ label }) => label.length)));
      return [
        title,
        ...lines.map(
          ({ label, value, note }) =>
            `  ${label.padEnd(width)}  ${value.replaceAll('\n', `\n  ${' '.repeat(width)}  `)}${note === undefined ? '' : `  (${note})`}`,
        ),
      ].join('\n');
    })
    .join('\n\n');
}

const MARGIN = 50;
const LABEL = 130;

/** The same moment gives the same bytes. */
export async function sheetPdf(sheet: HandSheet, madeAt: number): Promise<Uint8Array> {
  // Loaded here: it is large, and few commands write on paper.
  const { default: PDFDocument } = await import('pdfkit');
  const at = new Date(madeAt);
  const document = new PDFDocument({
    size: 'LETTER',
    margin: MARGIN,
    info: {
      Title: `Filing ${sheet.filing.id}`,
      Author: SHEET_AUTHOR,
      CreationDate: at,
      ModDate: at,
    },
  });
  const bytes = paperBytes(document);
  const width = document.page.width - 2 * MARGIN;
  for (const { title, lines } of partsOf(sheet)) {
    document
      .moveDown(0.6)
      .font('Helvetica-Bold')
      .fontSize(12)
      .text(onPaper(title), MARGIN, document.y, { width });
    for (const { label, value, note } of lines) {
      const text = onPaper(note === undefined ? value : `${value}  (${note})`);
      document.font('Helvetica').fontSize(10);
      const height = document.heightOfString(text, { width: width - LABEL });
      if (document.y + height > document.page.height - MARGIN) document.addPage();
      const y = document.y + 2;
      document.fillColor('#555').text(onPaper(label), MARGIN, y, { width: LABEL - 10 });
      const below = document.y;
      document.fillColor('black').text(text, MARGIN + LABEL, y, { width: width - LABEL });
      document.y = Math.max(below, document.y);
    }
  }
  document.end();
  return bytes;
}
