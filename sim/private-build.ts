/** The JavaScript of one simulation in a folder of its own, so that bugs can be planted in it. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROJECT_ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** The folder, which its caller removes; the JavaScript is in `out`. */
export function privateBuild(...mains: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'filewright-private-build-'));
  const project = join(folder, 'tsconfig.json');
  // Types are checked elsewhere; here only the JavaScript is wanted, and only of what the simulation needs.
  const compilerOptions = {
    noEmit: false,
    noCheck: true,
    declaration: false,
    rootDir: PROJECT_ROOT,
    outDir: join(folder, 'out'),
    typeRoots: [join(PROJECT_ROOT, 'node_modules/@types')],
  };
  const files = mains.map((main) => join(PROJECT_ROOT, main));
  const config = {
    extends: join(PROJECT_ROOT, 'tsconfig.json'),
    compilerOptions,
    include: [],
    files,
  };
  writeFileSync(project, JSON.stringify(config));
  const args = [join(PROJECT_ROOT, 'node_modules/typescript/bin/tsc'), '-p', project];
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: PROJECT_ROOT,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The build failed:\n${stdout}`);
  return folder;
}
