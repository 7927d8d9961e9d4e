/** A short command is short: what it does not need is not loaded. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { build } from '../fixtures/built-tree.ts';
import { MAIN } from '../fixtures/cli.ts';

/** Files that are read before the program looks at its words. */
function loadedAtStart(file: string, known = new Set<string>()): ReadonlySet<string> {
  if (known.has(file)) return known;
  known.add(file);
  const text = readFileSync(file, 'utf8');
  for (const [, path = ''] of text.matchAll(/^(?:import|export) [^;]*?"(\.\/[^"]+)"/gm)) {
    loadedAtStart(join(dirname(file), path), known);
  }
  return known;
}

beforeAll(build);

describe('the command line', () => {
  it('loads little before it knows what is asked for', () => {
    const files = [...loadedAtStart(MAIN)];
    expect(files.length).toBeGreaterThan(2);
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
    expect(bytes).toBeLessThan(300_000);
    // Neither the database nor the portals: those are the thousand files that a short command would wait for.
    for (const file of files) {
      expect(readFileSync(file, 'utf8'), file).not.toMatch(/^import .*"(pg|pino|cheerio)"/m);
    }
  });

  it('knows the options of a command that is asked for, and of that alone', async () => {
    const program = await createProgram(['--json', 'batch', 'list']);
    const optionsOf = (name: string): number =>
      program.commands.find((command) => command.name() === name)?.commands.length ?? 0;
    expect(optionsOf('batch')).toBeGreaterThan(3);
    expect(optionsOf('docket')).toBe(0);
  });

  it('takes the value of an option for no command, and knows the one behind help', async () => {
    const known = async (...words: string[]) =>
      (await createProgram(words)).commands
        .filter(({ commands, options }) => commands.length + options.length > 0)
        .map((command) => command.name());
    expect(await known('--tenant', 'docket', 'batch', 'show', 'lane')).toEqual(['batch']);
    expect(await known('help', 'docket', 'show')).toEqual(['docket']);
    expect(await known('--bad', 'docket')).toEqual([]);
  });

  it('opens the database without the stories that a command is not about, or schemas and calendars', () => {
    const contexts = readdirSync(dirname(MAIN)).filter((name) => /^context-.*\.js$/.test(name));
    expect(contexts).not.toEqual([]);
    const files = contexts.flatMap((name) => [...loadedAtStart(join(dirname(MAIN), name))]);
    expect(files.length).toBeGreaterThan(5);
    const large = /\/(dockets|entities|filings|grants|oversight|profiles|typebox|undici)-/;
    expect(files.filter((file) => large.test(file))).toEqual([]);
    for (const file of files) {
      expect(readFileSync(file, 'utf8'), file).not.toMatch(/^import .*"(pino|temporal-polyfill)"/m);
    }
  });

  it.each(['batch', 'filing', 'review', 'user'])(
    'loads no HTTP client for the commands of %s',
    (name) => {
      const start = [...loadedAtStart(MAIN)].map((file) => readFileSync(file, 'utf8')).join('\n');
      const [, path = ''] = new RegExp(`import\\("(\\./${name}-[^"]+)"\\)`).exec(start) ?? [];
      const files = [...loadedAtStart(join(dirname(MAIN), path))];
      expect(files.length).toBeGreaterThan(5);
      expect(files.filter((file) => /\/(undici|portals|wire)-/.test(file))).toEqual([]);
    },
  );

  it('shows every command with what it does, in help as in the whole program', async () => {
    const [short, whole] = [await createProgram([]), await createProgram()];
    const lines = (program: typeof short) =>
      program.commands.map((command) => [command.name(), command.description()]);
    expect(lines(short)).toEqual(lines(whole));
    expect(lines(short).every(([, about]) => about !== '')).toBe(true);
  });
});
