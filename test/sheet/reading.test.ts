/**
 * A paralegal's own table is read as she means it, or she is asked; it is never guessed at. The adversary is a spreadsheet
 * program, twenty years of habits, and a file that was made to harm.
 */
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { xlsxFile, zipped } from '../fixtures/xlsx-file.ts';
import { column, SAVED_AS, saved, Tables } from './tables.ts';

const tables = new Tables();
afterAll(() => tables.close());

const HEAD = 'jurisdiction,registry_number,entity_name,filing_kind,period,due,fee';
const row = (changes: {
  due?: string;
  fee?: string;
  number?: string;
  state?: string;
  name?: string;
}): string =>
  [
    changes.state ?? 'US-NV',
    changes.number ?? 'E1',
    `"${changes.name ?? 'Größe'}"`,
    'annual_report',
    '2027',
    `"${changes.due ?? '2027-03-01'}"`,
    `"${changes.fee ?? '50'}"`,
  ].join(',');
const table = (...rows: string[]): string => `${[HEAD, ...rows].join('\n')}\n`;
const dues = (...all: string[]): string => table(...all.map((due) => row({ due })));
const fees = (...all: string[]): string => table(...all.map((fee) => row({ fee })));

describe('how a table was saved', () => {
  it.each(SAVED_AS)('is found out and named: %s', async (as) => {
    const read = await tables.read(saved(table(row({ name: 'Größe Café' })), as));
    expect(column(read, 'entity_name')).toEqual(['Größe Café']);
    expect(read.report.form[0]?.toLowerCase().replace(' ', '-')).toContain(as.slice(0, 5));
  });

  it.each([',', ';', '\t', '|'])('with columns between "%s"', async (sign) => {
    const text = `${HEAD.replaceAll(',', sign)}\nUS-NV${sign}E1${sign}"A, B; C|D"${sign}annual_report${sign}2027${sign}2027-03-01${sign}50\n`;
    const read = await tables.read(text);
    expect(column(read, 'entity_name')).toEqual(['A, B; C|D']);
  });

  it('a text in two encodings is not taken for the one in which every byte is a character', async () => {
    const bytes = Buffer.concat([
      Buffer.from(table(row({ name: 'Größe' }))),
      Buffer.from(`${row({ name: 'Caf\xe9' })}\n`, 'latin1'),
    ]);
    const { rows, report } = await tables.read(bytes);
    expect(report.form[0]).toBe('UTF-8');
    expect(rows.map((one) => one.kind)).toEqual(['row', 'fault']);
  });
});

describe('what stands around the rows', () => {
  it('a title above the header and a total below are left out, and told', async () => {
    const text = `Annual filings,,,,,,\n,,,,,,\n${table(row({}))}Total,,,,,,50\n`;
    const { rows, report } = await tables.read(text);
    expect(rows).toHaveLength(1);
    expect(report.remarks.join()).toContain('The header is in line 3');
    expect(report.skipped()).toEqual({ count: 1, first: [{ line: 5, why: 'looks like a total' }] });
  });

  it('a company that is called Total is a company', async () => {
    const { rows } = await tables.read(table(row({ name: 'Total Wine LLC' })));
    expect(rows).toHaveLength(1);
  });

  it('a column that is not ours is not read, unless it is chosen', async () => {
    const text = `${HEAD},Notes\n${row({})},call Bob\n`;
    const without = await tables.read(text);
    expect(Object.keys(Object(without.rows[0]).row)).not.toContain('Notes');
    const { rows } = await tables.read(text, { extra: ['Notes'] });
    expect(Object(rows[0]).row.Notes).toBe('call Bob');
  });
});

