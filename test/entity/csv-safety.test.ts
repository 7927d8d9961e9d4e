/** What people open in a spreadsheet must not run, and what they bring back must be what it was. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORMULAS, FUZZ_COLUMNS, fuzzedFile } from '../../bench/entity-fuzz-rows.ts';
import { importFile } from '../../src/filings/acts/batches.ts';
import { csvLine, neutralCell, originalCell } from '../../src/core/csv/cells.ts';
import { parseStrictJson } from '../../src/core/strict-json.ts';
import { findPayload, listFilings } from '../../src/filings/store/filings.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { quickProfile, Stage } from '../delivery/stage.ts';

const ROWS = 5_000;
/** The six beginnings of the OWASP page on CSV injection, and the full-width forms of the first four. */
const BEGINNINGS = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];

let server: Server;
let stage: Stage;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fw-entity-csv-'));
  server = await startServer();
  stage = await Stage.set(server, [quickProfile('US-DE')]);
});
afterAll(async () => {
  await stage.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a cell', () => {
  const cell = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .tuple(fc.constantFrom('', "'", "''", ' '), fc.constantFrom(...BEGINNINGS), fc.string())
      .map((parts) => parts.join('')),
  );

  it('never begins like a formula, and is given back as it was', () => {
    fc.assert(
      fc.property(cell, (text) => {
        const written = neutralCell(text);
        expect(originalCell(written)).toBe(text);
        if (!/^-\d+(\.\d+)?$/.test(text)) {
          expect(BEGINNINGS.some((beginning) => written.startsWith(beginning))).toBe(false);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('is the same for the bytes of a text as for the text', () => {
    fc.assert(
      fc.property(cell, (text) => {
        const bytes = (value: string): string => Buffer.from(value, 'utf8').toString('latin1');
        expect(neutralCell(bytes(text), 'bytes')).toBe(bytes(neutralCell(text)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('of a line is read by another parser as what was written', () => {
    fc.assert(
      fc.property(fc.array(cell, { minLength: 2, maxLength: 5 }), (row) => {
        const [read] = parse(csvLine(row), { record_delimiter: '\r\n' });
        expect(read?.map((text) => originalCell(text))).toEqual(row);
      }),
      { numRuns: 500 },
    );
  });
});

describe('an error file', () => {
  const head = `${FUZZ_COLUMNS.join(',')},=evil`;
  const row = (n: string, note: string, due: string): string =>
    `US-DE,${n},Name,annual_report,2027,${due},"${note.replaceAll('"', '""')}",'=kept`;

  it('holds no formula, and imported again it gives the filings of the first file', async () => {
    const first = join(folder, 'first.csv');
    const errors = join(folder, 'first.errors.csv');
    const notes = [...FORMULAS, '\t=1', '\r=1', "'=already", 'harmless', '-5.00'];
    const bad = notes.map((note, n) => row(`B${n}`, note, 'soon'));
    const good = notes.map((note, n) => row(`G${n}`, note, '2030-03-01'));
    writeFileSync(first, [head, ...bad, '=broken"quote,1', ...good, ''].join('\n'));
    const choices = { extra: ['note', '=evil'] };
    const options = { dryRun: false, errorFile: errors, choices };
    const report = await importFile(stage.app, stage.person, { path: first, ...options });
    expect(report).toMatchObject({ created: notes.length, refused: notes.length + 1 });
    const text = readFileSync(errors, 'utf8');
    const records = parse(text, { relax_column_count: true });
    const harmful = records
      .flat()
      .filter((cell) => BEGINNINGS.some((each) => cell.startsWith(each)) && cell !== '-5.00');
    expect(harmful).toEqual([]);
    // Nothing corrected: a second error file is not neutralised twice.
    await importFile(stage.app, stage.person, { path: errors, ...options });
    const again = parse(readFileSync(errors, 'utf8'), { relax_column_count: true });
    expect(again.map((cells) => cells.slice(0, 8))).toEqual(
      records.map((cells) => cells.slice(0, 8)),
    );
    const corrected = join(folder, 'corrected.csv');
    writeFileSync(corrected, readFileSync(errors, 'utf8').replaceAll(',soon,', ',2030-03-01,'));
    const last = await importFile(stage.app, stage.person, { ...options, path: corrected });
    expect(last).toMatchObject({ created: notes.length, refused: 1 });
    const filings = await listFilings(stage.app.session, stage.app.tenant, { limit: 100 });
    const fields = new Map<string, unknown>();
    for (const { id } of filings) {
      const sealed = await findPayload(stage.app.session, stage.app.tenant, id);
      const payload = parseStrictJson(stage.app.vault.open(sealed));
      fields.set(Object(payload).registry_number, Object(payload).fields);
    }
    // A row that took the way through a spreadsheet is the row that went straight in.
    for (const [n, note] of notes.entries()) {
      const straight = fields.get(`G${n}`);
      expect(straight, note).toMatchObject({ '=evil': "'=kept" });
      expect(fields.get(`B${n}`), note).toEqual(straight);
    }
    expect(fields.get('B0')).toMatchObject({ note: FORMULAS[0] });
  });
});

describe(`${ROWS} fuzzed rows`, () => {
  it('are all accounted for, and the refused ones stand in the error file', async () => {
    const path = join(folder, 'fuzz.csv');
    const file = fuzzedFile(ROWS, 11);
    writeFileSync(path, Buffer.concat([...file.chunks]));
    expect(Object.keys(file.kinds)).toHaveLength(19);
    const errorFile = join(folder, 'fuzz.errors.csv');
    const report = await importFile(stage.app, stage.person, {
      path,
      dryRun: false,
      errorFile,
    });
    const { rows, created, refused, changed, unchanged } = report;
    expect({ created, refused, changed, unchanged }).toEqual(file.expected);
    expect(rows).toBe(ROWS);
    expect(report.count).toBe(created);
    const records = parse(readFileSync(errorFile, 'latin1'), {
      relax_column_count: true,
      encoding: 'latin1',
    });
    expect(records.length - 1).toBe(refused + changed);
    const formulas = records
      .flat()
      .filter((cell) => /^[=+@\t\r]|^-(?!\d+$)|^\u00ef\u00bc\u009d/.test(cell));
    expect(formulas).toEqual([]);
  });
});
