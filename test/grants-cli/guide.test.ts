/** The guide of the grants pipeline, followed line by line in their order. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../fixtures/built-tree.ts';
import { textAt } from '../fixtures/cli.ts';
import { House, listAt, type Said } from './house.ts';

const guide = readFileSync(join(ROOT, 'docs/guide/grants.md'), 'utf8');

interface Line {
  readonly words: readonly string[];
  readonly code: number;
}

/** `# exit 4: …` behind a line says what it ends with. */
const lines = [...guide.matchAll(/^```sh\n([^]*?)^```/gm)]
  .flatMap(([, block = '']) => block.split('\n'))
  .filter((line) => line.startsWith('filewright '))
  .map((line): Line => {
    const [command = '', comment = ''] = line.split(/ +# /);
    const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, a, b]) => a ?? b ?? '');
    return { words: words.slice(1), code: Number(/^exit (\d+)/.exec(comment)?.[1] ?? 0) };
  });

let house: House;
const said: Said[] = [];

beforeAll(async () => {
  house = await House.open();
});
afterAll(() => house.close());

/** What the guide leaves to the reader is looked up as a reader would. */
async function filledIn(word: string): Promise<string> {
  // What the command before has shown.
  if (word === 'HASH')
    return / --expect-hash ([0-9a-f]{64})/.exec(said.at(-1)?.stdout ?? '')?.[1] ?? '';
  if (word === 'EXCEPTION') {
    const listed = await house.data(['grants', 'exceptions', 'list', '--all']);
    return textAt(listed, 'exceptions', 0, 'id');
  }
  if (word !== 'LINE') return word;
  const aged = await house.data([
    '--key-file',
    'nora.key',
    'grants',
    'unmatched',
    '--as-of',
    '2026-06-30',
  ]);
  return textAt(
    listAt(aged, 'entries').find((entry) => entry['side'] === 'bank'),
    'id',
  );
}

describe('the guide, followed line by line', () => {
  it('every command runs in its order and ends as the guide says', async () => {
    expect(lines.length).toBeGreaterThan(30);
    for (const { words, code } of lines) {
      const filled: string[] = [];
      for (const word of words) filled.push(await filledIn(word));
      const ended = await house.run(...filled);
      expect(ended.code, `${words.join(' ')}\n${ended.stdout}${ended.stderr}`).toBe(code);
      said.push(ended);
    }
  });

  it('the year ends with the figures of its files, and with nothing open', async () => {
    const text = said.map(({ stdout }) => stdout).join('\n');
    // Four draws and the city; two foundations and a company; one campaign.
    expect(text).toMatch(/IRS990\/GovernmentGrantsAmt +Part VIII Line 1e +17251 +17,250\.75/);
    expect(text).toMatch(/IRS990\/AllOtherContributionsAmt +\S.* 25500 +25,500\.00/);
    expect(text).toMatch(/IRS990\/TotalContributionsAmt +\S.* 45001 +45,000\.75/);
    expect(text).toMatch(/SF425\/10c +10c +100 +100\.00/);
    expect(text).toContain('bank     2026-10-06  5,250.75  LB261006-0001');
    expect(text).toMatch(/conditional \(\d+\): owed only if federal expenditures of the year/);
    expect(await house.data(['grants', 'status'])).toMatchObject({
      openExceptions: 0,
      closedPeriods: 4,
      blockedReleases: 0,
      awards: 10,
    });
    const verified = await house.data(['audit', 'verify', '--bodies']);
    expect(verified).toMatchObject({ ok: true, waiting: 0 });
  });
});
