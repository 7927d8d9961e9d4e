/** Killed runs leave folders with servers in them; a living one's must not be touched. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { makeRunFolder, removeStale } from './fixtures/run-folder.ts';

const parent = mkdtempSync(join(tmpdir(), 'runs-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

it.skipIf(process.platform !== 'linux')(
  'what a killed run left is ended and removed, and what a living run or somebody else has is not',
  async () => {
    const own = makeRunFolder(parent);
    // Nobody was started at this moment with this number: the number is in use again.
    const stale = join(parent, `fw-run-${process.pid}-1`);
    const others = join(parent, 'fw-cli-abcdef');
    for (const folder of [join(stale, 'data'), others]) mkdirSync(folder, { recursive: true });
    const left = spawn('sleep', ['600'], { cwd: join(stale, 'data') });
    const living = spawn('sleep', ['600'], { cwd: own });
    try {
      const ended = new Promise((resolve) => left.once('exit', (_code, signal) => resolve(signal)));
      await new Promise((resolve) => left.once('spawn', resolve));
      removeStale(parent);
      expect(await ended).toBe('SIGKILL');
      expect([stale, own, others].map((folder) => existsSync(folder))).toEqual([false, true, true]);
      expect(living.exitCode).toBe(null);
      expect(living.signalCode).toBe(null);
    } finally {
      left.kill('SIGKILL');
      living.kill('SIGKILL');
    }
  },
);
