/** Somebody in the wrong folder, or with a mistyped name: never an empty installation that says nothing is due. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliWorld, envelopeOf } from '../fixtures/cli.ts';

let world: CliWorld;
const nowhere = { FILEWRIGHT_DATA: undefined };

beforeAll(async () => {
  world = await CliWorld.make('own');
});

afterAll(() => world.close());

describe('a folder without an installation', () => {
  it.each([
    ['filing', 'list'],
    ['batch', 'status'],
    ['review', 'list'],
    ['forecast'],
    ['user', 'add', 'Paula Preparer'],
    ['worker'],
    ['jobs', 'run'],
    ['audit', 'verify'],
    ['db', 'start'],
    ['db', 'stop'],
  ])('is named by %s %s, which makes nothing', async (...words) => {
    const before = await readdir(world.folder);
    const ended = await world.run(['--json', ...words], nowhere);
    expect(ended.code, ended.stdout).toBe(3);
    expect(envelopeOf(ended)).toMatchObject({
      error: { code: 'NO_INSTALLATION', remedy: expect.stringContaining('filewright init') },
    });
    expect(await readdir(world.folder)).toEqual(before);
  });

  it('is a finding of doctor', async () => {
    const ended = await world.run(['doctor'], nowhere);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain('No .filewright was found in');
  });

  it('is refused also where it was named', async () => {
    const typed = join(world.folder, 'dta');
    const ended = await world.run(['--data-dir', typed, 'filing', 'list'], nowhere);
    expect(ended).toMatchObject({ code: 3, stdout: '' });
    expect(ended.stderr).toContain(`${typed} holds no installation`);
    expect(existsSync(typed)).toBe(false);
  });
});

describe('a mistyped tenant', () => {
  it('is refused with the names that there are, and is not made', async () => {
    for (const words of [['filing', 'list'], ['user', 'add', 'Paula Preparer'], ['forecast']]) {
      const ended = await world.run(['--tenant', 'mian', ...words]);
      expect(ended).toMatchObject({ code: 3, stdout: '' });
      expect(ended.stderr).toContain('The tenant mian is not in this database (it has main)');
    }
    await world.data(['--tenant', 'other', 'init']);
    expect(await world.data(['--tenant', 'other', 'filing', 'list'])).toMatchObject({
      filings: [],
    });
  });
});

describe('an installation', () => {
  it('is found from a folder below it', async () => {
    const below = join(world.folder, 'clients/contoso');
    await mkdir(below, { recursive: true });
    await world.data(['db', 'stop']);
    await rename(world.dataDirectory, join(world.folder, '.filewright'));
    try {
      expect(await world.data(['filing', 'list'], nowhere)).toMatchObject({ filings: [] });
      await world.data(['db', 'stop'], nowhere);
    } finally {
      await rename(join(world.folder, '.filewright'), world.dataDirectory);
    }
  });

  it('is made by init, once: the second time changes nothing', async () => {
    const place = ['--data-dir', join(world.folder, 'new')];
    const first = await world.data([...place, 'init'], nowhere);
    expect(first).toMatchObject({ tenant: 'main', people: [] });
    expect(await world.data([...place, 'init'], nowhere)).toEqual(first);
    await world.data([...place, 'db', 'stop'], nowhere);
  });

  it('is not begun by a call of init that is wrong', async () => {
    const place = ['--data-dir', join(world.folder, 'never')];
    const ended = await world.run([...place, 'init', '--admin', 'Paula'], nowhere);
    expect(ended.code).toBe(2);
    expect(existsSync(join(world.folder, 'never'))).toBe(false);
  });
});
