import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chunksOf } from '../../test/fixtures/chunks.ts';
import { type Importer, type ReadRow, type RowOutcome, runImport } from './import-run.ts';
import { openInput } from './input.ts';
import type { ImportRunReport } from './report.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'import-run-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** Keeps names; `odd` is remarked on, `bad` is refused by the reader, `late` when it is admitted. */
class Names {
  readonly kept: string[] = [];
  readonly chunks: number[] = [];
  /** Loses the outcome of the last row. */
  isForgetful = false;

  read(row: {
    readonly row: Readonly<Record<string, unknown>>;
  }): ReturnType<Importer<string>['read']> {
    const name = String(row.row['name']);
    if (name === 'bad') return { ok: false, errors: [{ where: 'name', why: 'is bad' }] };
    const remarks = [{ where: 'name', why: 'is odd' }];
    return { ok: true, item: name, ...(name === 'odd' ? { remarks } : {}) };
  }

  async admit(rows: readonly ReadRow<string>[]): Promise<readonly RowOutcome[]> {
    this.chunks.push(rows.length);
    const outcomes = rows.map(({ item }): RowOutcome => {
      if (item === 'late') return { kind: 'refused', errors: [{ where: 'name', why: 'is late' }] };
      if (this.kept.includes(item)) return { kind: 'unchanged' };
      this.kept.push(item);
      return { kind: 'created' };
    });
    return this.isForgetful ? outcomes.slice(1) : outcomes;
  }
}

async function run(text: string, names: Names): Promise<ImportRunReport> {
  const input = await openInput(chunksOf(text, 7), {
    format: { kind: 'csv' },
    mapping: { name: 'Their Name' },
    columns: [],
  });
  return runImport(
    { ...input, read: (row) => names.read(row), admit: (rows) => names.admit(rows) },
    { errorFile: { path: join(folder, 'errors.csv'), unique: 'u' } },
  );
}

const HEAD = 'Their Name,n\n';

describe('an import of whatever', () => {
  it('counts every row once and reports faults in their order, by the names of the file', async () => {
    const text = `${HEAD}"a\nb",1\nodd,2\nbad,3\nlate,4\nfew\n"a\nb",5\n`;
    const report = await run(text, new Names());
    expect(report).toMatchObject({ rows: 6, created: 2, changed: 0, unchanged: 1, refused: 3 });
    expect(report.errors.map(({ line, where, why }) => `${line} ${where} ${why}`)).toEqual([
      '4 Their Name is odd',
      '5 Their Name is bad',
      '6 name is late',
      expect.stringMatching(/^7 row expected 2 fields, found 1/),
    ]);
  });

  it('writes refused rows to the error file, and not those that were only remarked on', async () => {
    const report = await run(`${HEAD}odd,1\nbad,2\n=1+1,3\nlate,"=x"\n`, new Names());
    expect(report.errorFile).toBe(join(folder, 'errors.csv'));
    const written = await readFile(join(folder, 'errors.csv'), 'utf8');
    expect(written.split('\n')).toEqual([
      'Their Name,n,"error_where","error_why"',
      'bad,2,"line 3: Their Name","Their Name: is bad"',
      `late,'=x,"line 5: name","name: is late"`,
      '',
    ]);
  });

  it('run a second time, brings nothing in twice', async () => {
    const names = new Names();
    await run(`${HEAD}a,1\nb,2\n`, names);
    const again = await run(`${HEAD}a,1\nb,2\nc,3\n`, names);
    expect(again).toMatchObject({ rows: 3, created: 1, unchanged: 2 });
    expect(names.kept).toEqual(['a', 'b', 'c']);
  });

  it('admits at most 500 rows at once, and what stands before a break', async () => {
    const names = new Names();
    const lines = Array.from({ length: 1_001 }, (_, at) => `n${at},1\n`).join('');
    await expect(run(`${HEAD}${lines}x,"open\n`, names)).rejects.toMatchObject({
      code: 'INPUT_MALFORMED',
      details: { line: 1_003 },
    });
    expect(names.chunks).toEqual([500, 500, 1]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('stops where a row would be lost in silence, and leaves no half-written error file', async () => {
    const names = new Names();
    names.isForgetful = true;
    await expect(run(`${HEAD}bad,1\na,2\n`, names)).rejects.toMatchObject({
      code: 'BROKEN_INVARIANT',
    });
    expect(await readdir(folder)).toEqual([]);
  });
});