describe('columns under other names', () => {
  const text =
    'Entity Name,State,File No.,Filing Type,Year,Due Date,Fee Amount\nAlder,Nevada,E1,Annual Report,2027,2027-03-01,$225.00\n';

  it('are a proposal that stops the import until it is accepted', async () => {
    await expect(tables.read(text)).rejects.toMatchObject({ code: 'SHEET_UNCLEAR' });
    const read = await tables.read(text, { acceptMap: true });
    expect(Object(read.rows[0]).row).toEqual({
      entity_name: 'Alder',
      jurisdiction: 'US-NV',
      registry_number: 'E1',
      filing_kind: 'annual_report',
      period: '2027',
      due: '2027-03-01',
      fee: '225.00',
    });
  });

  it('are certain where a person confirmed them, and asked about again where the table is another', async () => {
    const { report } = await tables.read(text, { acceptMap: true });
    const confirmed = report.accepted?.columns;
    expect(Object.values(confirmed ?? {})).not.toContain(null);
    await expect(tables.read(text, {}, confirmed)).resolves.toMatchObject({ rows: [{}] });
    const other = text.replace('Due Date', 'Deadline');
    await expect(tables.read(other, {}, confirmed)).rejects.toMatchObject({
      code: 'SHEET_UNCLEAR',
    });
  });

  it('are taken as they are given; a name that is not there is an error', async () => {
    const mapping = { due: 'When' };
    const own = `${HEAD.replace('due', 'When')}\n${row({})}\n`;
    expect(column(await tables.read(own, { mapping }), 'due')).toEqual(['2027-03-01']);
    await expect(tables.read(own, { mapping: { due: 'Wann' } })).rejects.toMatchObject({
      code: 'USAGE',
    });
    await expect(tables.read(own, { mapping: { dew: 'When' } })).rejects.toMatchObject({
      code: 'USAGE',
    });
  });

  it('where one is needed and nothing is like it, the table is refused with what was found', async () => {
    const own = `${HEAD.replace(',period', '')}\n`;
    await expect(tables.read(own)).rejects.toThrow(/"period" is missing/);
  });
});

describe('dates', () => {
  it('are read in the order that the column itself proves', async () => {
    expect(column(await tables.read(dues('3/1/2027', '3/13/2027')), 'due')).toEqual([
      '2027-03-01',
      '2027-03-13',
    ]);
    expect(column(await tables.read(dues('3/1/2027', '13/3/2027')), 'due')).toEqual([
      '2027-01-03',
      '2027-03-13',
    ]);
  });

  it('are asked about once where nothing proves it, or where the column contradicts itself', async () => {
    await expect(tables.read(dues('3/1/2027', '4/1/2027'))).rejects.toMatchObject({
      asked: { dates: { column: 'due', letter: 'F', count: 2, isMixed: false } },
    });
    await expect(tables.read(dues('3/13/2027', '13/3/2027'))).rejects.toMatchObject({
      asked: { dates: { isMixed: true } },
    });
    const told = await tables.read(dues('3/13/2027', '13/3/2027'), { dates: 'month-first' });
    expect(column(told, 'due')).toEqual(['2027-03-13', '! SHEET_DATE']);
  });

  it.each([
    ['1-Mar-27', '2027-03-01'],
    ['March 1st, 2027', '2027-03-01'],
    ['1 Sept 2027', '2027-09-01'],
    ['Monday, March 1, 2027', '2027-03-01'],
    ['2027/3/1', '2027-03-01'],
    ['46447', '2027-03-01'],
    ['2027-03-01 10:30', '2027-03-01'],
    ['3/3/27', '2027-03-03'],
    ['2027-03-01T17:00:00Z', '2027-03-01T17:00:00Z'],
    ['\u00a02027-03-01\u200b', '2027-03-01'],
    ['２０２７-03-01', '2027-03-01'],
    ['2/30/2027', '! SHEET_DATE'],
    ['soon', '! SHEET_DATE'],
    ['4.61E+04', '! SHEET_DATE'],
  ])('%s', async (written, read) => {
    expect(column(await tables.read(dues(written)), 'due')).toEqual([read]);
  });
});

