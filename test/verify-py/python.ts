/** Runs verify.py: as the command a reader would type, or many commands in one process through driver.py. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const script = fileURLToPath(new URL('../../tools/verify.py', import.meta.url));
const driver = fileURLToPath(new URL('./driver.py', import.meta.url));
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

// `python3` may be a shell script that starts the real one; that needs a shell, and time, at every call.
const real = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], {
  encoding: 'utf8',
});
export const python = real.status === 0 ? real.stdout.trim() : '';
export const missing = python === '' || spawnSync('openssl', ['version']).status !== 0;
export const condition = missing ? ' (skipped: python3 or openssl is missing)' : '';

export interface Report {
  readonly ok: boolean;
  readonly reason: string | null;
  readonly where: string | null;
  readonly size: number | null;
  readonly root: string | null;
  readonly origin: string | null;
  readonly warnings: readonly string[];
  readonly logs?: readonly { readonly origin: string }[];
  readonly code: number;
}

/** The answers have the shape that driver.py gives to that kind of command. */
export function drive<T>(commands: readonly (readonly unknown[])[]): T[] {
  const { stdout, stderr, status } = spawnSync(python, [driver, script], {
    input: JSON.stringify(commands),
    maxBuffer: OUTPUT_BYTES_MAX,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`driver.py ended with ${status}: ${stderr}`);
  // Only driver.py writes this output.
  return JSON.parse(stdout) as T[];
}

export const verify = (...argv: readonly string[]): Report => {
  const [report] = drive<Report>([['run', argv]]);
  if (report === undefined) throw new Error('driver.py gave no answer');
  return report;
};

export function command(argv: readonly string[], options: { cwd?: string; path?: string } = {}) {
  const { stdout, stderr, status } = spawnSync(python, argv, {
    encoding: 'utf8',
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.path === undefined ? {} : { env: { PATH: options.path } }),
  });
  return { status, stderr, lines: stdout.trimEnd().split('\n') };
}
