/** The messy sheet of `samples/`: from the first question to entities, with every one of its rows accounted for. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { messyRegister, WRONG } from '../../scripts/messy-register.mjs';
import { SheetQuestion } from '../../src/intake/sheet/question.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { ROOT } from '../fixtures/built-tree.ts';
import { Office } from '../register/office.ts';

const SHIPPED = readFileSync(join(ROOT, 'samples/messy-register.csv'));
/** The suite takes the sample; 50,000 rows take a minute. */
const ROWS = Number(process.env['FILEWRIGHT_WALK_ROWS'] ?? 500);
const SAMPLE = messyRegister(ROWS);
const PLANTED = Object.values(WRONG).flatMap((rows) => Object.keys(rows)).length;

let server: Server;
let office: Office;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  office = await Office.open(server);
  return () => office.close();
});

describe('the messy sheet', () => {
  it('is the one that its script makes', () => {
    expect(SHIPPED.equals(messyRegister())).toBe(true);
  });

  it('is asked about once, and then every row is created or refused with its place', async () => {
    const asked = await office.import(SAMPLE).catch((error: unknown) => error);
    expect(asked).toBeInstanceOf(SheetQuestion);
    expect(await office.rows('select 1 as n from entity where tenant = $1')).toEqual([]);

    const accept = { choices: { acceptMap: true } };
    const would = await office.import(SAMPLE, { ...accept, dryRun: true });
    const report = await office.import(SAMPLE, accept);
    expect(report).toMatchObject({ rows: ROWS, created: ROWS - PLANTED, refused: PLANTED });
    const { rows, created, refused, errors, groups } = report;
    expect({ ...would, errorFile: undefined, sheet: undefined }).toMatchObject({
      rows,
      created,
      refused,
      errors,
      groups,
    });
    expect(groups.find(({ code }) => code === 'SHEET_NUMBER_MANGLED')).toMatchObject({
      where: 'File No.',
      count: 2,
      lines: [21, 122],
    });
    expect(report.sheet?.form).toEqual(['Windows-1252', 'separated by commas']);
    expect(report.sheet?.skipped().count).toBe(1);

    // Confirmed, with who confirmed it: the same table is not asked about again.
    const [kept] = await office.rows(
      'select confirmed_by, columns from sheet_columns where tenant = $1',
    );
    expect(kept).toMatchObject({
      confirmed_by: office.clerk.id,
      columns: { 'File No.': 'registry_number', 'Client Notes': null },
    });
    const again = await office.import(SAMPLE);
    expect(again).toMatchObject({ created: 0, unchanged: ROWS - PLANTED, refused: PLANTED });
    const errorFile = readFileSync(String(report.errorFile), 'utf8');
    expect(errorFile).toContain('Entity Name,State,File No.');
    expect(errorFile).not.toContain('\ufffd');
  });

  it('what was corrected in its error file is imported without another question', async () => {
    const report = await office.import(SAMPLE, { choices: { acceptMap: true } });
    const corrected = readFileSync(String(report.errorFile), 'utf8').replace(
      '4.81E+11',
      '481000000017',
    );
    const again = await office.import(corrected, { choices: { acceptMap: true } });
    expect(again).toMatchObject({ rows: PLANTED, created: 1, refused: PLANTED - 1 });
  });
});
