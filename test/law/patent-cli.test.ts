/** The commands as people and programs call them, in a process of their own. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, ROOT } from '../fixtures/built-tree.ts';

const MAIN = join(ROOT, process.env['FILEWRIGHT_TEST_DIST'] ?? 'dist', 'cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'fw-law-'));

interface Golden extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly expected_raw: string;
  readonly expected_due: string;
}
const golden = JSON.parse(
  readFileSync(join(ROOT, 'test/golden/patent-deadlines.golden.json'), 'utf8'),
) as readonly Golden[];
const lines = golden
  .map(({ expected_raw: _raw, expected_due: _due, ...rest }) => JSON.stringify(rest))
  .join('\n');

beforeAll(() => build());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(
  args: readonly string[],
  input = '',
  variables: Readonly<Record<string, string>> = {},
): { readonly code: number | null; readonly out: string; readonly err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    cwd: folder,
    input,
    encoding: 'utf8',
    env: { ...process.env, ...variables },
  });
  return { code: status, out: stdout, err: stderr };
}

function file(name: string, value: object): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(value, null, 1));
  return path;
}

describe('deadline compute', () => {
  it('answers every golden case, the same in every zone and language', () => {
    const first = run(['deadline', 'compute', '--json'], lines, { TZ: 'UTC', LANG: 'C' });
    expect(first.code).toBe(0);
    const answers = first.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(answers).toHaveLength(golden.length);
    for (const [index, one] of golden.entries()) {
      // Where nobody has to act the second facts have `as_of` in place of the first file's due date.
      const { due, as_of } = answers[index] as { readonly due?: string; readonly as_of?: string };
      expect(due ?? as_of, one.id).toBe(one.expected_due);
      expect(due === undefined, one.id).toBe(
        /TERM|WINDOW|EXPIRY|EARLIEST/.test(String(one['rule'])),
      );
      expect(answers[index]).toMatchObject({
        id: one.id,
        raw: one.expected_raw,
        rule_version: expect.any(String),
        calendar_version: expect.stringContaining('@'),
        steps: expect.arrayContaining([expect.objectContaining({ n: 1 })]),
      });
    }
    const elsewhere = { TZ: 'Pacific/Kiritimati', LANG: 'ar_EG.UTF-8', LC_ALL: 'th_TH.UTF-8' };
    expect(run(['deadline', 'compute', '--json'], lines, elsewhere).out).toBe(first.out);
  });

  it('answers a bad line in its place and goes on', () => {
    const bad = JSON.stringify({
      id: 'x',
      rule: 'US-ROLL',
      trigger_date: '2024-01-31',
      period: 'P3M',
    });
    const { code, out } = run(['deadline', 'compute', '--json'], `${bad}\nnot json\n${lines}`);
    const answers = out.trim().split('\n');
    expect(code).toBe(1);
    expect(answers).toHaveLength(golden.length + 2);
    expect(answers[0]).toContain('"code":"JURISDICTION_UNRESOLVED"');
    expect(answers[1]).toContain('"code":"CASE_INVALID"');
  });

  it('takes a firm’s calendar, and refuses a bad one by its line', () => {
    const calendar = {
      kind: 'calendar',
      code: 'epo',
      extends: 'epo',
      title: 'EPO and us',
      version: 'firm-1',
      checked: '2026-11-15',
      zone: 'Europe/Berlin',
      dates: [{ date: '2024-09-30', reason: 'Strike', standing: 'verified', source: 'notice' }],
    };
    const good = file('epo.json', calendar);
    const input = lines.split('\n').find((line) => line.includes('EP-008')) ?? '';
    const { out } = run(['deadline', 'compute', '--json', '--calendar', good], input);
    expect(JSON.parse(out)).toMatchObject({
      due: '2024-10-01',
      calendar_version: expect.stringMatching(/^epo@firm-1\+epo@/),
    });
    const bad = file('bad.json', {
      ...calendar,
      dates: [{ ...calendar.dates[0], date: '2024-09-31' }],
    });
    const refused = run(['deadline', 'compute', '--calendar', bad], input);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/bad\.json, line 11, \/dates\/0\/date/);
  });
});

describe('deadline explain', () => {
  const options = [
    '--office',
    'EP',
    '--rule',
    'EP-NOTIFICATION',
    '--trigger',
    '2024-08-27',
    '--period',
    'P4M',
  ];
  it('tells a person step by step, and a program the same', () => {
    const person = run(['deadline', 'explain', ...options]);
    expect(person.code).toBe(0);
    expect(person.out).toContain('- Friday 27 December 2024: Christmas closure');
    const program = JSON.parse(run(['--json', 'deadline', 'explain', ...options]).out) as object;
    expect(program).toMatchObject({
      data: { due: '2025-01-02', work_target: '2024-12-27', cutoff: '2025-01-02T23:00:00.000Z' },
    });
  });

  it('reads the case from standard input', () => {
    const { out } = run(['deadline', 'explain', '--case', '-'], lines.split('\n')[0]);
    expect(out).toContain('Tuesday 28 February 2023');
  });
});

describe('rules', () => {
  it('lists rules and calendars', () => {
    const { out } = run(['rules', 'list', '--office', 'JP']);
    expect(out).toContain('JP-OA-DOMESTIC');
    expect(out).not.toContain('US-REPLY-SSP');
    expect(out).toContain('irs-dc');
  });

  it('tells which dates a new calendar moves, and needs a person when one comes earlier', () => {
    const calendar = (version: string, standing: string): object => ({
      kind: 'calendar',
      code: 'uspto',
      extends: 'uspto',
      title: 'USPTO',
      version,
      checked: '2026-11-15',
      zone: 'America/New_York',
      dates: [{ date: '2026-12-24', reason: 'Order', standing, source: 'E.O.' }],
    });
    const before = file('old.json', calendar('old', 'open'));
    const after = file('new.json', calendar('new', 'verified'));
    const cases = join(folder, 'cases.ndjson');
    writeFileSync(
      cases,
      `${JSON.stringify({ id: 'D-1', office: 'US', rule: 'US-ROLL', trigger_date: '2026-09-24', period: 'P3M' })}\n${lines}`,
    );
    const later = run(['--json', 'rules', 'diff', before, after, '--cases', cases]);
    expect(later.code).toBe(0);
    expect(JSON.parse(later.out)).toMatchObject({
      data: {
        earlier: 0,
        unchanged: golden.length,
        moved: [{ id: 'D-1', due: { from: '2026-12-24', to: '2026-12-28' } }],
        calendars: [
          { code: 'uspto', days: [{ date: '2026-12-24', was: 'open', now: 'verified' }] },
        ],
      },
    });
    const back = run(['rules', 'diff', after, before, '--cases', cases]);
    expect(back.code).toBe(5);
    expect(back.out).toMatch(/EARLIER {2}D-1 .*2026-12-28 -> 2026-12-24/);
  });

  it('compares whole folders', () => {
    const copy = join(folder, 'law');
    mkdirSync(copy);
    spawnSync('cp', ['-r', join(ROOT, 'law/calendars'), join(ROOT, 'law/rules'), copy]);
    const same = run(['rules', 'diff', join(ROOT, 'law'), copy]);
    expect(same.out.trim()).toBe('The law is the same.');
    expect(same.code).toBe(0);
  });
});
