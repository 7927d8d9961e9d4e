import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { beginRootKeyRotation, finishRootKeyRotation } from './root-key.ts';
import { type RootKeySource, rootKeySource } from './root-key-source.ts';

let dataDirectory: string;
beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'fw-source-'));
});
afterEach(() => rmSync(dataDirectory, { recursive: true }));

const source = (reference: string | undefined): RootKeySource =>
  rootKeySource({
    dataDirectory,
    environment: { PATH: process.env['PATH'], FILEWRIGHT_ROOT_KEY: reference },
    mayCreate: true,
  });

/** A keeper of a key that never shows it: AES-GCM with the context as additional data. */
const KEEPER = `#!/usr/bin/env node
const { createCipheriv, createDecipheriv, randomBytes } = require('node:crypto');
const key = Buffer.alloc(32, 5);
const request = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
if (process.env.FILEWRIGHT_ROOT_KEY !== undefined) process.exit(9);
if (request.v !== 1) process.exit(8);
if (request.op === 'wrap') {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(request.context));
  const out = Buffer.concat([cipher.update(Buffer.from(request.key, 'base64')), cipher.final()]);
  console.log(JSON.stringify({ wrapped: Buffer.concat([nonce, cipher.getAuthTag(), out]).toString('base64') }));
} else {
  const blob = Buffer.from(request.wrapped, 'base64');
  const open = createDecipheriv('aes-256-gcm', key, blob.subarray(0, 12)).setAAD(Buffer.from(request.context));
  open.setAuthTag(blob.subarray(12, 28));
  console.log(JSON.stringify({ key: Buffer.concat([open.update(blob.subarray(28)), open.final()]).toString('base64') }));
}
`;

function program(text: string): string {
  const path = join(dataDirectory, 'keeper.cjs');
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return `command:${path} --some argument`;
}

function command(reference: string): RootKeySource & { kind: 'command' } {
  const found = source(reference);
  if (found.kind !== 'command') throw new Error('expected a command');
  return found;
}

describe('the source of the root key', () => {
  it('is the file in the data directory by default', () => {
    expect(source(undefined)).toMatchObject({ kind: 'local', key: { length: 32 } });
    expect(readdirSync(dataDirectory)).toEqual(['root.key']);
  });

  it('knows both keys of a rotation that was interrupted, and one when it is finished', () => {
    const before = source(undefined);
    const next = beginRootKeyRotation(dataDirectory);
    expect(beginRootKeyRotation(dataDirectory)).toEqual(next);
    expect(source(undefined)).toEqual({ ...before, next });
    finishRootKeyRotation(dataDirectory);
    finishRootKeyRotation(dataDirectory);
    expect(source(undefined)).toEqual({ kind: 'local', key: next });
    // The former one stays: older backups of the database open with no other.
    expect(readdirSync(dataDirectory)).toEqual(['root.key', 'root.key.former-1']);
  });

  it('may be another file, which is never made', () => {
    const file = join(dataDirectory, 'elsewhere');
    expect(() => source(`file:${file}`)).toThrow('is missing');
    writeFileSync(file, `${'ab'.repeat(32)}\n`);
    expect(source(`file:${file}`)).toEqual({ kind: 'local', key: Buffer.alloc(32, 0xab) });
    expect(readdirSync(dataDirectory)).toEqual(['elsewhere']);
  });

  it('may be the digits themselves', () => {
    expect(source('cd'.repeat(32))).toEqual({ kind: 'local', key: Buffer.alloc(32, 0xcd) });
  });

  it('may be a command that wraps and unwraps, bound to the context', async () => {
    const keeper = command(program(KEEPER));
    const key = Buffer.alloc(32, 7);
    const wrapped = await keeper.wrap(key, 'tenant/t-1');
    expect(Buffer.from(wrapped).includes(key)).toBe(false);
    expect(await keeper.unwrap(wrapped, 'tenant/t-1')).toEqual(key);
    await expect(keeper.unwrap(wrapped, 'tenant/t-2')).rejects.toMatchObject({
      code: 'ROOT_KEY_MISSING',
      message: expect.stringContaining('exit code'),
    });
  });

  it.each([
    ['process.exit(3)', 'exit code 3'],
    [`console.log('SECRET')`, 'not JSON'],
    [`console.log(JSON.stringify({ other: 'SECRET' }))`, 'no "wrapped"'],
    [`console.log(JSON.stringify({ wrapped: 5 }))`, 'no "wrapped"'],
    [`console.log('x'.repeat(100000))`, 'too much'],
  ])('names what a command did wrong, and not what it printed: %s', async (text, reason) => {
    const keeper = command(program(`#!/usr/bin/env node\n${text}`));
    const failure = await keeper.wrap(Buffer.alloc(32), 'x').catch((error: unknown) => error);
    expect(String(failure)).toContain(reason);
    expect(String(failure)).not.toContain('SECRET');
  });

  it('refuses a key of another length', async () => {
    const keeper = command(
      program(`#!/usr/bin/env node\nconsole.log(JSON.stringify({ key: 'AAAA' }))`),
    );
    await expect(keeper.unwrap(Buffer.alloc(9), 'x')).rejects.toThrow('3 bytes instead of 32');
    await expect(command('command:/no/such/program').wrap(Buffer.alloc(32), 'x')).rejects.toThrow(
      'ENOENT',
    );
    expect(() => source('command: ')).toThrow('Expected a program');
  });
});
