import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FilewrightError } from '../core/errors.ts';
import { Credentials } from './credentials.ts';

const node = process.execPath;
const HOST = 'portal.example';
const directory = mkdtempSync(join(tmpdir(), 'filewright-credentials-'));
const listFile = join(directory, 'secrets.json');
afterAll(() => rmSync(directory, { recursive: true }));

/** The operator's list, which here grows with every reference that is tried. */
const list: object[] = [];
function listed(reference: string): string {
  list.push({ reference, environment: ['GREETING'] });
  writeFileSync(listFile, JSON.stringify({ format: 1, secrets: list }));
  return reference;
}

function withClock(environment: Record<string, string> = {}, commandMsMax = 5_000) {
  const clock = { ms: 0 };
  const credentials = new Credentials({
    environment: { ...environment, FILEWRIGHT_SECRETS: listFile },
    monotonicMs: () => clock.ms,
    commandMsMax,
  });
  return { clock, credentials };
}

function file(name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return listed(`file:${path}`);
}

const command = (script: string) => listed(`command:${JSON.stringify([node, '-e', script])}`);

async function refusal(reference: string, credentials = withClock().credentials) {
  const error = await credentials.resolve(listed(reference), HOST).then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!(error instanceof FilewrightError)) throw new Error('expected a refusal');
  expect(error.code).toBe('CREDENTIAL_UNREADABLE');
  expect(error.cause).toBeUndefined();
  return error.message;
}

describe('a credential reference', () => {
  it('leads to the injected environment, not to the one of the process', async () => {
    const { credentials } = withClock({ PORTAL_KEY: 'k-1' });
    await expect(credentials.resolve(listed('env:PORTAL_KEY'), HOST)).resolves.toBe('k-1');
    await expect(refusal('env:PATH', credentials)).resolves.toContain('env:PATH');
  });

  it('leads to a password that no header could hold, for a form alone', async () => {
    const { credentials } = withClock({ PASSWORD: 'pässwörd ', LINES: 'a\nb' });
    await expect(credentials.resolve(listed('env:PASSWORD'), HOST, 'field')).resolves.toBe(
      'pässwörd ',
    );
    expect(credentials.cached('env:PASSWORD', HOST)).toBeUndefined();
    await expect(refusal('env:PASSWORD', credentials)).resolves.toContain('no header may hold');
    await expect(credentials.resolve(listed('env:LINES'), HOST, 'field')).rejects.toThrow(
      'no field may hold',
    );
  });

  it('leads to a file, without its last line break', async () => {
    const { credentials } = withClock();
    await expect(credentials.resolve(file('key', 'from file\n'), HOST)).resolves.toBe('from file');
  });

  it('leads to the output of a command that is run without a shell', async () => {
    const { credentials } = withClock({ GREETING: 'hello' });
    const print = command('console.log(process.env.GREETING + " " + process.argv.length)');
    await expect(credentials.resolve(print, HOST)).resolves.toBe('hello 1');
    const shellWords = `command:${node} -p process.argv.slice(1).join("|") $HOME ;ls`;
    await expect(credentials.resolve(listed(shellWords), HOST)).resolves.toBe('$HOME|;ls');
  });

  it('is read once for many, kept for a minute, and then read again', async () => {
    const { clock, credentials } = withClock();
    const reference = file('rotated', 'old');
    const both = await Promise.all([
      credentials.resolve(reference, HOST),
      credentials.resolve(reference, HOST),
    ]);
    expect(both).toEqual(['old', 'old']);
    file('rotated', 'new');
    clock.ms = 59_999;
    expect(credentials.cached(reference, HOST)).toBe('old');
    clock.ms = 60_000;
    expect(credentials.cached(reference, HOST)).toBeUndefined();
    await expect(credentials.resolve(reference, HOST)).resolves.toBe('new');
  });

  it.each([
    ['an unset variable', 'env:NOT_SET', 'not set'],
    ['a missing file', 'file:/nowhere/at/all', 'ENOENT'],
    ['a directory', 'file:/tmp', 'cannot be read'],
    ['a missing program', 'command:/nowhere/at/all x', 'ENOENT'],
    ['a failing command', command('console.error("s3cret"); process.exit(3)'), 'exit code 3'],
    ['a command that prints nothing', command(''), 'empty'],
  ])('that leads to %s is refused by name', async (_name, reference, reason) => {
    const message = await refusal(reference);
    expect(message).toContain(reference);
    expect(message).toContain(reason);
  });

  it('never shows the value it found, nor a secret written in its place', async () => {
    expect(await refusal(file('bad', 's3cret\r\nX-Evil: 1'))).not.toContain('s3cret\r');
    expect(await refusal(file('huge', 's3cret'.repeat(10_000)))).not.toContain('s3cret');
    expect(await refusal('hunter2')).not.toContain('hunter2');
    const printing = join(directory, 'print.mjs');
    writeFileSync(printing, 'console.log("s3" + "cret"); process.exit(1)');
    expect(await refusal(`command:${node} ${printing}`)).not.toContain('s3cret');
  });

  it('bounds the time and the output of a command', async () => {
    const { credentials } = withClock({}, 200);
    const endless = await refusal(command('setInterval(() => {}, 1000)'), credentials);
    expect(endless).toContain('took too long');
    const chatty = await refusal(command('console.log("x".repeat(100000))'));
    expect(chatty).toContain('printed too much');
  });

  it.skipIf(process.platform === 'win32')('does not wait for a named pipe', async () => {
    const path = join(directory, 'pipe');
    execFileSync('mkfifo', [path]);
    expect(await refusal(`file:${path}`)).toContain(path);
  });
});
