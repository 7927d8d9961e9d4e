/** The guide to keys, line by line: what it prints is what people type after a key was leaked. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../fixtures/built-tree.ts';
import { type Json, textAt } from '../fixtures/cli.ts';
import { type LedgerCli, ledgerCli } from '../ledger-cli/world.ts';

let cli: LedgerCli;
beforeAll(async () => {
  cli = await ledgerCli(2, 'Kept');
  await cli.world.file('paula.key', `${cli.paula['FILEWRIGHT_KEY']}\n`);
  await cli.world.file('arthur.key', `${cli.arthur['FILEWRIGHT_KEY']}\n`);
});
afterAll(() => cli?.close());

const PAGE = readFileSync(join(ROOT, 'docs/guide/keys.md'), 'utf8');
const LINES = [...PAGE.matchAll(/^```sh\n([^]*?)^```/gm)].flatMap(([, block = '']) =>
  block.trimEnd().split('\n'),
);

it('every line runs in its order, and everything opens afterwards with all keys new', async () => {
  const { world } = cli;
  const ids = async (): Promise<string[]> =>
    ((await world.data(['key', 'list']))['keys'] as readonly Json[])
      .filter((key) => key['level'] !== 'data' && key['state'] === 'in use')
      .map((key) => textAt(key, 'id'));
  const before = await ids();
  let hash = '';
  expect(LINES.length).toBeGreaterThan(6);
  for (const line of LINES) {
    if (!line.startsWith('filewright ')) {
      execFileSync('sh', ['-c', line], { cwd: world.folder });
      continue;
    }
    const words = [...line.slice('filewright '.length).matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, plain]) => quoted ?? plain ?? '',
    );
    const ended = await world.run(['--json', ...words.map((word) => word.replace('$HASH', hash))]);
    // The doctor of a test world finds other things to warn of.
    if (!line.includes('doctor')) expect(ended.code, `${line}\n${ended.stdout}`).toBe(0);
    const { data } = JSON.parse(ended.stdout) as Json;
    if (line.includes('key rotate')) hash = line.includes('signing') ? '' : textAt(data, 'hash');
    if (line.includes('doctor')) expect(ended.stdout).toContain('confirmed');
  }
  const after = await ids();
  expect(after.length).toBe(before.length);
  expect(after.filter((id) => before.includes(id))).toEqual([]);
  await world.data(['audit', 'verify', '--bodies']);
});