describe('amounts', () => {
  it.each([
    ['$225.00', '225.00'],
    ['225', '225'],
    ['225.5', '225.50'],
    ['1,234.50', '1234.50'],
    ['1.234,50', '1234.50'],
    ['1,234', '1234'],
    ['USD 1 234.50', '1234.50'],
    ['n/a', ''],
    ['1.234', '! SHEET_AMOUNT'],
    ['(25.00)', '! SHEET_AMOUNT'],
    ['0.005', '! SHEET_AMOUNT'],
    ['12,34,56', '! SHEET_AMOUNT'],
  ])('%s', async (written, read) => {
    expect(column(await tables.read(fees(written)), 'fee')).toEqual([read]);
  });

  it('a sign that the column uses for cents is not one for thousands', async () => {
    const read = await tables.read(fees('1.234', '10,50', '7,25'));
    expect(column(read, 'fee')).toEqual(['1234', '10.50', '7.25']);
    expect(column(await tables.read(fees('1.234', '10.50')), 'fee')).toEqual([
      '! SHEET_AMOUNT',
      '10.50',
    ]);
  });
});

describe('states, kinds and numbers', () => {
  it.each(['US-NV', 'NV', 'Nevada', 'Nev.', 'State of Nevada', 'NEVADA '])(
    '%s is US-NV',
    async (state) => {
      expect(column(await tables.read(table(row({ state }))), 'jurisdiction')).toEqual(['US-NV']);
    },
  );

  it.each([
    ['0012345', '0012345'],
    ['4.81E+11', '! SHEET_NUMBER_MANGLED'],
    ['4810233.0', '! SHEET_NUMBER_MANGLED'],
    ['#REF!', '! SHEET_ERROR_CELL'],
    ['１２３', '123'],
  ])('the number %s', async (number, read) => {
    expect(column(await tables.read(table(row({ number }))), 'registry_number')).toEqual([read]);
  });

  it.each([
    ['L.L.C.', 'llc'],
    ['Limited Liability Company', 'llc'],
    ['Corp.', 'corporation'],
    ['Inc', 'corporation'],
    ['LP', 'lp'],
    ['gmbh', 'gmbh'],
  ])('the kind %s', async (kind, read) => {
    const text = `${HEAD},entity_kind\n${row({})},${kind}\n`;
    expect(column(await tables.read(text), 'entity_kind')).toEqual([read]);
  });
});

