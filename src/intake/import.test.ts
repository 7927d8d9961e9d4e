import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FilewrightError } from '../core/errors.ts';
import { parseStrictJson } from '../core/strict-json.ts';
import type { JsonValue } from '../core/canonical-json.ts';
import { chunksOf } from '../../test/fixtures/chunks.ts';
import { type ImportOptions, importRows } from './import.ts';
import type { ImportReport } from './report.ts';
import { countingIds, importOptions, MemoryIntake } from '../../test/fixtures/memory-intake.ts';

const HEAD = 'jurisdiction,registry_number,entity_name,filing_kind,period,due,fee,agent';
const line = (n: number, name = `Company ${n}`, agent = 'Agent'): string =>
  `US-DE,${1_000_000 + n},${name},annual_report,2027,2028-03-01,50.00,${agent}`;
const file = (lines: readonly string[]): string => `${[HEAD, ...lines].join('\n')}\n`;
const lines = (count: number): string[] => Array.from({ length: count }, (_, n) => line(n));

const ids = countingIds();
let folder = '';
let store = new MemoryIntake();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'intake-'));
  store = new MemoryIntake();
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function run(
  text: string | Uint8Array,
  more: Partial<ImportOptions> = {},
): Promise<ImportReport> {
  return importRows({ ...importOptions(text, store), ids, ...more });
}

const numbers = (report: ImportReport): readonly number[] => [
  report.rows,
  report.created,
  report.changed,
  report.unchanged,
  report.refused,
];

describe('when something goes wrong', () => {
  it('good rows are imported whatever the others are like, and every error is named', async () => {
    const report = await run(file([line(1), line(2).replace('US-DE', 'US-XX'), '"x"y', line(3)]));
    expect(numbers(report)).toEqual([4, 2, 0, 0, 2]);
    expect(report.errors.map((error) => `${error.line} ${error.where}`)).toEqual([
      '3 jurisdiction',
      '4 jurisdiction',
    ]);
  });

  it('rows before a quote that swallows the rest are admitted, and the batch stays open', async () => {
    const errorFile = join(folder, 'errors.csv');
    const bad = file([line(1), line(2).replace('US-DE', 'US-XX'), 'US-DE,"4']);
    const error: unknown = await run(bad, { errorFile }).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(FilewrightError);
    expect(error).toMatchObject({ code: 'INPUT_MALFORMED', details: { line: 4 } });
    expect(store.filings.size).toBe(1);
    expect(store.calls).toEqual(['open', 'admit 1']);
    expect(await readdir(folder)).toEqual([]);
  });

  it('an import that was cut off is run again into the same batch', async () => {
    store.failAfterAdmits = 1;
    const error: unknown = await run(file(lines(1200))).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'DATABASE_UNREACHABLE' });
    expect(store.filings.size).toBe(500);
    store.failAfterAdmits = Number.POSITIVE_INFINITY;
    const [first] = store.filings.values();
    const resume = first?.envelope.batch;
    const report = await run(file(lines(1200)), resume === undefined ? {} : { resume });
    expect(numbers(report)).toEqual([1200, 700, 0, 500, 0]);
    expect([report.batch, report.count]).toEqual([resume, 1200]);
  });

  it('a file that is malformed from the start opens no batch', async () => {
    await expect(run('a,b\n')).rejects.toMatchObject({ code: 'INPUT_MALFORMED' });
    expect(store.calls).toEqual([]);
  });

  it('a conflict whose content no longer opens is still a conflict', async () => {
    await run(file([line(1)]));
    const options = importOptions(file([line(1, 'Other')]), store);
    const vault = {
      newKey: (month: string) => options.vault.newKey(month),
      seal: (input: Parameters<typeof options.vault.seal>[0]) => options.vault.seal(input),
      forget: () => undefined,
      dataKey: () => new Uint8Array(0),
      open: (): Uint8Array => {
        throw new FilewrightError('SEAL_BROKEN', 'Shredded.');
      },
    };
    const report = await importRows({ ...options, ids, vault });
    expect(report.changed).toBe(1);
    expect(report.errors[0]?.why).toMatch(/could not be opened/);
  });
});

