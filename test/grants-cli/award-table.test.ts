/** Awards as people keep them, in dollars, and what is no award: refused at the gate, never a question to two people. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { xlsxFile } from '../fixtures/xlsx-file.ts';
import { type Json } from '../fixtures/cli.ts';
import { House, listAt, YEAR } from './house.ts';

let house: House;
let nora: readonly string[];
beforeAll(async () => {
  house = await House.open();
  ({ nora } = await house.twoPeople());
});
afterAll(() => house.close());

const ingest = (name: string, ...more: string[]) =>
  house.run('--json', ...nora, 'grants', 'ingest', name, ...more);
const awards = async (text: string): Promise<readonly Json[]> =>
  listAt(await house.data([...nora, 'grants', 'awards', '--text', text]), 'awards');

describe('a table of awards', () => {
  it('in dollars, with the names and signs of people, is read to the cent', async () => {
    await house.file(
      'mine.csv',
      [
        'Funder,Grant Number,Amount,FY,Expected Date,Reference',
        'Harbor Foundation,H-1,"$125,000.00",2026,3/16/2026,HARBOR-26',
        'Birch Trust,B-7,1200.5,2026,2026-03-20,BT-7',
        'Total,,"$126,200.50",,,',
      ].join('\n'),
    );
    const asked = await ingest('mine.csv');
    expect(asked).toMatchObject({ code: 2 });
    expect(await awards('H-1')).toEqual([]);
    expect(await ingest('mine.csv', '--accept-map')).toMatchObject({ code: 0 });
    expect(await awards('H-1')).toMatchObject([
      { cents: 12_500_000, payer: 'Harbor Foundation', expectedOn: '2026-03-16' },
    ]);
    expect(await awards('B-7')).toMatchObject([{ cents: 120_050 }]);
  });

  it('one point makes a column of our own names one of dollars; without any it is cents, as documented', async () => {
    const table = (first: string, second: string) =>
      [
        'grantor_id,award_id,award_amount,currency,fiscal_year,compliance_tags',
        `G,${first}-1,125000.00,USD,2026,`,
        `G,${first}-2,${second},USD,2026,`,
      ].join('\n');
    await house.file('dollars.csv', table('D', '125000'));
    expect(await ingest('dollars.csv')).toMatchObject({ code: 0 });
    expect((await awards('D-')).map((one) => one['cents'])).toEqual([12_500_000, 12_500_000]);
    await house.file('cents.csv', table('C', '125000').replace('125000.00', '125000'));
    expect(await ingest('cents.csv')).toMatchObject({ code: 0 });
    expect((await awards('C-')).map((one) => one['cents'])).toEqual([125_000, 125_000]);
  });

  it('as a workbook, with the year given for all rows', async () => {
    const bytes = xlsxFile({
      sheets: [
        {
          name: 'Awards',
          rows: [
            ['Grantor', 'Award Number', 'Award Amount', 'Expected Payment Date', 'Purpose'],
            ['Fern Fund', 'F-9', 800.25, '2026-09-01', 'Garden'],
          ],
        },
      ],
    });
    await writeFile(join(house.folder, 'mine.xlsx'), bytes);
    const said = await ingest('mine.xlsx', '--accept-map', '--set', 'fiscal_year=2026');
    expect(said.code, said.stdout).toBe(0);
    expect(await awards('F-9')).toMatchObject([{ cents: 80_025, fiscalYear: 2026 }]);
  });

  it('with one bad cell is refused whole, and no part of a cent is lost', async () => {
    await house.file(
      'bad.csv',
      ['Funder,Grant Number,Amount,FY', 'X,X-1,10.00,2026', 'X,X-2,10.005,2026'].join('\n'),
    );
    const said = await ingest('bad.csv', '--accept-map');
    expect(said.code).toBe(1);
    expect(said.stdout).toContain('part of a cent');
    expect(await awards('X-')).toEqual([]);
  });
});

describe('another kind of file', () => {
  const CAMT =
    '<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"></Document>';
  const WRONG: readonly (readonly [string, string, string])[] = [
    ['a PDF', 'a.csv', '%PDF-1.7 1 0 obj'],
    ['a web page', 'b.csv', '\n<html><head><title>Sign in</title></head></html>'],
    ['grants feed', 'c.xml', CAMT],
    ['expected awards', 'd.json', '{"error":"session expired"}'],
    ['expected awards', 'e.ndjson', '{"a":1}\n{"a":2}\n'],
    ['end of the document', 'f.json', '[{"grantor_id":"G","award_amount":1'],
    ['end of the document', 'g.ndjson', '{"grantor_id":"G"}\n{"grantor_id":"H","awa'],
    [
      'end of the document',
      'h.csv',
      'grantor_id,award_id,award_amount,currency,fiscal_year,compliance_tags\nG,1,5,USD,2026,\nG,2,5,US',
    ],
  ];
  it.each(WRONG)(
    '%s: %s is refused at the gate, and becomes no exception',
    async (word, name, text) => {
      await house.file(name, text);
      const said = await ingest(name);
      expect(said.code, said.stdout).toBe(1);
      expect(said.stdout).toContain(word);
      expect(said.stdout).toContain('remedy');
      expect(await house.data(['grants', 'exceptions', 'list'])).toMatchObject({ exceptions: [] });
    },
  );

  it('a document of the sample is imported as before', async () => {
    const { code } = await ingest(`${YEAR}/awards-foundations.csv`);
    expect(code).toBe(0);
  });
});