describe('a workbook', () => {
  const head = HEAD.split(',');
  const cells = (
    due: Parameters<typeof xlsxFile>[0]['sheets'][number]['rows'] extends Iterable<
      readonly (infer Cell)[]
    >
      ? Cell
      : never,
    number: typeof due = 'E1',
  ) => ['US-NV', number, 'Größe & Co <1>', 'annual_report', 2027, due, 225.5] as const;
  const book = (
    rows: Parameters<typeof xlsxFile>[0]['sheets'][number]['rows'],
    more: object = {},
  ): Buffer => xlsxFile({ sheets: [{ name: 'Filings', rows: [head, ...rows], ...more }] });

  it('is read with its dates, numbers and zeros as people see them', async () => {
    const read = await tables.read(
      book([
        cells({ serial: 46447 }),
        cells({ serial: 46447.5, format: 'moment' }, { serial: 12345, format: 'digits' }),
      ]),
    );
    expect(column(read, 'due')).toEqual(['2027-03-01', '2027-03-01']);
    expect(column(read, 'registry_number')).toEqual(['E1', '0012345']);
    expect(column(read, 'fee')).toEqual(['225.50', '225.50']);
    expect(column(read, 'entity_name')).toEqual(['Größe & Co <1>', 'Größe & Co <1>']);
    expect(read.report.form).toEqual(['XLSX', 'sheet "Filings"']);
  });

  it('counts its days from 1904 where it says so', async () => {
    const bytes = xlsxFile({
      sheets: [{ name: 'A', rows: [head, cells({ serial: 46447 - 1462 })] }],
      date1904: true,
    });
    expect(column(await tables.read(bytes), 'due')).toEqual(['2027-03-01']);
  });

  it('gives the last value of a formula, and says where there is none, an error, or lost digits', async () => {
    const xml = (of: string) => ({ xml: (r: string) => of.replace('REF', r) });
    const read = await tables.read(
      book([
        cells('2027-03-01', xml('<c r="REF" t="str"><f>A1</f><v>E7</v></c>')),
        cells('2027-03-01', xml('<c r="REF"><f>A1</f></c>')),
        cells('2027-03-01', xml('<c r="REF" t="e"><v>#REF!</v></c>')),
        cells('2027-03-01', xml('<c r="REF"><v>4.8123456789012345E17</v></c>')),
        cells('2027-03-01', xml('<c r="REF"><v>481234567890</v></c>')),
        cells(
          '2027-03-01',
          xml(
            '<c r="REF" t="inlineStr"><is><r><t>E</t></r><r><t>8</t></r><rPh><t>x</t></rPh></is></c>',
          ),
        ),
      ]),
    );
    expect(column(read, 'registry_number')).toEqual([
      'E7',
      '! SHEET_ERROR_CELL',
      '! SHEET_ERROR_CELL',
      '! SHEET_NUMBER_MANGLED',
      '481234567890',
      'E8',
    ]);
  });

  it('with several sheets or hidden rows is asked about; a hidden sheet is not read', async () => {
    const rows = [head, cells('2027-03-01')];
    const several = xlsxFile({
      sheets: [
        { name: 'One', rows },
        { name: 'Two', rows },
      ],
    });
    await expect(tables.read(several)).rejects.toMatchObject({ asked: { sheets: ['One', 'Two'] } });
    expect((await tables.read(several, { sheet: 'Two' })).rows).toHaveLength(1);
    await expect(tables.read(several, { sheet: 'Three' })).rejects.toThrow(/"One", "Two"/);
    const other = xlsxFile({
      sheets: [
        { name: 'One', rows, state: 'hidden' },
        { name: 'Two', rows },
      ],
    });
    expect((await tables.read(other)).report.form).toContain('sheet "Two"');
    const hidden = book([cells('2027-03-01'), cells('2027-03-02')], { hiddenRows: [3] });
    await expect(tables.read(hidden)).rejects.toMatchObject({
      asked: { hiddenRows: { count: 1 } },
    });
    expect((await tables.read(hidden, { hiddenRows: 'skip' })).rows).toHaveLength(1);
    expect((await tables.read(hidden, { hiddenRows: 'read' })).rows).toHaveLength(2);
  });

  it('gives the value of cells merged downwards to each of their rows', async () => {
    const read = await tables.read(
      book([cells('2027-03-01', 'E1'), cells('', 'E2'), cells('2027-03-03', 'E3')], {
        merges: ['F2:F3'],
      }),
    );
    expect(column(read, 'due')).toEqual(['2027-03-01', '2027-03-01', '2027-03-03']);
    expect(read.report.remarks.join()).toContain('F2 to F3');
  });

  it('names macros and links, and runs neither', async () => {
    const rows = [head, cells('2027-03-01')];
    const bytes = xlsxFile({
      sheets: [{ name: 'A', rows }],
      parts: { 'xl/vbaProject.bin': 'x', 'xl/externalLinks/externalLink1.xml': '<x/>' },
    });
    const { report } = await tables.read(bytes);
    expect(report.remarks.join()).toMatch(/macros; they are not run.*links to other workbooks/);
  });

  it('whose few bytes unpack to rows of megabytes keeps none of them, and reads the others', async () => {
    // Each cell names the same long text: 90 rows of 25 megabytes, in a file of some kilobytes.
    const long = 'x'.repeat(50_000);
    const heavy = Array.from({ length: 500 }, () => long);
    const bytes = book([
      cells('2027-03-01'),
      ...Array.from({ length: 90 }, () => heavy),
      cells('2027-03-02', 'E2'),
    ]);
    expect(bytes.length).toBeLessThan(1024 * 1024);
    const { rows } = await tables.read(bytes);
    expect(rows.map(({ kind }) => kind)).toEqual([
      'row',
      ...Array.from({ length: 90 }, () => 'fault'),
      'row',
    ]);
    // One text in pieces, so that no piece of it is too long.
    const pieces = `${'x'.repeat(900_000)}<!-- -->`.repeat(3);
    const texts = `<sst><si><t>${pieces}</t></si></sst>`;
    const shared = xlsxFile({
      sheets: [{ name: 'A', rows: [head, cells('2027-03-01')] }],
      parts: { 'xl/sharedStrings.xml': texts },
    });
    await expect(tables.read(shared)).rejects.toMatchObject({ code: 'INPUT_LIMIT' });
    const inline = { xml: (r: string) => `<c r="${r}" t="str"><v>${pieces}</v></c>` };
    const piecewise = await tables.read(book([cells('2027-03-01', inline), cells('2027-03-02')]));
    expect(piecewise.rows.map(({ kind }) => kind)).toEqual(['fault', 'row']);
  });

  it('that was made to harm is refused: larger than it says, with a document type, cut off, old, or no workbook', async () => {
    const sheet = 'xl/worksheets/sheet1.xml';
    const bomb = (content: string, claimed?: number): Buffer =>
      zipped(
        {
          'xl/workbook.xml':
            '<workbook xmlns:r="r"><sheets><sheet name="A" r:id="a"/></sheets></workbook>',
          'xl/_rels/workbook.xml.rels':
            '<Relationships><Relationship Id="a" Type="x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
          [sheet]: content,
        },
        claimed === undefined ? {} : { [sheet]: claimed },
      );
    const long = `<worksheet><sheetData><row><c t="str"><v>${'x'.repeat(3 * 1024 * 1024)}</v></c></row></sheetData></worksheet>`;
    await expect(tables.read(bomb(long))).rejects.toMatchObject({ code: 'INPUT_LIMIT' });
    await expect(tables.read(bomb(long, 10))).rejects.toThrow(/cannot be read/);
    await expect(tables.read(bomb('<worksheet/>', 2 ** 31))).rejects.toMatchObject({
      code: 'INPUT_LIMIT',
    });
    const entities =
      '<!DOCTYPE x [<!ENTITY a "aaaa">]><worksheet><sheetData>&a;</sheetData></worksheet>';
    await expect(tables.read(bomb(entities))).rejects.toThrow(/DOCTYPE/);
    const whole = book([cells('2027-03-01')]);
    await expect(tables.read(whole.subarray(0, whole.length - 40))).rejects.toThrow(
      /cannot be read/,
    );
    await expect(tables.read(zipped({ 'a.txt': 'x' }))).rejects.toThrow(/no sheet/);
    await expect(tables.read(Buffer.from('d0cf11e0a1b11ae1', 'hex'))).rejects.toThrow(/\.xls/);
  });
});

describe('whatever stands in a table', () => {
  it('every row of it is a row, a fault, or told as left out, in every encoding', async () => {
    const cell = fc.oneof(
      fc.constantFrom(
        '',
        'Nevada',
        '3/13/2027',
        '$1,234.50',
        '#REF!',
        '4.81E+11',
        'Total',
        'Größe',
        'n/a',
        '46447',
        '=1+1',
      ),
      fc.stringMatching(/^[ -!#-~\u00a0-\u00ff]{0,12}$/),
    );
    const rows = fc.array(fc.array(cell, { minLength: 7, maxLength: 7 }), {
      minLength: 1,
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom(...SAVED_AS), async (all, as) => {
        const filled = all.filter((cells) => cells.some((text) => text !== ''));
        fc.pre(filled.length > 0);
        const lines = all.map((cells) => cells.map((text) => `"${text}"`).join(','));
        const text = `${HEAD}\n${lines.join('\n')}\n`;
        const read = await tables.read(saved(text, as), { dates: 'month-first' });
        // A row of quoted nothings is no blank line, and stays a row.
        expect(read.rows.length + read.report.skipped().count).toBe(all.length);
      }),
      { numRuns: 150 },
    );
  });
});
