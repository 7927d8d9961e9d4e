import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FilewrightError } from '../core/errors.ts';
import { installationOf, newPlaceOf, likelyPlaceOf, type Standing } from './installation-place.ts';

let root: string;
let standing: Standing;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'fw-place-')));
  for (const folder of ['firm/.filewright/postgres', 'firm/2027/march', 'other/postgres', 'empty'])
    mkdirSync(join(root, folder), { recursive: true });
  mkdirSync(join(root, 'home/.config/filewright'), { recursive: true });
});

beforeEach(() => {
  configure(undefined);
  standing = {
    flag: undefined,
    environment: {},
    here: join(root, 'empty'),
    home: join(root, 'home'),
  };
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

function configure(text: string | undefined): void {
  const file = join(root, 'home/.config/filewright/config.json');
  if (text === undefined) rmSync(file, { force: true });
  else writeFileSync(file, text);
}

describe('where the installation is', () => {
  it('nowhere, if nothing was named and there is none here or above', () => {
    expect(likelyPlaceOf(standing)).toBeUndefined();
    expect(() => installationOf(standing)).toThrow(
      expect.objectContaining({ code: 'NO_INSTALLATION' }),
    );
    expect(() => installationOf(standing)).toThrow(join(root, 'empty'));
  });

  it('in the nearest folder above, from any depth', () => {
    const here = join(root, 'firm/2027/march');
    expect(installationOf({ ...standing, here })).toBe(join(root, 'firm/.filewright'));
    expect(installationOf({ ...standing, here: join(root, 'firm') })).toBe(
      join(root, 'firm/.filewright'),
    );
  });

  it('what was named wins over what is near, and is refused where it holds none', () => {
    const here = join(root, 'firm');
    const environment = { FILEWRIGHT_DATA: join(root, 'other') };
    expect(installationOf({ ...standing, here, environment })).toBe(join(root, 'other'));
    const flag = join(root, 'empty');
    expect(() => installationOf({ ...standing, here, environment, flag })).toThrow(
      'holds no installation',
    );
  });

  it('what the configuration names, where nothing is nearer', () => {
    configure(JSON.stringify({ dataDirectory: join(root, 'other') }));
    expect(installationOf(standing)).toBe(join(root, 'other'));
    expect(installationOf({ ...standing, here: join(root, 'firm') })).toBe(
      join(root, 'firm/.filewright'),
    );
  });

  it.each([
    ['no JSON', '{', 'it is not JSON'],
    ['a misspelt name', '{"dataDir": "/x"}', '"dataDir" is not known'],
    ['a path that depends on where one stands', '{"dataDirectory": "x"}', 'the whole path'],
    ['a list', '[]', 'expected {"dataDirectory"'],
  ])('a configuration with %s is refused, and not passed over', (_what, text, words) => {
    configure(text);
    expect(() => likelyPlaceOf(standing)).toThrow(FilewrightError);
    expect(() => likelyPlaceOf(standing)).toThrow(words);
  });

  it('a new one is made right here, also below another', () => {
    expect(newPlaceOf({ flag: undefined, environment: {} })).toBe('.filewright');
    expect(newPlaceOf({ flag: undefined, environment: { FILEWRIGHT_DATA: '' } })).toBe(
      '.filewright',
    );
  });
});
