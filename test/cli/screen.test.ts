/** Text fits the screen of its reader, and has colors only where someone sees them. On a real terminal (script), too. */
import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Progress } from '../../src/cli/progress.ts';
import { cutTo, hasColor, setColor, visibleWidth } from '../../src/cli/screen.ts';
import { table } from '../../src/cli/table.ts';
import type { LaneCounts } from '../../src/lanes/index.ts';
import { build } from '../fixtures/built-tree.ts';
import { MAIN } from '../fixtures/cli.ts';

const ESCAPE = '\x1b';
/** A movement of the cursor, or one sign. */
const SIGNS = new RegExp(`${ESCAPE}\\[(\\d*)([A-Za-z])|([^])`, 'g');
const ID = '0198c1d2-7a3e-7000-8000-000000000001';

afterEach(() => {
  vi.unstubAllEnvs();
  setColor(false);
});

const HEAD = ['name', 'state', 'filings', 'why', 'id'];
const ROWS = [
  ['Alder Point Holdings, Inc.', 'frozen', 264, 'waits for the approval of a second person', ID],
  ['山田株式会社 ', 'open', 7, '', ID],
  ['Nguye\u0302\u0303n LLC', 'approved', 1_000, 'is sent as its filings come due', ID],
];

describe('a table', () => {
  it('measures what is seen, not what is stored', () => {
    expect([visibleWidth('山田'), visibleWidth('e\u0302\u0303'), visibleWidth('abc')]).toEqual([
      4, 1, 3,
    ]);
    const [head = '', ...lines] = table(HEAD, ROWS, undefined).split('\n');
    const at = head.indexOf('state');
    for (const line of lines) {
      const before = line.slice(0, line.search(/(frozen|open|approved) /));
      expect(visibleWidth(before), line).toBe(at);
    }
  });

  it.each([120, 100, 80, 60, 40, 24])(
    'is never wider than %i columns, and loses nothing',
    (columns) => {
      const text = table(HEAD, ROWS, columns);
      // An id is never broken, however narrow the screen is.
      const wide = text
        .split('\n')
        .filter((line) => visibleWidth(line) > columns && !line.includes(ID));
      expect(wide).toEqual([]);
      expect(text.split(ID)).toHaveLength(4);
      for (const word of 'Alder Point Holdings, Inc. frozen 264 second person 1000'.split(' ')) {
        expect(text).toContain(word);
      }
    },
  );

  it('is whole in a pipe', () => {
    expect(table(HEAD, ROWS, undefined).split('\n')).toHaveLength(4);
  });
});

