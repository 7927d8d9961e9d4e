/** What a person waits for: `npm start` from installed to finished, and commands that only read. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface CommandTimes {
  readonly startSeconds: number;
  readonly reads: readonly { readonly command: string; readonly seconds: number }[];
}

const READS = [
  ['batch', 'status'],
  ['batch', 'list'],
  ['filing', 'list'],
  ['lane', 'list'],
  ['review', 'list'],
  ['user', 'list'],
];
const REPEATS = 5;

export function commandTimes(): CommandTimes {
  const cli = fileURLToPath(new URL('../cli/main.js', import.meta.url));
  const dataDirectory = mkdtempSync(join(tmpdir(), 'filewright-bench-'));
  const run = (...args: string[]): number => {
    const startedMs = performance.now();
    const { status, stderr } = spawnSync(
      process.execPath,
      [cli, '--data-dir', dataDirectory, ...args],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
    return (performance.now() - startedMs) / 1000;
  };
  try {
    const startSeconds = run('demo');
    const reads = READS.map((command) => {
      const times = Array.from({ length: REPEATS }, () => run('--tenant', 'demo', ...command)).sort(
        (a, b) => a - b,
      );
      // The slowest counts: a person notices the one that is slow.
      return { command: command.join(' '), seconds: times.at(-1) ?? 0 };
    });
    return { startSeconds, reads };
  } finally {
    run('db', 'stop');
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}
