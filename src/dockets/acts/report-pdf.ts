/**
 * The docket report on paper. The same rows at the same moment give the same bytes: the only date in the file is the
 * one of the report, and nothing is drawn from a system font.
 */
import { type Instant, toRfc3339 } from '../../core/index.ts';
import { onPaper, paperBytes } from '../../system/index.ts';
import { groupsOf, type ReportPart, type ReportRow } from '../rules/docket/report.ts';

interface ReportHeading {
  readonly tenant: string;
  /** Whose view it is. */
  readonly viewer: string;
  readonly at: Instant;
  /** US Letter by default. */
  readonly paper?: 'letter' | 'a4';
  /** A part for each attorney or client, with its own heading. */
  readonly by?: ReportPart;
  /** For the title, as in "due before 2027-02-08". */
  readonly span?: string;
}

/** The columns were drawn for A4; on narrower paper all of them are narrower. */
const COLUMNS_WIDTH = 770;

const MARGIN = 36;
const TEXT_SIZE = 8;
const LINE = 11;
const ROW_GAP = 4;
/** Higher than any row that people write; what goes on is cut with an ellipsis, so that a row never leaves its page. */
const CELL_HEIGHT_MAX = 120;
/** Room for the page number. */
const FOOT = 24;

interface Column {
  readonly head: string;
  readonly width: number;
  readonly of: (row: ReportRow) => string;
}

/** A date that is not verified has the mark right behind it, so that nobody reads one without the other. */
const dated = (row: ReportRow, day: string | undefined): string =>
  day === undefined ? '' : row.unverified.length === 0 ? day : `${day} *`;

const COLUMNS: readonly Column[] = [
  {
    head: 'Due',
    width: 62,
    of: (row) => (row.due === undefined ? 'not known *' : dated(row, row.due)),
  },
  { head: 'Final', width: 62, of: (row) => dated(row, row.final) },
  { head: 'Soft', width: 62, of: (row) => dated(row, row.soft) },
  { head: 'Owner', width: 80, of: (row) => row.owner ?? 'none yet' },
  { head: 'Office', width: 34, of: (row) => row.office ?? '?' },
  { head: 'Application', width: 78, of: (row) => row.applicationNumber ?? '?' },
  { head: 'Event', width: 88, of: (row) => row.eventCode },
  {
    head: 'Client, matter',
    width: 96,
    of: (row) => [row.client, row.matter].filter(Boolean).join(', '),
  },
  { head: 'Title', width: 130, of: (row) => row.title ?? '' },
  {
    head: 'State',
    width: 76,
    of: (row) => `${row.state}${row.mark === 'open' ? '' : `, ${row.mark}`}`,
  },
];

export async function reportPdf(
  rows: readonly ReportRow[],
  heading: ReportHeading,
): Promise<Uint8Array> {
  // Loaded here: it is large, and few commands write on paper.
  const { default: PDFDocument } = await import('pdfkit');
  const document = new PDFDocument({
    size: heading.paper === 'a4' ? 'A4' : 'LETTER',
    layout: 'landscape',
    margin: MARGIN,
    bufferPages: true,
    info: {
      Title: 'Docket report',
      Author: 'Filewright',
      CreationDate: new Date(heading.at),
      ModDate: new Date(heading.at),
    },
  });
  const bytes = paperBytes(document);
  const page = new Page(document);
  page.title(rows.length, heading);
  if (rows.length === 0) page.note('No open dockets.');
  const parts = heading.by === undefined ? [{ name: undefined, rows }] : groupsOf(rows, heading.by);
  for (const part of parts) {
    if (part.name !== undefined) page.part(`${part.name}: ${part.rows.length}`);
    for (const row of part.rows) page.row(row);
  }
  page.numbers();
  document.end();
  return bytes;
}

class Page {
  readonly #document: PDFKit.PDFDocument;
  #y = MARGIN;
  #due: string | undefined;

  constructor(document: PDFKit.PDFDocument) {
    this.#document = document;
  }

  title(count: number, { tenant, viewer, at, by, span }: ReportHeading): void {
    const parts = by === undefined ? '' : ` by ${by}`;
    const title = `Docket report${parts}${span === undefined ? '' : `, ${span}`}`;
    this.#text(title, { bold: true, size: 14 });
    this.#y += 8;
    this.#text(`${tenant}, as visible to ${viewer}, ${toRfc3339(at)}, ${count} open dockets`);
    this.#text('* Not verified; the reason is below the row. Sorted by due date, then owner.');
    this.#y += ROW_GAP;
    this.#head();
  }

