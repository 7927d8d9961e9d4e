/** Plants each mutation in a copy of the built ledger and demands that the check named for it fails. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEDGER_CHECKS } from './checks/all-checks.ts';
import { PLANTED_MUTATIONS, type PlantedMutation } from './planted-mutations.ts';
import type { Check, Ledger } from './support.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const checks = Object.values(LEDGER_CHECKS).flat();

let workspace = '';
let build = '';

beforeAll(() => {
  workspace = mkdtempSync(join(tmpdir(), 'filewright-mutations-'));
  build = join(workspace, 'build');
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  // Its own build of these two rooms, so that a stale dist can neither hide a mutation nor miss its place. Types are
  // checked elsewhere.
  const args = ['--ignoreConfig', '--noCheck', '--module', 'nodenext', '--target', 'es2023'];
  const rooms = ['--rootDir', 'src', '--outDir', build, 'src/ledger/pure.ts'];
  const { status, stdout } = spawnSync(
    process.execPath,
    [compiler, ...args, '--rewriteRelativeImportExtensions', '--types', 'node', ...rooms],
    { cwd: root, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`The build failed:\n${stdout}`);
  writeFileSync(join(workspace, 'package.json'), '{"type":"module"}');
});

afterAll(() => rmSync(workspace, { recursive: true, force: true }));

/** Loads a build of the ledger; each folder is a room of its own, with nothing shared. */
async function load(folder: string): Promise<Ledger> {
  const address = pathToFileURL(join(folder, 'ledger/pure.js')).href;
  // It is a build of the very module that the type names.
  return (await import(/* @vite-ignore */ address)) as Ledger;
}

function plant({ name, file, find, replace }: PlantedMutation, index: number): string {
  const folder = join(workspace, `mutation-${index}`);
  cpSync(build, folder, { recursive: true });
  const path = join(folder, 'ledger', file);
  const text = readFileSync(path, 'utf8');
  const places = text.split(find).length - 1;
  if (places !== 1) {
    throw new Error(`"${name}": expected its text once in ${file}, found it ${places} times.`);
  }
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
  return folder;
}

function checkNamed(name: string): Check {
  const check = checks.find((one) => one.name === name);
  if (check === undefined) throw new Error(`There is no check named "${name}".`);
  return check;
}

async function failureOf(check: Check, ledger: Ledger): Promise<unknown> {
  try {
    await check.run(ledger);
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('the checks', () => {
  it('that mutations name all hold for the ledger as it is built', async () => {
    const ledger = await load(build);
    for (const name of new Set(PLANTED_MUTATIONS.map(({ caughtBy }) => caughtBy))) {
      expect(await failureOf(checkNamed(name), ledger), name).toBeUndefined();
    }
    expect(PLANTED_MUTATIONS.length).toBeGreaterThanOrEqual(15);
  });

  it.each(PLANTED_MUTATIONS.map((mutation, index) => ({ ...mutation, index })))(
    'notice that $name',
    async ({ index, ...mutation }) => {
      const ledger = await load(plant(mutation, index));
      const failure = await failureOf(checkNamed(mutation.caughtBy), ledger);
      expect(failure, `"${mutation.caughtBy}" did not notice`).toBeInstanceOf(Error);
    },
  );
});
