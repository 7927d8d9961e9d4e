/** The adversary writes rows: a number, a start time, a mark. None of them alone, nor all of them, has an innocent process ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, copyFileSync, linkSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemProcesses } from './processes.ts';
import { isMarked } from './worker-mark.ts';

const MARK = 'ab'.repeat(16);
/** Holds a file of that name open after its removal, as a worker does; `-` holds none. */
const HOLD = `const fs = require('node:fs'); const [path] = process.argv.slice(1);
if (path !== '-') { fs.openSync(path, 'wx', 0o600); if (!process.argv.includes('keep')) fs.rmSync(path); }
process.stdout.write('ready'); setInterval(() => {}, 1000);`;

let folder: string;
const children: ChildProcess[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fw-marks-'));
  // For a process of another user too.
  chmodSync(folder, 0o777);
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function started(
  args: readonly string[],
  { program = process.execPath, uid }: { readonly program?: string; readonly uid?: number } = {},
): Promise<number> {
  const child = spawn(program, ['-e', HOLD, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  children.push(child);
  await new Promise((ready) => child.stdout.once('data', ready));
  return child.pid ?? 0;
}

const nameOf = (mark: string): string => join(folder, `filewright-worker-${mark}`);
const startOf = (pid: number): string => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
};
const isAlive = (pid: number): boolean => startOf(pid) !== '';

describe.skipIf(process.platform !== 'linux')('a row ends', () => {
  const processes = systemProcesses();

  it('the worker that it names, to begin with', async () => {
    const pid = await started([nameOf(MARK)]);
    expect(isMarked(pid, MARK)).toBe(true);
    const start = startOf(pid);
    expect(await processes.end(pid, `${start}+${MARK}`)).toBe(true);
    expect(processes.isRunning(pid, start)).toBe(false);
  });

  it.each<[string, () => readonly string[]]>([
    ['only shows the mark among its arguments', () => ['-', `filewright-worker-${MARK}`, MARK]],
    ['holds a file of that name that is still there', () => [nameOf(MARK), 'keep']],
    ['holds a file whose name only ends alike', () => [`${nameOf(MARK)} (deleted)`, 'keep']],
    ['holds another mark', () => [nameOf('cd'.repeat(16))]],
  ])('no process that %s', async (_what, make) => {
    const args = make();
    const pid = await started(args);
    expect(await processes.end(pid, `${startOf(pid)}+${MARK}`)).toBe(false);
    expect(isAlive(pid)).toBe(true);
    if (args.includes('keep')) rmSync(args[0] ?? '');
  });

  it('no process that has the number of a worker that is gone', async () => {
    const pid = await started([nameOf(MARK)]);
    const earlier = `${Number(startOf(pid)) - 1}+${MARK}`;
    expect(processes.isRunning(pid, earlier)).toBe(false);
    // That worker is dead, so there is nothing to end; and its successor lives.
    expect(await processes.end(pid, earlier)).toBe(true);
    expect(isAlive(pid)).toBe(true);
  });

  it('no other program, whatever it holds', async () => {
    const copy = join(folder, 'another-program');
    try {
      linkSync(process.execPath, copy);
    } catch {
      // On another file system.
      copyFileSync(process.execPath, copy);
    }
    const pid = await started([nameOf(MARK)], { program: copy });
    expect(await processes.end(pid, `${startOf(pid)}+${MARK}`)).toBe(false);
    expect(isAlive(pid)).toBe(true);
  });

  it.skipIf(process.getuid?.() !== 0)('no process of another user', async () => {
    const pid = await started([nameOf(MARK)], { uid: 65_534 });
    expect(await processes.end(pid, `${startOf(pid)}+${MARK}`)).toBe(false);
    expect(isAlive(pid)).toBe(true);
  });

  it.each([0, 1, -1, -process.pid, 2 ** 31, Number.NaN, 1.5])(
    'nothing at the number %s',
    async (pid) => {
      expect(isMarked(pid, MARK)).toBe(false);
      await processes.end(pid, `1+${MARK}`);
      expect(isAlive(process.pid)).toBe(true);
    },
  );

  it('nothing where the mark is missing or is no mark', async () => {
    const pid = await started([nameOf(MARK)]);
    for (const mark of ['', '+', '+xyz', `+${MARK}0`, `+${MARK.toUpperCase()}`, '+../..']) {
      await processes.end(pid, `${startOf(pid)}${mark}`);
      expect(isAlive(pid), mark).toBe(true);
    }
  });

  it('nothing of another machine or container: the host is the machine, its start and its numbering of processes', () => {
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    expect(processes.host).toContain(bootId);
    expect(processes.host).toMatch(/\/pid:\[\d+\]$/);
  });
});
