/** Every line that a guide prints runs as printed. A page that is in no list here fails. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './fixtures/built-tree.ts';
import { CliWorld, type Json, textAt } from './fixtures/cli.ts';
import { type PrintedLine, printedLines, Reader } from './fixtures/printed-lines.ts';

/** Pages whose lines a test of their own runs, in a world that they need: brokers, a year of books, an administrator of the database. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'docs/guide/grants.md': 'test/grants-cli/guide.test.ts',
  'docs/guide/keys.md': 'test/keys/guide.test.ts',
  'docs/guide/proof.md': 'test/ledger-cli/keeping.test.ts',
  'docs/guide/service.md': 'test/service/guide.test.ts',
};

/** Their lines are parsed by docs.test.ts; to run them takes a world that no walk here sets up yet. The list may only get shorter. */
const PARSED_ALONE: Readonly<Record<string, string>> = {
  'docs/guide/by-hand.md':
    'a table of receipts of the filings in hand; test/hand walks the commands',
  'docs/guide/diagnose.md': 'exceptions that a portal made; test/review walks the commands',
  'docs/guide/dockets.md': 'routers and brokers; test/docket-cli walks the commands',
  'docs/guide/people.md': 'codes that two people were shown; test/people walks the commands',
  'docs/guide/review.md': 'exceptions that a portal made; test/review walks the commands',
  'docs/guide/slack.md':
    'an alert of something that another person did; test/forecast walks the commands',
};

/** Lines that cannot end here, each with its reason. The list may only get shorter. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'npm start': 'test/docs.test.ts runs the demo, test/cli/endings.test.ts npm start itself',
  'npm test': 'it is what runs this',
  "alias filewright='npm run -s filewright --'": 'a shell that runs a script knows no aliases',
  'npm run sim -- --seeds 2000': 'scripts/check.mjs runs it',
  'npm run sim -- --seed 17 --trace': 'sim/sim.test.ts',
  'npm run chaos -- --kills 20': 'scripts/check.mjs --full runs it',
  'npm run years -- --seeds 20': 'sim/grants-years',
  'filewright simulator --profile us-vt.json --port 4010': 'test/portals/guide.test.ts runs it',
  'filewright portal check us-vt.json http://127.0.0.1:4010/US-VT': 'test/portals/guide.test.ts',
};

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].filter((page) => printedLines(page).length > 0);

/** Where the reader stands before the first line. */
type Prepare = (reader: Reader) => Promise<void>;
/** What a word in capitals stands for, from what was shown so far. */
type Fill = (reader: Reader, shown: readonly string[], line: string) => Promise<string>;

const twoPeople: Prepare = async ({ world }) => {
  for (const [file, who] of [
    ['paula.key', 'Paula Preparer'],
    ['arthur.key', 'Arthur Approver'],
  ] as const)
    await world.data(['user', 'add', who, '--key-out', world.path(file)]);
};

const by = (reader: Reader, who: 'paula' | 'arthur') => ({
  FILEWRIGHT_KEY: readFileSync(reader.world.path(`${who}.key`), 'utf8').trim(),
});

/** The sample batch on its lanes, as its preparer leaves it. */
const importedSample: Prepare = async (reader) => {
  await twoPeople(reader);
  const { world } = reader;
  const paula = by(reader, 'paula');
  for (const code of ['de', 'ca', 'ny'])
    await world.data(['lane', 'add', world.path(`profiles/us-${code}.json`)], paula);
  await world.data(['batch', 'import', world.path('samples/entities.csv')], paula);
};

const newest =
  (...of: readonly string[]): Fill =>
  async (reader) => {
    const [list = '', noun = '', key = ''] = of;
    return textAt(await reader.world.data(list.split(' '), by(reader, 'paula')), noun, 0, key);
  };

/** What the last lines have shown. */
const shownLast =
  (pattern: RegExp): Fill =>
  async (_reader, shown) =>
    shown.flatMap((text) => [...text.matchAll(pattern)].map(([, found = '']) => found)).at(-1) ??
    '';

