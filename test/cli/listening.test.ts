/** Where input comes from and where servers listen: what is impossible there is said in words, and never taken for nothing. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliWorld, envelopeOf, MAIN } from '../fixtures/cli.ts';

let world: CliWorld;

beforeAll(async () => {
  world = await CliWorld.make();
});

afterAll(() => world.close());

describe('standard input that cannot be read', () => {
  it.each([
    ['ics', '--state', 'feed.json'],
    ['deadline', 'compute'],
    ['obligation', 'compute'],
    ['tax', 'delaware'],
    ['grants', 'evaluate'],
  ])('%s %s is not taken for an empty one', (...args) => {
    // A directory opens, and fails at the first read.
    const input = openSync(world.folder, 'r');
    const { status, stderr, stdout } = spawnSync(process.execPath, [MAIN, ...args], {
      cwd: world.folder,
      encoding: 'utf8',
      stdio: [input, 'pipe', 'pipe'],
    });
    closeSync(input);
    expect(stderr).toMatch(/^filewright: Standard input cannot be read: it is a directory\n/);
    expect({ status, stdout }).toEqual({ status: 3, stdout: '' });
  });

  it('nor is a case file of rules diff', async () => {
    const law = await world.file('cases.ndjson', '');
    const shipped = new URL('../../law', import.meta.url).pathname;
    for (const [file, why] of [
      [world.folder, 'it is a directory'],
      [`${law}.not`, 'there is no such file'],
    ] as const) {
      const ended = await world.run(['rules', 'diff', shipped, shipped, '--cases', file]);
      expect(ended).toMatchObject({ code: 3, stdout: '' });
      expect(ended.stderr).toContain(`The case file ${file} cannot be read: ${why}`);
    }
  });
});

describe('an address that no one can listen on', () => {
  it.each(['192.0.2.1', 'nowhere.invalid'])('serve --host %s: exit code 2', async (host) => {
    const ended = await world.run([
      '--json',
      'serve',
      '--host',
      host,
      '--behind-proxy',
      '10.0.0.0/8',
      '--port',
      '0',
    ]);
    expect(ended.code).toBe(2);
    expect(envelopeOf(ended).error).toMatchObject({
      code: 'USAGE',
      message: `--host: ${host} is not an address of this machine`,
    });
  });
});
