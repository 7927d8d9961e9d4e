/**
 * The daily path as a stranger walks it, in an empty directory, by commands alone: the messy sheet of `samples/` goes from import to 51
 * states, by hand and by program, approved by a second person who saw each fee, filed, defended, and verified without any of our code.
 * What each row must become is read here from the sheet itself, not from what the product says of it.
 */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messyFilings, ROWS, WRONG } from '../../scripts/messy-filings.mjs';
import { ROOT } from '../fixtures/built-tree.ts';
import { CliWorld, type Json, textAt, type Variables } from '../fixtures/cli.ts';
import { drive, missing, type Report } from '../verify-py/python.ts';
import { PDF } from './world.ts';

const SHEET = 'samples/messy-filings.csv';
/** Three portals let programs in; simulated, and each with a lane of its own before those of people are added. */
const AUTOMATED = ['US-DE', 'US-OH', 'US-TX'];
const REFUSED_ROWS = new Set(Object.values(WRONG).flatMap((rows) => Object.keys(rows).map(Number)));

/** The sheet as it is: what a person sees in the columns of number and fee. */
/** Windows-1252, of whose characters beyond Latin-1 it has one. */
const text = readFileSync(join(ROOT, SHEET)).toString('latin1').replaceAll('\u0092', '’');
const records: string[][] = parse(text, { relax_column_count: true });
const rows = records.slice(3, 3 + ROWS);
const feeCents = (row: readonly string[]): number =>
  Math.round(Number(String(row[6]).replaceAll(/[$,]/g, '')) * 100);
const byNumber = new Map(rows.map((row) => [String(row[2]), row]));

let world: CliWorld;
let paula: Variables;
let arthur: Variables;
const batches: string[] = [];

beforeAll(async () => {
  world = await CliWorld.bare('warm');
  cpSync(join(ROOT, 'samples'), world.path('samples'), { recursive: true });
  await world.data(['init']);
  paula = await world.person('Paula Preparer');
  arthur = await world.person('Arthur Approver', paula);
}, 60_000);
afterAll(() => world?.close());

const list = (found: Json, name: string): readonly Json[] => found[name] as readonly Json[];

/** What is typed at the office is what stands in her spreadsheet, character for character. */
async function sheetShows(id: string, row: readonly string[]): Promise<void> {
  const sheet = await world.data(['hand', 'sheet', id], paula);
  const values = new Map(
    list(sheet, 'fields').map((field) => [textAt(field, 'label'), textAt(field, 'value')]),
  );
  expect([values.get('Entity number'), values.get('Entity name')]).toEqual([row[2], row[0]]);
  expect(textAt(sheet, 'fee').replaceAll(/[$,]/g, '')).toBe((feeCents(row) / 100).toFixed(2));
}

