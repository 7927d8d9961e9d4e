/** The documents say what is so: commands parse and run, links lead somewhere, tables equal the code. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../src/core/errors.ts';
import { picture } from '../scripts/picture.mjs';
import { errorsPage } from '../src/core/errors-page.ts';
import { factsPage } from '../src/core/facts/facts-page.ts';
import { ROOT } from './fixtures/built-tree.ts';
import { CliWorld } from './fixtures/cli.ts';
import { faultsOf } from './fixtures/command-lines.ts';

const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** The lines of the shell blocks, without their comments. */
const shellLines = (page: string): string[] =>
  [...read(page).matchAll(/^```sh\n([^]*?)^```/gm)]
    .flatMap(([, block = '']) => block.split('\n'))
    .map((line) => line.replace(/ +#.*$/, ''))
    .filter((line) => line !== '');

/** `filewright ...` in shell blocks and in running text. */
const commandLines = (page: string): string[] => [
  ...shellLines(page).filter((line) => line.startsWith('filewright ')),
  ...[...read(page).matchAll(/`(?:npm run -s )?filewright (?:-- )?([^`\n]+)`/g)].map(
    ([, rest = '']) => `filewright ${rest}`,
  ),
];

describe('commands in the documents', () => {
  it.each(PAGES)('%s names only commands and options that exist', (page) => {
    expect(commandLines(page).flatMap(faultsOf)).toEqual([]);
    const scripts = Object.keys(scriptsOf());
    const named = [...read(page).matchAll(/npm run (?:-s )?([\w:]+)/g)].map(
      ([, name = '']) => name,
    );
    expect(named.filter((name) => !scripts.includes(name))).toEqual([]);
  });

  it('a misspelled command, option or a missing argument would be noticed', () => {
    expect(faultsOf('filewright batch improt x.csv')).toHaveLength(1);
    expect(faultsOf('filewright batch import x.csv --dry')).toHaveLength(1);
    expect(faultsOf('filewright batch approve')).toHaveLength(1);
    expect(faultsOf('filewright --key-file k batch import x.csv --dry-run')).toEqual([]);
  });
});

describe('the README', () => {
  let world: CliWorld;

  beforeAll(async () => {
    world = await CliWorld.bare();
  });
  afterAll(() => world.close());

  it('has the picture that its script makes', () => {
    expect(read('docs/filewright.svg')).toBe(picture());
    expect(read('README.md')).toContain('](docs/filewright.svg)');
  });

  it('npm start does the whole job within a minute', async () => {
    // With the flags of the door itself, which the benches use too.
    const [, flags = ''] = /^#!.* node (.*)/.exec(read('src/cli/main.ts')) ?? [];
    expect(flags).toContain('--heap-growing-percent');
    expect(scriptsOf()['start']).toBe(`node ${flags} scripts/run.mjs cli/main.js demo`);
    expect(scriptsOf()['filewright']).toBe(`node ${flags} scripts/run.mjs cli/main.js`);
    const demo = world.start(['demo']);
    const ended = await demo.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toMatch(/US-DE +20 +20 +20 +0 +0 +0/);
    expect(ended.stdout).toMatch(/US-CA +20 +20 +19 +1 +0 +0/);
    expect(ended.stdout).toMatch(/\/demo\/filing +\d+ +\d+ +verified/);
  });
});

describe('links and names', () => {
  it.each(PAGES)('%s links to files that exist', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(
      ([, path = '']) => path,
    );
    const missing = links.filter((path) => !existsSync(join(ROOT, dirname(page), path)));
    expect(missing).toEqual([]);
  });

  it('each row of the threat model names tests that are there, by file and title', () => {
    const rows = read('docs/security.md')
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| who '));
    expect(rows.length).toBeGreaterThan(35);
    for (const row of rows) {
      const cells = row.split('|').slice(1, -1);
      const tests = [...(cells.at(-1) ?? '').matchAll(/`([^`]+)`: `([^`]+)`/g)];
      expect([cells.length, tests.length > 0], row).toEqual([5, true]);
      for (const [, file = '', title = ''] of tests) {
        expect(
          existsSync(join(ROOT, file)) && read(file).includes(title),
          `${file}: ${title}`,
        ).toBe(true);
      }
    }
  });

  it('ARCHITECTURE.md names files that exist', () => {
    const named = [...read('ARCHITECTURE.md').matchAll(/`((?:[\w.-]+\/)+[\w.-]*)`/g)].map(
      ([, path = '']) => path,
    );
    expect(named.length).toBeGreaterThan(20);
    const missing = named.filter(
      (path) =>
        [path, `src/${path}`].every((each) => !existsSync(join(ROOT, each))) &&
        !/^filewright\/(testing|calendar|ledger)$/.test(path),
    );
    expect(missing).toEqual([]);
  });
});

describe('reference pages', () => {
  it('errors.md is the catalogue', () => {
    expect(read('docs/reference/errors.md')).toBe(errorsPage());
  });

  it('facts.md is the catalogue of facts; npm run facts writes it', () => {
    expect(read('docs/reference/facts.md')).toBe(factsPage());
  });

  it('exit-codes.md lists the exit codes of the catalogue', () => {
    const [first = ''] = read('docs/reference/exit-codes.md').split('## ');
    const rows = [...first.matchAll(/^\| (\d+) \| ([\w ]+) \|/gm)];
    const named = (word: string): string =>
      word.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    expect(rows.map(([, code]) => Number(code))).toEqual(Object.values(EXIT));
    for (const [at, key] of Object.keys(EXIT).entries()) {
      expect(rows[at]?.[2]?.startsWith(named(key)), key).toBe(true);
    }
  });
});

function scriptsOf(): Record<string, string> {
  return (JSON.parse(read('package.json')) as { scripts: Record<string, string> }).scripts;
}