describe('the same filing twice', () => {
  it('a row that moves only a date is a conflict that names it, never unchanged', async () => {
    await run(file(lines(2)));
    const moved = lines(2);
    moved[1] = line(1).replace(/20\d\d-\d\d-\d\d/, '2029-01-31');
    const report = await run(file(moved));
    expect(numbers(report)).toEqual([2, 0, 1, 1, 0]);
    expect(report.errors[0]).toMatchObject({ line: 3, where: 'due' });
    expect(report.errors[0]?.why).toMatch(/due: 20\S+ → 2029-01-31T/);
  });

  it('a shuffled file with one edited column makes no second filing and names the change', async () => {
    await run(file(lines(50)));
    const edited = lines(50).reverse();
    edited[7] = line(42, '"New Name, Inc."', 'Other agent');
    const report = await run(file(edited));
    expect(numbers(report)).toEqual([50, 0, 1, 49, 0]);
    expect(store.filings.size).toBe(50);
    expect(report.errors).toHaveLength(1);
    expect(report.errors[0]).toMatchObject({ line: 9, where: 'entity_name, fields.agent' });
    expect(report.errors[0]?.why).toContain(
      'entity_name: "Company 42" → "New Name, Inc."; fields.agent: "Agent" → "Other agent"',
    );
  });

  it.each([false, true])('within one file the first row counts (dry run: %s)', async (dryRun) => {
    const report = await run(file([line(1), line(1), line(1, 'Other'), line(1), line(2)]), {
      dryRun,
    });
    expect(numbers(report)).toEqual([5, 2, 1, 2, 0]);
    expect(report.errors[0]?.line).toBe(4);
  });

  it('copies in one chunk share the fate of the first when that is a conflict', async () => {
    await run(file([line(1)]));
    const report = await run(file([line(1, 'Other'), line(1, 'Other')]));
    expect(numbers(report)).toEqual([2, 0, 2, 0, 0]);
  });

  it('any order of the rows gives the same filings', async () => {
    const shuffled = fc.shuffledSubarray(lines(12), { minLength: 12, maxLength: 12 });
    await run(file(lines(12)));
    const keys = [...store.filings.values()].map((filing) => filing.envelope.key).sort();
    await fc.assert(
      fc.asyncProperty(shuffled, async (order) => {
        store = new MemoryIntake();
        await run(file(order));
        const found = [...store.filings.values()].map((filing) => filing.envelope.key).sort();
        expect(found).toEqual(keys);
      }),
      { numRuns: 50 },
    );
  });
});

describe('what is written', () => {
  it('a batch is opened, filled in chunks and closed', async () => {
    const report = await run(file(lines(1100)));
    expect(store.calls).toEqual(['open', 'admit 500', 'admit 500', 'admit 100', 'close']);
    expect(report).toMatchObject({ count: 1100, errorFile: undefined });
    expect([...report.lanes]).toEqual([['US-DE', { created: 1100, changed: 0, unchanged: 0 }]]);
    const closed = store.facts.at(-1);
    expect([closed?.type, closed?.data.created, closed?.data.input_sha256]).toEqual([
      'batch.closed',
      1100,
      report.inputSha256,
    ]);
  });

  it('the creation fact carries what may stay readable, and the payload only sealed', async () => {
    await run(file([line(1)]));
    const [filing] = store.filings.values();
    expect(filing?.fact).toMatchObject({
      type: 'filing.state',
      actor: { kind: 'user', id: '00000000-0000-7000-8000-00000000aaaa' },
      data: {
        from: null,
        to: 'pending',
        attempt: 0,
        revision: 1,
        jurisdiction: 'US-DE',
        lane: 'US-DE',
        filing_kind: 'annual_report',
        period: '2027',
        due: '2028-03-01T00:00:00.000Z',
        payload_sha256: filing?.envelope.payloadSha256,
        key: filing?.envelope.key,
      },
    });
    expect(JSON.stringify(filing?.fact.data)).not.toContain('Company');
    expect([...store.keys.keys()]).toEqual(['US-DE:1000001 2027-11']);
  });

  it('a dry run writes nothing and says the same numbers', async () => {
    await run(file(lines(3)));
    store.calls.length = 0;
    const text = file([line(1), line(2, 'Other'), line(9), 'x']);
    const errorFile = join(folder, 'errors.csv');
    const dry = await run(text, { dryRun: true, errorFile });
    expect(store.calls).toEqual(['preview 3']);
    expect(await readdir(folder)).toEqual([]);
    expect(dry.batch).toBeUndefined();
    expect(numbers(await run(text))).toEqual(numbers(dry));
  });

  it('progress is reported after every chunk', async () => {
    const seen: number[] = [];
    await run(file(lines(1100)), { onProgress: (counts) => seen.push(counts.rows) });
    expect(seen).toEqual([500, 1000, 1100]);
  });
});

