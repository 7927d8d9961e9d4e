/** Routers in processes of their own, which can be killed; whoever starts one calls `build` before. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BUILT } from '../fixtures/built-tree.ts';

const ROLE = fileURLToPath(new URL('./router-process.mjs', import.meta.url));

export interface RouterProcess {
  readonly ready: Promise<void>;
  /** The signal or the code that ended it. */
  readonly exit: Promise<NodeJS.Signals | number>;
  kill(): Promise<void>;
}

export function spawnRouter(
  place: { readonly dataDirectory: string; readonly tenant: string },
  fate: 'never' | 'before' | 'after' = 'never',
): RouterProcess {
  const args = [ROLE, BUILT, place.dataDirectory, place.tenant, fate];
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