describe('progress on a terminal', () => {
  const lane = (name: string, at: number): LaneCounts =>
    ({
      lane: name,
      accepted: at,
      rejected: 1,
      fallout: 0,
      pending: 5,
      submitted: 0,
      leastSlackMs: 86_400_000,
    }) as LaneCounts;

  /** A terminal of that size: what is on it after all that was written. */
  function screenAfter(
    size: { columns: number; rows: number },
    lanes: number,
    times: number,
  ): readonly string[] {
    vi.stubEnv('TERM', 'xterm');
    vi.stubEnv('COLUMNS', '');
    const lines: string[] = [''];
    let row = 0;
    const type = (text: string): void => {
      for (const [, move, code, sign] of text.matchAll(SIGNS)) {
        if (code === 'A') row = Math.max(0, row - Number(move));
        else if (code === 'K') lines[row] = '';
        else if (code === 'J') lines.length = row + 1;
        else if (sign === '\n') lines[(row += 1)] ??= '';
        else if (sign !== undefined) {
          // The terminal breaks a line that is full.
          if ((lines[row] ?? '').length >= size.columns) lines[(row += 1)] = '';
          lines[row] = `${lines[row] ?? ''}${sign}`;
        }
      }
    };
    // Only what progress asks of a terminal.
    const stream = { isTTY: true, ...size, write: type } as unknown as NodeJS.WriteStream;
    const progress = new Progress(stream);
    for (let at = 0; at < times; at += 1)
      progress.show(
        Array.from({ length: lanes }, (_, one) => lane(`US-${String(one).padStart(2, '0')}`, at)),
      );
    return lines;
  }

  it.each([
    { columns: 200, rows: 50 },
    { columns: 80, rows: 24 },
    { columns: 40, rows: 24 },
    { columns: 24, rows: 10 },
  ])('redraws in place with $columns columns', (size) => {
    const lines = screenAfter(size, 3, 20);
    expect(lines.filter((line) => line !== '')).toHaveLength(3);
    expect(lines.every((line) => line.length <= size.columns)).toBe(true);
  });

  it('of 51 lanes fits the height, and says how many are not shown', () => {
    const lines = screenAfter({ columns: 80, rows: 24 }, 51, 10).filter((line) => line !== '');
    expect(lines).toHaveLength(22);
    expect(lines.at(-1)).toBe('  and 30 more lanes');
  });

  it('in a pipe moves no cursor', () => {
    let said = '';
    const write = (text: string): boolean => ((said += text), true);
    new Progress({ isTTY: false, write } as unknown as NodeJS.WriteStream).show([lane('US-DE', 3)]);
    expect(said).toBe('US-DE 4/9\n');
  });

  it('cuts with a sign that something is cut', () => {
    expect(cutTo('abcdef', 4)).toBe('abc…');
    expect(visibleWidth(cutTo('山田株式会社', 5))).toBeLessThanOrEqual(5);
  });
});

describe('color', () => {
  const terminal = { isTTY: true } as NodeJS.WriteStream;
  const pipe = { isTTY: false } as NodeJS.WriteStream;

  it.each([
    [{ TERM: 'xterm' }, terminal, true],
    [{ TERM: 'xterm' }, pipe, false],
    [{ TERM: 'dumb' }, terminal, false],
    [{ TERM: 'xterm', NO_COLOR: '1' }, terminal, false],
    [{ TERM: 'xterm', NO_COLOR: '1', FORCE_COLOR: '1' }, terminal, false],
    [{ TERM: 'xterm', FORCE_COLOR: '1' }, pipe, true],
    [{ TERM: 'xterm', FORCE_COLOR: '0' }, terminal, false],
  ])('with %j', (variables, stream, expected) => {
    for (const name of ['TERM', 'NO_COLOR', 'FORCE_COLOR'])
      vi.stubEnv(name, (variables as Record<string, string>)[name] ?? '');
    expect(hasColor(stream)).toBe(expected);
    setColor(true);
    expect(hasColor(stream)).toBe(false);
  });

  /** In a pseudo-terminal, as a person sees it. */
  function onTerminal(command: string, variables: NodeJS.ProcessEnv = {}): string {
    build();
    const { NO_COLOR: _n, FORCE_COLOR: _f, ...rest } = process.env;
    return spawnSync('script', ['-qec', `${process.execPath} ${MAIN} ${command}`, '/dev/null'], {
      encoding: 'utf8',
      env: { ...rest, TERM: 'xterm', COLUMNS: '80', ...variables },
    }).stdout;
  }

  const hasScript = spawnSync('script', ['--version']).status === 0;
  it.runIf(hasScript)('is on a terminal, and gone with NO_COLOR, --no-color and --json', () => {
    const list = 'obligation list-rules --jurisdiction US-DE';
    expect(onTerminal(list)).toContain(ESCAPE);
    expect(onTerminal('batch approve')).toMatch(/error: missing/);
    expect(onTerminal('--data-dir /nowhere/x lane list')).toContain(`${ESCAPE}[31mfilewright:`);
    for (const [line, variables] of [
      [list, { NO_COLOR: '1' }],
      [`--no-color ${list}`, {}],
      [`--json ${list}`, {}],
      [`--json ${list}`, { FORCE_COLOR: '1' }],
      [`${list} | cat`, {}],
    ] as const) {
      expect(onTerminal(line, variables), line).not.toContain(ESCAPE);
    }
  });
});
