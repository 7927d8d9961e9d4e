/** A command in a warm process ends as it would end in one of its own. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ended } from '../fixtures/cli.ts';
import { runWarm } from '../fixtures/warm-commands.ts';

let folder = '';

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'fw-warm-')));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(script: string, args: readonly string[] = [], msMax = 20_000): Promise<Ended> {
  const main = join(folder, 'main.mjs');
  writeFileSync(main, script);
  return runWarm({ main, args, folder, environment: { PLANET: 'earth' }, msMax });
}

describe('a command in a warm process', () => {
  it('has its own arguments, folder and environment, and its output to itself', async () => {
    const script = `console.log(process.argv.slice(2).join(), process.cwd(), Object.entries(process.env).join());
      console.error('said aside'); process.exitCode = 3; process.env.LEFT = 'behind';`;
    const said = (args: string): Ended => ({
      code: 3,
      stdout: `${args} ${folder} PLANET,earth\n`,
      stderr: 'said aside\n',
    });
    expect(await run(script, ['a', 'b'])).toEqual(said('a,b'));
    expect(await run(script, ['c'])).toEqual(said('c'));
    expect(await run('')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('ends when nothing is left that would keep its process alive', async () => {
    const late = await run(`setTimeout(() => { console.log('late'); process.exitCode = 5; }, 200)`);
    expect(late).toEqual({ code: 5, stdout: 'late\n', stderr: '' });
  });

  it('is killed when it hangs', async () => {
    const hung = await run(`console.log('waiting'); setInterval(() => {}, 1_000)`, [], 500);
    expect(hung).toEqual({ code: null, stdout: 'waiting\n', stderr: '' });
  });

  it.each([
    ['ends its process', 'process.exit(7)', 7],
    ['throws', 'throw new Error("lost")', 1],
    ['throws later', 'setTimeout(() => { throw new Error("lost") })', 1],
    ['waits for the end of its process', `process.once('exit', () => { process.exitCode = 9 })`, 9],
  ])('that %s ends with its code, and the next one runs', async (_name, script, code) => {
    expect((await run(script)).code).toBe(code);
    expect((await run('')).code).toBe(0);
  });

  it('has an input of its own, which is empty', async () => {
    const script = `let length = 0; for await (const part of process.stdin) length += part.length;
      console.log(length);`;
    for (let round = 0; round < 2; round += 1) expect((await run(script)).stdout).toBe('0\n');
  });

  it('leaves no listener behind', async () => {
    const script = `const count = () => process.listenerCount('SIGTERM') + process.stdout.listenerCount('error');
      console.log(count()); process.on('SIGTERM', () => {}); process.stdout.once('error', () => {});`;
    for (let round = 0; round < 3; round += 1) expect((await run(script)).stdout).toBe('0\n');
  });
});