const HASH = shownLast(/hash +([0-9a-f]{64})/g);
/** The office of Nevada goes by Pacific time; a minute ago, so that no clock is behind. */
const FILED_AT: Fill = async () =>
  new Intl.DateTimeFormat('sv-SE', {
    timeZone: 'America/Los_Angeles',
    dateStyle: 'short',
    timeStyle: 'short',
  }).format(Date.now() - 60_000);

/** The filing that Paula has in hand, or else the most urgent one to take; after it is filed, that one. */
const inHand: Fill = async (reader, shown) => {
  const taken = /Filing ([0-9a-f-]{36}) is accepted/.exec(shown.join('\n'))?.[1];
  if (taken !== undefined) return taken;
  const { filings } = await reader.world.data(['hand', 'list'], by(reader, 'paula'));
  const rows = filings as readonly Json[];
  return String((rows.find((one) => one['state'] === 'taken') ?? rows[0])?.['filing']);
};

const BATCH = newest('batch list', 'batches', 'id');

interface Walk {
  readonly prepare?: Prepare;
  readonly fill?: Readonly<Record<string, Fill>>;
}

const WALKS: Readonly<Record<string, Walk>> = {
  'CONTRIBUTING.md': {},
  'docs/guide/register.md': { prepare: twoPeople },
  'docs/guide/spreadsheet.md': { prepare: twoPeople },
  'docs/guide/law.md': {},
  'README.md': { fill: { BATCH, FILING: inHand, FILED_AT, HASH } },
  'docs/guide/approve.md': { prepare: importedSample, fill: { BATCH, HASH } },
  'docs/guide/portal-profile.md': { prepare: twoPeople, fill: { HASH } },
};

describe('every page with command lines', () => {
  it('is run: here, or by the test that names it', () => {
    const unlisted = PAGES.filter(
      (page) => !(page in WALKS) && !(page in ELSEWHERE) && !(page in PARSED_ALONE),
    );
    expect(unlisted).toEqual([]);
    for (const [page, test] of Object.entries(ELSEWHERE)) {
      expect(existsSync(join(ROOT, test)) && readFileSync(join(ROOT, test), 'utf8')).toContain(
        page,
      );
    }
  });

  it('a line that is not run is printed somewhere', () => {
    const all = PAGES.flatMap((page) => printedLines(page).map(bare));
    expect(Object.keys(NOT_RUN).filter((line) => !all.includes(line))).toEqual([]);
  });
});

describe.each(Object.entries(WALKS))('%s', (page, { prepare, fill = {} }) => {
  it('runs as printed', { timeout: 240_000 }, async () => {
    const lines = printedLines(page).filter((line) => !(bare(line) in NOT_RUN));
    if (lines.length === 0) return;
    const world = await (page === 'README.md' ? CliWorld.bare() : CliWorld.make('own'));
    try {
      const reader = new Reader(world);
      await prepare?.(reader);
      const shown: string[] = [];
      for (const line of lines) {
        const text = await filled(reader, line.text, shown, fill);
        const ended = reader.run(text);
        expect(ended.code, `${page}: ${text}\n${ended.stdout}${ended.stderr}`).toBe(line.code);
        shown.push(ended.stdout);
      }
    } finally {
      await world.close();
    }
  });
});

/** Without its comment. */
function bare({ text }: PrintedLine): string {
  return text.replace(/ +#.*$/, '');
}

async function filled(
  reader: Reader,
  text: string,
  shown: readonly string[],
  fill: Readonly<Record<string, Fill>>,
): Promise<string> {
  let result = text;
  for (const [word, look] of Object.entries(fill)) {
    const place = new RegExp(`\\b${word}\\b(?![^#]*=)`);
    while (place.test(result.replace(/ +#.*$/, '')))
      result = result.replace(place, await look(reader, shown, text));
  }
  return result;
}
