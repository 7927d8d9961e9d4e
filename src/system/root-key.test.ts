import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRootKey, rootKeyFile } from './root-key.ts';

let dataDirectory: string;

beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'fw-key-'));
});
afterEach(() => rmSync(dataDirectory, { recursive: true }));

const read = (mayCreate: boolean, environment: Record<string, string> = {}): Uint8Array =>
  readRootKey({ dataDirectory, environment, mayCreate });

describe('the root key', () => {
  it('is made once, for its owner alone, and stays', () => {
    const made = read(true);
    expect(made).toHaveLength(32);
    expect(statSync(rootKeyFile(dataDirectory)).mode & 0o777).toBe(0o600);
    expect(read(true)).toEqual(made);
    expect(readdirSync(dataDirectory)).toEqual(['root.key']);
  });

  it('is never made where sealed data waits for the old one', () => {
    expect(() => read(false)).toThrow('is not there');
    expect(readdirSync(dataDirectory)).toEqual([]);
  });

  it('from the environment goes before the file, and makes none', () => {
    expect(read(true, { FILEWRIGHT_ROOT_KEY: 'AB'.repeat(32) })).toEqual(Buffer.alloc(32, 0xab));
    expect(readdirSync(dataDirectory)).toEqual([]);
  });

  it('of a wrong shape is refused without being repeated', () => {
    expect(() => read(true, { FILEWRIGHT_ROOT_KEY: 'SECRET' })).toThrow(
      'expected 64 hex digits in FILEWRIGHT_ROOT_KEY, found 6 characters',
    );
    writeFileSync(rootKeyFile(dataDirectory), 'cut');
    expect(() => read(true)).toThrow('found 3 characters');
    expect(readFileSync(rootKeyFile(dataDirectory), 'utf8')).toBe('cut');
  });
});