  note(text: string): void {
    this.#text(text);
  }

  /** Never alone at the foot of a page. */
  part(name: string): void {
    if (this.#y + 4 * LINE > this.#bottom) this.#turn();
    this.#y += ROW_GAP;
    this.#text(name, { bold: true, size: 10 });
    this.#y += ROW_GAP;
    this.#due = undefined;
  }

  row(row: ReportRow): void {
    const document = this.#document.font('Helvetica').fontSize(TEXT_SIZE);
    const cells = COLUMNS.map((column) => ({
      width: column.width * this.#scale,
      text: onPaper(column.of(row)),
    }));
    const heights = cells.map(({ text, width }) =>
      Math.min(
        CELL_HEIGHT_MAX,
        document.heightOfString(text === '' ? ' ' : text, { width: width - 4 }),
      ),
    );
    const reasons = onPaper(row.unverified.map((why) => `* ${why}`).join('\n'));
    const reasonHeight =
      reasons === ''
        ? 0
        : Math.min(CELL_HEIGHT_MAX, document.heightOfString(reasons, { width: this.#width - 20 }));
    const height = Math.max(LINE, ...heights) + reasonHeight + ROW_GAP;
    if (this.#y + height > this.#bottom) this.#turn();
    // A thin line between two due dates: the report is read by day.
    if (this.#due !== undefined && this.#due !== row.due) this.#rule();
    this.#due = row.due ?? '';
    let x = MARGIN;
    for (const { text, width } of cells) {
      const box = { width: width - 4, height: CELL_HEIGHT_MAX, ellipsis: true };
      document.text(text, x, this.#y, { ...box, lineBreak: true });
      x += width;
    }
    if (reasons !== '') {
      document
        .font('Helvetica-Oblique')
        .text(reasons, MARGIN + 20, this.#y + Math.max(LINE, ...heights), {
          width: this.#width - 20,
          height: CELL_HEIGHT_MAX,
          ellipsis: true,
        });
    }
    this.#y += height;
  }

  /** At the end, when it is known how many there are. */
  numbers(): void {
    const { start, count } = this.#document.bufferedPageRange();
    for (let n = 0; n < count; n += 1) {
      this.#document.switchToPage(start + n);
      // Above the margin: text that reaches into it would start a page of its own.
      const y = this.#document.page.height - MARGIN - LINE;
      this.#document
        .font('Helvetica')
        .fontSize(TEXT_SIZE)
        .text(`${n + 1} of ${count}`, MARGIN, y, {
          width: this.#width,
          align: 'right',
          lineBreak: false,
        });
    }
  }

  get #scale(): number {
    return Math.min(1, this.#width / COLUMNS_WIDTH);
  }

  get #width(): number {
    return this.#document.page.width - 2 * MARGIN;
  }

  get #bottom(): number {
    return this.#document.page.height - MARGIN - FOOT;
  }

  #turn(): void {
    this.#document.addPage();
    this.#y = MARGIN;
    this.#due = undefined;
    this.#head();
  }

  #head(): void {
    const document = this.#document.font('Helvetica-Bold').fontSize(TEXT_SIZE);
    let x = MARGIN;
    for (const { head, width } of COLUMNS) {
      document.text(head, x, this.#y, { width: width * this.#scale - 4, lineBreak: false });
      x += width * this.#scale;
    }
    this.#y += LINE;
    this.#rule();
  }

  #rule(): void {
    const y = this.#y - ROW_GAP / 2;
    this.#document
      .lineWidth(0.3)
      .moveTo(MARGIN, y)
      .lineTo(MARGIN + this.#width, y)
      .stroke();
  }

  #text(text: string, style: { readonly bold?: boolean; readonly size?: number } = {}): void {
    const { bold = false, size = TEXT_SIZE } = style;
    this.#document
      .font(bold ? 'Helvetica-Bold' : 'Helvetica')
      .fontSize(size)
      .text(onPaper(text), MARGIN, this.#y, { width: this.#width });
    this.#y += LINE;
  }
}