describe('the messy sheet in an empty directory', () => {
  it('is the one that its script makes', () => {
    expect(readFileSync(join(ROOT, SHEET)).equals(messyFilings())).toBe(true);
  });

  it('finds a lane in each of 51 jurisdictions: of programs where they may, of people elsewhere', async () => {
    const changes = AUTOMATED.map((code) => ({ code, jurisdiction: code }));
    const { profiles } = await world.portals(...changes);
    for (const profile of profiles) await world.data(['lane', 'add', profile], paula);
    const added = await world.data(['lane', 'add', '--by-hand', 'all'], paula);
    expect(added['added']).toHaveLength(51 - AUTOMATED.length);
    expect(added['kept']).toEqual(AUTOMATED);
  });

  it('is asked about once, and imported as its dry run promised; what was wrong is corrected and follows', async () => {
    expect((await world.run(['batch', 'import', SHEET], paula)).code).toBe(2);
    const accept = ['batch', 'import', SHEET, '--accept-map'];
    const good = ROWS - REFUSED_ROWS.size;
    const counts = { rows: ROWS, created: good, refused: REFUSED_ROWS.size };
    expect(await world.data([...accept, '--dry-run'], paula, 5)).toMatchObject(counts);
    const imported = await world.data(accept, paula, 5);
    expect(imported).toMatchObject(counts);
    batches.push(textAt(imported, 'batch'));

    const errors = readFileSync(world.path(textAt(imported, 'errorFile')), 'utf8');
    const right = Object.entries({
      '4.81E+11': 'E400104',
      '#REF!': 'E400111',
      '2/30/2029': '2/27/2029',
      soon: '4/4/2029',
      'see Bob': '1050.00',
      Nevda: 'Nevada',
    }).reduce((text, [wrong, ours]) => text.replace(wrong, ours), errors);
    const corrected = await world.file('corrected.csv', right);
    const again = await world.data(['batch', 'import', corrected, '--accept-map'], paula);
    expect(again).toMatchObject({ rows: REFUSED_ROWS.size, created: REFUSED_ROWS.size });
    batches.push(textAt(again, 'batch'));
    for (const [number, from] of [
      ['E400104', 104],
      ['E400111', 111],
    ] as const) {
      const row = [...(rows[from] ?? [])];
      byNumber.set(number, row);
    }
    const fixed = byNumber.get(String(rows[131]?.[2]));
    if (fixed !== undefined) fixed[6] = '1050.00';
  });

  it('is approved by a second person who saw each fee, and by nobody else', async () => {
    for (const batch of batches) {
      expect((await world.run(['batch', 'approve', batch], paula)).code).toBe(4);
      const { filings } = await world.data(['filing', 'list', '--batch', batch, '--limit', '500']);
      let total = 0;
      for (const filing of filings as readonly Json[]) {
        const show = ['filing', 'show', textAt(filing, 'id'), '--payload'];
        const { payload } = await world.data(show, arthur);
        const row = byNumber.get(textAt(payload, 'registry_number'));
        expect((payload as Json)['fee_cents'], textAt(payload, 'registry_number')).toBe(
          feeCents(row ?? []),
        );
        total += feeCents(row ?? []);
      }
      const seen = await world.data(['batch', 'approve', batch, '--dry-run'], arthur);
      expect(seen).toMatchObject({ approval: { totalCents: total } });
      const terms = ['--expect-hash', textAt(seen, 'approval', 'sha256')];
      const fees = ['--expect-fees', (total / 100).toFixed(2)];
      await world.data(['batch', 'approve', batch, ...terms, ...fees], arthur);
    }
  }, 120_000);

  it('goes to the portals by program where programs may', async () => {
    for (const batch of batches) {
      // What people file is open still, and no reason to wait here.
      const { code } = await world.run(['batch', 'run', batch]);
      expect([0, 5, 75]).toContain(code);
    }
    for (const code of AUTOMATED) {
      const found = await world.data(['filing', 'list', '--lane', code]);
      expect(list(found, 'filings').map(({ status }) => status)).toEqual([
        'accepted',
        'accepted',
        'accepted',
      ]);
    }
  }, 120_000);

  it('is filed by hand in the other 48: one by one with its sheet, and many from one table', async () => {
    const queue = await world.data(['hand', 'list', '--limit', '500'], paula);
    const free = list(queue, 'filings');
    expect(free).toHaveLength(ROWS - 3 * AUTOMATED.length);
    const done = new Set<string>();
    const table = ['filing;Confirmation No.;Date Filed;Fee Paid;Confirmation File'];
    for (const [at, one] of free.entries()) {
      const [id, lane] = [textAt(one, 'filing'), textAt(one, 'lane')];
      await world.data(['hand', 'take', id], paula);
      // The entity's own id here is its state and its number.
      const row = byNumber.get(textAt(one, 'entity').replace(/^.*:/, ''));
      const dollars = (feeCents(row ?? []) / 100).toFixed(2);
      if (!done.has(lane)) await sheetShows(id, row ?? []);
      const file = `confirmation-${at}.pdf`;
      await world.file(file, PDF(`${lane} ${id}`));
      const filedAt = `${new Date().toISOString().slice(0, 19)}Z`;
      const receipt = `${lane.slice(3)}-2029-${1000 + at}`;
      if (done.has(lane)) {
        table.push(`${id};${receipt};${filedAt};"${dollars.replace('.', ',')}";${file}`);
        continue;
      }
      done.add(lane);
      const said = ['--receipt', receipt, '--filed-at', filedAt, '--fee', dollars];
      await world.data(['hand', 'filed', id, ...said, '--confirmation', world.path(file)], paula);
    }
    expect(done.size).toBe(51 - AUTOMATED.length);
    const outcomes = world.path('receipts.csv');
    writeFileSync(outcomes, Buffer.from(`\ufeff${table.join('\r\n')}\r\n`, 'utf16le'));
    const say = ['hand', 'outcomes', outcomes, '--accept-map'];
    const count = { rows: table.length - 1, created: table.length - 1, refused: 0 };
    expect(await world.data([...say, '--dry-run'], paula)).toMatchObject(count);
    expect(await world.data(say, paula)).toMatchObject(count);
  }, 180_000);

  it('is accepted in 51 jurisdictions, defended in each, and verified by a stranger', async () => {
    const { filings } = await world.data(['filing', 'list', '--limit', '500']);
    const all = filings as readonly Json[];
    expect(all).toHaveLength(ROWS);
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['accepted']));
    const one = new Map(all.map((filing) => [textAt(filing, 'lane'), textAt(filing, 'id')]));
    expect(one.size).toBe(51);
    const folders: string[] = [];
    for (const [lane, id] of one) {
      const folder = world.path(`defense-${lane}`);
      await world.data(['filing', 'defend', id, folder], paula);
      folders.push(folder);
    }
    const whole = await world.data(['audit', 'verify', '--bodies', '--rows'], paula);
    expect(whole).toMatchObject({ ok: true });
    if (missing) return;
    const found = drive<Report>(folders.map((folder) => ['run', [folder]]));
    expect(found.map(({ ok, reason }) => ({ ok, reason }))).toEqual(
      folders.map(() => ({ ok: true, reason: null })),
    );
    // And the stranger would notice: one byte of a confirmation.
    const pack = world.path('defense-US-NV');
    const evidence = join(pack, 'evidence');
    const [name = ''] = readdirSync(evidence).filter((file) => file.endsWith('.pdf'));
    const bytes = readFileSync(join(evidence, name));
    bytes.writeUInt8(bytes.readUInt8(9) ^ 1, 9);
    writeFileSync(join(evidence, name), bytes);
    expect(drive<Report>([['run', [pack]]])).toMatchObject([{ ok: false }]);
  }, 180_000);
});
