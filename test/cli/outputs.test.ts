/** What people ask to be written: whole or not at all, and the same answer whichever command cannot write it. */
import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';
import { CliWorld, envelopeOf, type Variables } from '../fixtures/cli.ts';
import { csv, row } from './rows.ts';

let world: CliWorld;
let paula: Variables;
let input: string;

beforeAll(async () => {
  // Exit codes are promised of processes.
  world = await CliWorld.make('own');
  paula = await world.person('Paula Preparer');
  const profile = await world.file('lane.json', JSON.stringify(sampleProfile({})));
  await world.data(['lane', 'add', profile], paula);
  input = await world.file('rows.csv', csv(row('1'), row('2', { due: 'soon' })));
});

afterAll(() => world.close());

/** Each command that writes one file where it is told to. */
const FILES: readonly (readonly [string, (file: string) => readonly string[]])[] = [
  ['obligation list --csv', (file) => ['obligation', 'list', '--csv', file]],
  ['obligation list --ics', (file) => ['obligation', 'list', '--ics', file]],
  ['report 990 --csv', (file) => ['report', '990', '--period', '2026', '--csv', file]],
  ['report 990 --export', (file) => ['report', '990', '--period', '2026', '--export', file]],
  ['ics --state', (file) => ['ics', '--state', file]],
  ['batch import --errors', (file) => ['batch', 'import', input, '--errors', file]],
];
/** Those that never write over what is there. */
const NEW_FILES: typeof FILES = [
  ['user add --key-out', (file) => ['user', 'add', 'Nobody', '--key-out', file]],
  ['portal new --file', (file) => ['portal', 'new', 'US-VT', '--file', file]],
];
const FOLDERS: typeof FILES = [
  ['audit export', (folder) => ['audit', 'export', folder]],
  ['audit export --format', (folder) => ['audit', 'export', folder, '--format', 'ndjson']],
];

const fails = async (args: readonly string[]): Promise<object> => {
  const ended = await world.run(['--json', ...args], paula);
  return { exit: ended.code, ...(envelopeOf(ended).error as object) };
};

describe('a place that cannot be written', () => {
  it.each([...FILES, ...NEW_FILES, ...FOLDERS])(
    '%s: exit code 1, and the reason',
    async (_name, args) => {
      // A folder below a file is impossible for root too.
      const place = `${input}/below`;
      expect(await fails(args(place))).toMatchObject({
        exit: 1,
        code: 'OUTPUT_UNWRITABLE',
        message: expect.stringContaining(
          `${place} cannot be written: a part of its path is not a folder`,
        ),
      });
    },
  );

  it.each(FILES)('%s: a directory stays one, with nothing left beside it', async (_name, args) => {
    mkdirSync(world.path('place/taken'), { recursive: true });
    expect(await fails(args(world.path('place/taken')))).toMatchObject({
      exit: expect.any(Number),
    });
    expect(readdirSync(world.path('place'))).toEqual(['taken']);
  });

  it('no one was added and no batch was closed on the way', async () => {
    const { people } = await world.data(['user', 'list']);
    expect(people).toMatchObject([{ name: 'Paula Preparer' }]);
    const { batches } = await world.data(['batch', 'list']);
    expect(new Set((batches as { state: string }[]).map(({ state }) => state))).toEqual(
      new Set(['open']),
    );
  });
});

describe('what is there already', () => {
  // As /dev/null and /dev/stdout are: root could put a file in their place.
  it('a pipe takes what is written, and stays a pipe', async () => {
    const pipe = world.path('pipe');
    execFileSync('mkfifo', [pipe]);
    for (const args of [
      ['batch', 'import', input, '--errors', pipe],
      ['obligation', 'list', '--csv', pipe],
    ]) {
      const [written, ended] = await Promise.all([readFile(pipe, 'utf8'), world.run(args, paula)]);
      expect(ended.stderr).toBe('');
      expect(written).toMatch(/^(jurisdiction|obligation),/);
      expect(lstatSync(pipe).isFIFO()).toBe(true);
    }
  });

  it('a link stays a link, and what it leads to is written anew for its owner alone', async () => {
    writeFileSync(world.path('real.csv'), 'old');
    symlinkSync(world.path('real.csv'), world.path('link.csv'));
    await world.data(['obligation', 'list', '--csv', world.path('link.csv')], paula);
    expect(lstatSync(world.path('link.csv')).isSymbolicLink()).toBe(true);
    expect(readFileSync(world.path('real.csv'), 'utf8')).not.toBe('old');
    expect(lstatSync(world.path('real.csv')).mode & 0o077).toBe(0);
  });

  it('an export that fails leaves an empty place behind, so that the same command can be run again', async () => {
    mkdirSync(world.path('empty'));
    const nothing = [
      'audit',
      'export',
      world.path('empty'),
      '--from',
      '2001-01-01',
      '--to',
      '2001-01-02',
    ];
    expect(await fails([...nothing, '--format', 'ndjson'])).toMatchObject({ exit: 3 });
    expect(readdirSync(world.path('empty'))).toEqual([]);
    expect(await fails(nothing.with(2, world.path('made/below')))).toMatchObject({ exit: 3 });
    expect(readdirSync(world.folder)).not.toContain('made');
  });
});
