/** What `postmaster.pid` says, and whether the process it names is really this cluster's server. */

import { execFile } from 'node:child_process';
import { readFile, readlink, realpath, rename, rm, link } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { codeOf, isMissing } from './failure.ts';
import type { Place } from './place.ts';
import { SOCKET_PORT } from './settings.ts';

const run = promisify(execFile);

export type Phase = 'starting' | 'ready' | 'stopping';

/** PostgreSQL writes the file line by line, so the later fields may be missing for a moment. */
export interface PidFile {
  readonly text: string;
  readonly pid: number;
  readonly directory: string | undefined;
  readonly port: number;
  readonly socketDirectory: string | undefined;
  readonly phase: Phase;
}

export async function readPidFile(cluster: string): Promise<PidFile | undefined> {
  try {
    return parsePidFile(await readFile(join(cluster, 'postmaster.pid'), 'utf8'));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Lines: pid, data directory, start time, port, socket directory, address, shared memory, status. */
export function parsePidFile(text: string): PidFile | undefined {
  const lines = text.split('\n');
  // Negative for a server in single-user mode, which we never start.
  const pid = Number(lines[0]?.trim());
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  const status = lines[7]?.trim();
  return {
    text,
    pid,
    directory: lines[1] === '' ? undefined : lines[1],
    port: Number(lines[3] ?? SOCKET_PORT) || SOCKET_PORT,
    socketDirectory: lines[4] === '' ? undefined : lines[4],
    phase: status === 'ready' ? 'ready' : status === 'stopping' ? 'stopping' : 'starting',
  };
}

/** The pid of the cluster's live server; undefined when the file is missing, stale or names a stranger. */
export async function findPostmaster(cluster: string): Promise<PidFile | undefined> {
  const file = await readPidFile(cluster);
  return file !== undefined && (await isPostmasterOf(file.pid, cluster)) ? file : undefined;
}

/**
 * Pids are reused, most of all in containers that restart, so a number alone proves nothing. PostgreSQL works
 * in its data directory: the process must be called postgres and be there.
 */
export async function isPostmasterOf(pid: number, cluster: string): Promise<boolean> {
  return process.platform === 'linux'
    ? isPostmasterByProc(pid, cluster)
    : isPostmasterByPs(pid, cluster);
}

async function isPostmasterByProc(pid: number, cluster: string): Promise<boolean> {
  try {
    const program = (await readlink(`/proc/${pid}/exe`)).replace(/ \(deleted\)$/, '');
    if (basename(program) !== 'postgres') return false;
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(cluster));
  } catch (error) {
    const code = codeOf(error);
    // Gone, a zombie, or another user's: in each case not a server that we run.
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM')
      return false;
    throw error;
  }
}

async function isPostmasterByPs(pid: number, cluster: string): Promise<boolean> {
  try {
    const { stdout } = await run('/bin/ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
    return /(^|\/)postgres /.test(stdout) && stdout.includes(` -D ${cluster} `);
  } catch {
    // ps fails when there is no such process.
    return false;
  }
}

/**
 * Clears what a dead server left when its pid now belongs to a stranger: PostgreSQL only asks whether the number
 * is alive, and would refuse to start for ever. An ordinary stale file is left to PostgreSQL itself.
 */
export async function clearReusedPid(place: Place): Promise<void> {
  const stale = await readPidFile(place.cluster);
  if (stale === undefined || !isAlive(stale.pid)) return;
  if (await isPostmasterOf(stale.pid, place.cluster)) return;
  const path = join(place.cluster, 'postmaster.pid');
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (isMissing(error)) return; // Another starter was faster.
    throw error;
  }
  // Between reading and moving, another starter may have put a live server's file there: give it back.
  const moved = await readFile(aside, 'utf8');
  if (moved !== stale.text) {
    await link(aside, path).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
  } else {
    await rm(join(place.socketDirectory, `.s.PGSQL.${SOCKET_PORT}.lock`), { force: true });
  }
  await rm(aside, { force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
