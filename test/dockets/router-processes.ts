/** Routers in processes of their own, which can be killed. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../src/postgres/package-root.ts';

const ROLE = fileURLToPath(new URL('./router-process.mjs', import.meta.url));

export interface Build {
  readonly directory: string;
  remove(): void;
}

/** Types are checked elsewhere; here only the emitted code counts, which the compiler writes in any case. */
export async function buildTree(name = 'dockets'): Promise<Build> {
  const root = packageRoot();
  const directory = join(root, `dist.${name}-${process.pid}`);
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const options = ['-p', join(root, 'tsconfig.build.json'), '--outDir', directory];
  await new Promise<void>((resolve) => {
    execFile(process.execPath, [compiler, ...options], { cwd: root }, () => resolve());
  });
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

export interface RouterProcess {
  readonly ready: Promise<void>;
  /** The signal or the code that ended it. */
  readonly exit: Promise<NodeJS.Signals | number>;
  kill(): Promise<void>;
}

export function spawnRouter(
  build: Build,
  place: { readonly dataDirectory: string; readonly tenant: string },
  fate: 'never' | 'before' | 'after' = 'never',
): RouterProcess {
  const args = [ROLE, build.directory, place.dataDirectory, place.tenant, fate];
  const child: ChildProcess = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exit = new Promise<NodeJS.Signals | number>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? code ?? 1));
  });
  const ready = new Promise<void>((resolve) => {
    child.once('message', () => resolve());
    void exit.then(() => resolve());
  });
  return {
    ready,
    exit,
    kill: async () => {
      child.kill('SIGKILL');
      await exit;
    },
  };
}
