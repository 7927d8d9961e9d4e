/** docs/guide/service.md, as it is written: its commands run by a shell against a service. */
import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../fixtures/built-tree.ts';
import { House } from './house.ts';

const shell = promisify(execFile);
const GUIDE = readFileSync(join(ROOT, 'docs/guide/service.md'), 'utf8');
const blocks = [...GUIDE.matchAll(/<!-- run -->\n```sh\n([\s\S]*?)```/g)].map(
  ([, text = '']) => text,
);

let house: House;
let folder: string;
beforeAll(async () => {
  house = await House.make();
  folder = await mkdtemp(join(tmpdir(), 'fw-guide-'));
  writeFileSync(join(folder, 'ann.key'), await house.keyOf(house.ann));
  writeFileSync(join(folder, 'ben.key'), await house.keyOf(house.ben));
  copyFileSync(join(ROOT, 'samples/entities.csv'), join(folder, 'entities.csv'));
});
afterAll(async () => {
  await house.close();
  await rm(folder, { recursive: true, force: true });
});

/** Each command answers with one JSON object. */
async function run(text: string, more: Record<string, string> = {}) {
  const answers: Record<string, unknown>[] = [];
  for (const line of text.trim().split('\n')) {
    const env = { ...process.env, URL: house.client.url, ...more };
    const { stdout } = await shell('sh', ['-c', line], { cwd: folder, env });
    answers.push(JSON.parse(stdout) as Record<string, unknown>);
  }
  return answers;
}

it('its commands do what it says', async () => {
  const [signIn = '', change = '', approve = ''] = blocks;
  expect(blocks).toHaveLength(3);
  expect((await run(signIn))[1]).toMatchObject({ name: 'Ann' });
  const [first, second] = await run(change);
  expect(first).toMatchObject({ batch: expect.any(String), sha256: expect.any(String) });
  expect(second).toEqual(first);
  const seen = { BATCH: String(first?.['batch']), SHA256: String(first?.['sha256']) };
  const [, terms, done] = await run(approve, seen);
  expect(terms).toMatchObject({ sha256: seen.SHA256 });
  expect(done?.['code']).toBeUndefined();
  const cookie = await house.signedIn(house.ann);
  const batch = await house.client.get(`/batches/${seen.BATCH}`, { cookie });
  expect(batch.body['batch']).toMatchObject({ state: 'approved' });
});
