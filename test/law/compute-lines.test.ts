/** What every command that answers line by line says of its input, and the law commands of entities, taxes and grants. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, ROOT } from '../fixtures/built-tree.ts';

const MAIN = join(ROOT, process.env['FILEWRIGHT_TEST_DIST'] ?? 'dist', 'cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'fw-lines-'));

beforeAll(() => build());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(
  args: readonly string[],
  input = '',
): { readonly code: number | null; readonly out: string; readonly err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    cwd: folder,
    input,
    encoding: 'utf8',
  });
  return { code: status, out: stdout, err: stderr };
}

const wyoming = {
  id: 'A',
  jurisdiction: 'US-WY',
  entity_kind: 'llc',
  origin: 'domestic',
  formation_date: '2019-05-20',
  as_of: '2026-11-15',
};
const line = (more: object = {}): string => JSON.stringify({ ...wyoming, ...more });
const COMPUTE = ['obligation', 'compute', '--json'];

describe('input line by line', () => {
  it('without a case says so', () => {
    for (const input of ['', '\n \n', '\uFEFF\n']) {
      const { out, err, code } = run(COMPUTE, input);
      expect([out, code]).toEqual(['', 0]);
      expect(err).toContain('Standard input holds no case');
    }
  });

  it('may begin with a byte order mark, and with that only', () => {
    const { out, code } = run(COMPUTE, `\uFEFF${line()}\n`);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ id: 'A', next_due: '2027-05-01' });
    expect(run(COMPUTE, `${line()}\n\uFEFF${line({ id: 'B' })}`).code).toBe(1);
  });

  it('names the earlier line where an id occurs again, and answers both', () => {
    const { out, err, code } = run(COMPUTE, [line(), line({ id: 'B' }), line()].join('\n'));
    const answers = out
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one) as Record<string, unknown>);
    expect(answers.map((one) => one['same_id_as_line'])).toEqual([undefined, undefined, 1]);
    expect(answers.map((one) => one['next_due'])).toEqual(Array(3).fill('2027-05-01'));
    expect([code, err]).toEqual([0, expect.stringContaining('1 of 3 lines repeat the id')]);
    expect(run(COMPUTE.slice(0, 2), [line(), line()].join('\n')).out).toContain(
      'line 2 has the same id as line 1',
    );
  });
});

describe('the law commands', () => {
  it('rules list refuses an office that has no rules, and names those that have', () => {
    const { code, out, err } = run(['rules', 'list', '--office', 'XX']);
    expect([code, out]).toEqual([3, '']);
    expect(err).toMatch(/No rule of office XX is loaded; there are rules of .*EP.*US/);
  });

  it('obligation explain says the weekday, the roll rule and the zone of the cut-off', () => {
    const args = ['obligation', 'explain', '--jurisdiction', 'US-NY', '--kind', 'llc'];
    const more = ['--origin', 'domestic', '--formed', '2024-01-10', '--as-of', '2026-11-15'];
    const { out } = run([...args, ...more]);
    expect(out).toMatch(/due +2028-01-31 \(Monday\)/);
    expect(out).toMatch(/roll rule +none was read, so the date stands/);
    expect(out).toContain('(America/New_York)');
    const json = JSON.parse(run([...args, ...more, '--json']).out) as Record<string, unknown>;
    expect(json).toMatchObject({ data: { cutoff_zone: 'America/New_York', weekday: 'Monday' } });
  });

  it('obligation explain takes a publication, and not beside the initial report', () => {
    const args = ['obligation', 'explain', '--jurisdiction', 'US-NY', '--kind', 'llc'];
    const more = ['--origin', 'domestic', '--formed', '2026-09-01', '--as-of', '2026-11-15'];
    expect(run([...args, ...more, '--publication']).out).toMatch(/begin by +2026-11-18/);
    expect(run([...args, ...more, '--publication', '--initial']).code).toBe(2);
  });

  it('tax evaluate and tax list answer for other states', () => {
    const question = {
      id: 'T',
      kind: 'il.franchise_payable',
      input: { liability: '25000', year: 2026 },
    };
    const { out } = run(['tax', 'evaluate'], JSON.stringify(question));
    expect(out).toMatch(/^T {2}US-IL\.franchise {2}15000\.00/);
    expect(out).toMatch(/confidence high \(basis: primary\), rules 2026/);
    expect(run(['tax', 'list', '--jurisdiction', 'US-NV']).out).toContain('US-NV.commerce');
    expect(run(['tax', 'list', '--jurisdiction', 'US-ZZ']).code).toBe(3);
  });

  it('grants evaluate writes money as money, and cents in JSON', () => {
    const input = { fiscalYearEnd: '2027-12-31', filer: 'privateFoundation', expectedTax: 20_000 };
    const question = JSON.stringify({ id: 'G', kind: 'estimates.dates', input });
    expect(run(['grants', 'evaluate'], question).out).toContain('"cents":"$5,000.00"');
    expect(run(['grants', 'evaluate', '--json'], question).out).toContain('"cents":500000');
  });
});
