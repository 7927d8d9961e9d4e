import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CheckpointFiles, checkpointsFolder } from './checkpoint-copies.ts';

const ORIGIN = 'ledger.example.org/acme/filing';
const note = (text: string): Uint8Array => Buffer.from(text);

let folder: string;
let files: CheckpointFiles;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fw-copies-'));
  files = new CheckpointFiles(join(folder, 'a', 'b'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('copies of checkpoints', () => {
  it('lie one beside the other under the log’s name, the latest also by that name', async () => {
    await files.keep(ORIGIN, 9, note('nine'));
    await files.keep(ORIGIN, 10, note('ten'));
    const place = join(folder, 'a', 'b', ORIGIN);
    expect(readdirSync(place).sort()).toEqual(['10', '9', 'latest']);
    expect(readFileSync(join(place, 'latest'), 'utf8')).toBe('ten');
    expect(readFileSync(join(place, '9'), 'utf8')).toBe('nine');
  });

  it('are found by size, as numbers, whatever else lies there', async () => {
    expect(await files.newest(ORIGIN)).toBeUndefined();
    await files.keep(ORIGIN, 9, note('nine'));
    await files.keep(ORIGIN, 10, note('ten'));
    const place = join(folder, 'a', 'b', ORIGIN);
    for (const name of ['.11.cut', '012', '99x', '-5']) writeFileSync(join(place, name), 'x');
    expect(await files.newest(ORIGIN)).toEqual({ size: 10, note: note('ten') });
    // A crash came before `latest` was named.
    writeFileSync(join(place, '12'), 'twelve');
    expect((await files.newest(ORIGIN))?.size).toBe(12);
  });

  it('are put aside and never removed', async () => {
    await files.setAside(ORIGIN);
    for (const round of [1, 2]) {
      await files.keep(ORIGIN, round, note(String(round)));
      await files.setAside(ORIGIN);
      expect(await files.newest(ORIGIN)).toBeUndefined();
    }
    const place = join(folder, 'a', 'b', 'ledger.example.org', 'acme');
    expect(readdirSync(place).sort()).toEqual(['filing.aside-1', 'filing.aside-2']);
  });

  it('never leave their folder', async () => {
    await expect(files.keep('../../escape', 1, note('x'))).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('name the folder and the remedy when it cannot be used', async () => {
    writeFileSync(join(folder, 'file'), '');
    const blocked = new CheckpointFiles(join(folder, 'file', 'inside'));
    await expect(blocked.keep(ORIGIN, 1, note('x'))).rejects.toMatchObject({
      code: 'DATA_DIRECTORY',
      message: expect.stringContaining('FILEWRIGHT_CHECKPOINTS'),
    });
    chmodSync(folder, 0o755);
  });

  it('go where FILEWRIGHT_CHECKPOINTS says, or into the data directory', () => {
    expect(checkpointsFolder('/data', {})).toBe('/data/checkpoints');
    expect(checkpointsFolder('/data', { FILEWRIGHT_CHECKPOINTS: '' })).toBe('/data/checkpoints');
    expect(checkpointsFolder('/data', { FILEWRIGHT_CHECKPOINTS: '/worm' })).toBe('/worm');
  });
});