describe('the error file', () => {
  const errorFile = (): string => join(folder, 'errors.csv');

  it('is not there when there are no errors', async () => {
    const report = await run(file(lines(2)), { errorFile: errorFile() });
    expect(report.errorFile).toBeUndefined();
    expect(await readdir(folder)).toEqual([]);
  });

  it('repeats each bad row byte for byte with two columns more', async () => {
    const bad = [
      'US-XX,1,"A ""B""\r\nC",annual_report,2027,2028-03-01,,caf\xe9',
      'one,two',
      '"x"y,"z',
    ];
    const text = `\ufeff${HEAD}\r\n`;
    const input = Buffer.concat([
      Buffer.from(text),
      Buffer.from(`${bad.join('\r\n')}\r\n${line(5)}\r\n`, 'latin1'),
    ]);
    const report = await run(input, { errorFile: errorFile() });
    expect(numbers(report)).toEqual([4, 1, 0, 0, 3]);
    const written = (await readFile(errorFile())).toString('latin1');
    const [head, ...rest] = written.split(/\r\n(?!C)/);
    expect(head).toBe(`\xef\xbb\xbf${HEAD},"error_where","error_why"`);
    expect(rest[0]?.startsWith(`${bad[0]},"line 2: agent","agent: has bytes`)).toBe(true);
    expect(rest[1]?.startsWith('one,two,"line 4: row","row: expected 8 fields')).toBe(true);
    expect(rest[2]?.startsWith('"""x""y,""z",,,,,,,,"line 5: jurisdiction"')).toBe(true);
  });

  it('is imported again after correction, and may be written to its own place', async () => {
    await run(file([line(1)]));
    await run(
      file([line(1, 'Changed'), line(2).replace('US-DE', 'DE'), line(3, 'A, B'), line(4)]),
      {
        errorFile: errorFile(),
      },
    );
    expect(store.filings.size).toBe(2);
    const first = await readFile(errorFile(), 'utf8');
    // Nothing corrected: the same three errors, and the columns do not pile up.
    const again = await run(first, { errorFile: errorFile() });
    expect(numbers(again)).toEqual([3, 0, 1, 0, 2]);
    const second = await readFile(errorFile(), 'utf8');
    expect(second.split('\n')[0]).toBe(first.split('\n')[0]);
    expect(second.split('\n').map((row) => row.split(',"line')[0])).toEqual(
      first.split('\n').map((row) => row.split(',"line')[0]),
    );
    const corrected = second
      .replace('\nDE,', '\nUS-DE,')
      .replace('A, B', '"A, B"')
      .replace('Changed', 'Company 1');
    const last = await run(corrected, { errorFile: errorFile() });
    expect(numbers(last)).toEqual([3, 2, 0, 1, 0]);
    expect(store.filings.size).toBe(4);
  });

  it('of NDJSON is NDJSON, with the text of what is no JSON', async () => {
    const good = { jurisdiction: 'US-DE', registry_number: '1', entity_name: 'A', period: '2027' };
    const row = JSON.stringify({ ...good, filing_kind: 'annual_report', due: 7, pay: 0.5 });
    const input = Buffer.concat([
      Buffer.from(`${row.replace('0.5', '5e-1')}\n{oops\n`),
      Buffer.from('{"a":"\xe9"}\n', 'latin1'),
      Buffer.from(`${row.replace('"due":7', '"due":"2028-03-01"').replace('0.5', '"x"')}\n`),
    ]);
    const options = { format: { kind: 'ndjson' }, errorFile: errorFile() } as const;
    expect(numbers(await run(input, options))).toEqual([4, 1, 0, 0, 3]);
    const written = (await readFile(errorFile(), 'utf8')).trimEnd().split('\n');
    expect(written[0]?.startsWith(row.replace('0.5}', '5e-1,"error_where":"line 1: /due"'))).toBe(
      true,
    );
    const parsed = written.map((text): JsonValue => parseStrictJson(text));
    expect(parsed[1]).toMatchObject({ raw_text: '{oops', error_where: 'line 2: row' });
    expect(parsed[2]).toMatchObject({
      raw_base64: Buffer.from('{"a":"\xe9"}', 'latin1').toString('base64'),
    });
    const fixed = `${written[0]?.replace('"due":7', '"due":"2028-03-01"').replace('5e-1', '5')}\n`;
    const report = await run(fixed, options);
    // The row that was imported before has "pay": "x".
    expect(report.errors[0]?.why).toContain('fields.pay: "x" → 5');
  });
});

it('one-byte chunks give what the whole file gives', async () => {
  const text = file([line(1, '"Größe, ""Q""\nGmbH"'), line(2), 'bad', line(3, 'Ünï')]);
  const whole = await run(text);
  const keys = [...store.filings.keys()];
  store = new MemoryIntake();
  const bytes = await run(text, { source: chunksOf(text, 1) });
  expect({ ...bytes, batch: '' }).toEqual({ ...whole, batch: '' });
  expect([...store.filings.keys()]).toEqual(keys);
});
