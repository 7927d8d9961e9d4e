import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ExportFolder } from './export-folder.ts';

let place: string;
let umask: number;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'fw-export-'));
  umask = process.umask();
});
afterEach(() => {
  process.umask(umask);
  rmSync(place, { recursive: true });
});

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

it.each([0o000, 0o022, 0o077])(
  'an export is readable for its owner alone, under umask %s',
  async (mask) => {
    process.umask(mask);
    const path = join(place, 'new', 'export');
    const folder = await ExportFolder.create(path);
    await folder.write('logs/filing/checkpoint', 'note');
    const lines = await folder.lines('lines.txt');
    await lines.add(Buffer.from('one'));
    await lines.close();
    await folder.writeManifest();
    for (const name of ['..', '.', 'logs', 'logs/filing']) {
      expect([name, modeOf(join(path, name))]).toEqual([name, '700']);
    }
    for (const name of ['logs/filing/checkpoint', 'lines.txt', 'MANIFEST.sha256']) {
      expect([name, modeOf(join(path, name))]).toEqual([name, '600']);
    }
    expect(readdirSync(path).sort()).toEqual(['MANIFEST.sha256', 'lines.txt', 'logs']);
  },
);

it('a folder that was there and open to all is closed before anything lies in it', async () => {
  const path = join(place, 'open');
  mkdirSync(path);
  chmodSync(path, 0o777);
  await ExportFolder.create(path);
  expect(modeOf(path)).toBe('700');
});
