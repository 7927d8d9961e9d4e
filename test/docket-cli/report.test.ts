import { docketId } from '../../src/core/index.ts';
import { describe, expect, it } from 'vitest';
import { reportCsv } from '../../src/dockets/acts/report-csv.ts';
import { reportPdf } from '../../src/dockets/acts/report-pdf.ts';
import { instant } from '../../src/core/time.ts';
import type { ReportRow } from '../../src/dockets/rules/docket/report.ts';
import { pdfTexts } from './pdf-text.ts';

const ROW: ReportRow = {
  docket: docketId('fwo1-1'),
  applicationNumber: '18/300101',
  client: 'Northwind',
  matter: 'NW-0101',
  office: 'US',
  eventCode: 'CTNF',
  title: 'Non-final rejection',
  rule: 'US-OA-RESPONSE',
  soft: '2027-02-01',
  due: '2027-02-02',
  final: '2027-05-03',
  owner: 'moreau',
  state: 'confirmed',
  mark: 'open',
  unverified: [],
  labels: { classification: [], privilege: ['attorney-client'] },
  isConfidential: true,
};

const HEADING = { tenant: 'main', viewer: 'Claire Moreau', at: instant(Date.UTC(2026, 10, 15)) };

describe('the report as a table', () => {
  it('has due, final and soft date, owner, mark and the reasons of an unverified date', () => {
    const [head = '', row = ''] = reportCsv([{ ...ROW, unverified: ['confidence low'] }]).split(
      '\r\n',
    );
    expect(head.split(',').slice(0, 6)).toEqual([
      'due',
      'final',
      'soft',
      'owner',
      'mark',
      'unverified',
    ]);
    expect(row.split(',').slice(0, 6)).toEqual([
      '2027-02-02',
      '2027-05-03',
      '2027-02-01',
      'moreau',
      'open',
      'confidence low',
    ]);
  });

  it('gives a spreadsheet no formula to run', () => {
    const csv = reportCsv([{ ...ROW, title: '=HYPERLINK("http://x")', client: '@SUM(1)' }]);
    expect(csv).toContain("'=HYPERLINK");
    expect(csv).toContain("'@SUM(1)");
  });
});

describe('the report on paper', () => {
  it('is the same bytes for the same rows at the same moment', async () => {
    const [one, two] = await Promise.all([reportPdf([ROW], HEADING), reportPdf([ROW], HEADING)]);
    expect(Buffer.compare(one, two)).toBe(0);
    const later = await reportPdf([ROW], { ...HEADING, at: instant(HEADING.at + 60_000) });
    expect(Buffer.compare(one, later)).not.toBe(0);
  });

  it('marks every date of an unverified row and says why; a verified row has no mark', async () => {
    const unverified = {
      ...ROW,
      docket: docketId('fwo1-2'),
      unverified: ['confidence low', 'closed day assumed'],
    };
    const [page = []] = pdfTexts(await reportPdf([unverified, ROW], HEADING));
    expect(page).toEqual(
      expect.arrayContaining(['2027-02-02 *', '2027-05-03 *', '2027-02-01 *', '* confidence low']),
    );
    expect(page.filter((text) => text === '2027-02-02')).toHaveLength(1);
    expect(page).toContain('* closed day assumed');
  });

  it('shows a docket without a date and without an owner as what it is', async () => {
    const { due: _due, final: _final, soft: _soft, owner: _owner, ...rest } = ROW;
    const lost: ReportRow = {
      ...rest,
      due: undefined,
      final: undefined,
      soft: undefined,
      owner: undefined,
      mark: 'undated',
      unverified: ['the record could not be read'],
    };
    const [page = []] = pdfTexts(await reportPdf([lost], HEADING));
    expect(page).toEqual(expect.arrayContaining(['not known *', 'none yet']));
  });

  it('goes over as many pages as it needs, each with its head and number, and loses no row', async () => {
    const rows = Array.from({ length: 150 }, (_, n) => ({
      ...ROW,
      docket: docketId(`fwo1-${n}`),
      applicationNumber: `18/${300_000 + n}`,
      unverified: n % 3 === 0 ? ['a reason that takes a line of its own'] : [],
    }));
    const pages = pdfTexts(await reportPdf(rows, HEADING));
    expect(pages.length).toBeGreaterThan(3);
    const shown = pages.flat();
    for (const { applicationNumber } of rows) expect(shown).toContain(applicationNumber);
    pages.forEach((page, n) => {
      expect(page).toContain('Due');
      expect(page).toContain(`${n + 1} of ${pages.length}`);
    });
  });

  it('keeps a row on one page however long its words are, and the rows after it in their places', async () => {
    const long = {
      ...ROW,
      docket: docketId('a'),
      title: '特'.repeat(500),
      client: '許'.repeat(500),
    };
    const next = { ...ROW, docket: docketId('b'), due: '2027-03-03', title: 'The next one' };
    const pages = pdfTexts(await reportPdf([long, next], HEADING));
    expect(pages).toHaveLength(1);
    const [page = []] = pages;
    expect(page).toEqual(expect.arrayContaining(['2027-02-02', '2027-03-03', 'The next one']));
    // Each of the two long cells is cut where its box ends, with the ellipsis of the PDF's own alphabet.
    expect(page.filter((text) => text.endsWith('\u0085'))).toHaveLength(2);
  });

  it('shows a letter that its fonts lack by its code point, and never as another letter', async () => {
    const [page = []] = pdfTexts(await reportPdf([{ ...ROW, title: 'Zürich 拒' }], HEADING));
    expect(page.join(' ')).toContain('Zürich');
    expect(page.join(' ')).toContain('[U+62D2]');
  });
});
