/** Starts the server so that it outlives this process, and tells when it is ready or why it is not. */

import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { chmod, chown, lstat, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cannotRun, OUTPUT_BYTES_MAX, SERVER_ENVIRONMENT } from './cluster.ts';
import { codeOf, fileStep, isMissing } from './failure.ts';
import type { Native } from './native.ts';
import type { Place } from './place.ts';
import { readPidFile } from './postmaster.ts';
import { spawnIdentity } from './server-user.ts';
import { serverArguments } from './settings.ts';
import { embeddedFailed } from './refusals.ts';

/** Short, because a start takes some 30 ms; each look reads one small file. */
export const POLL_MS = 5;

/** Crash recovery of a full `max_wal_size` on a slow disk takes minutes; a hung server is noticed after this. */
export const START_MS_MAX = 5 * 60_000;

// The log is trimmed whenever a command uses the server; it grows by a line or two per start.
const LOG_BYTES_MAX = 8 * 1024 * 1024;
const LOG_BYTES_KEPT = 256 * 1024;

type Launch =
  | { readonly outcome: 'ready'; readonly pid: number }
  | { readonly outcome: 'exited'; readonly output: string };

/**
 * If this process dies after the spawn, the server goes on starting and the next command attaches to it. If it
 * dies before, nothing has happened.
 */
export async function launch(
  place: Place,
  native: Native,
  overrides: Readonly<Record<string, string>> = {},
): Promise<Launch> {
  await ensureSocketDirectory(place);
  const log = await fileStep('open the server log', place.log, () =>
    // Appending, so that trimming from outside works while the server holds the file open.
    open(
      place.log,
      constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW,
      0o600,
    ),
  );
  try {
    const { size } = await log.stat();
    const child = spawn(
      join(native.directory, 'bin', 'postgres'),
      serverArguments({ ...place, overrides }),
      {
        // A directory the server's user can always enter; PostgreSQL moves to its own.
        cwd: '/',
        detached: true,
        env: SERVER_ENVIRONMENT,
        stdio: ['ignore', log.fd, log.fd],
        ...spawnIdentity(place.user),
      },
    );
    let ended: 'no' | 'exited' | { readonly error: unknown } = 'no';
    child.once('exit', () => {
      ended = 'exited';
    });
    child.once('error', (error) => {
      ended = { error };
    });
    child.unref();
    const hasEnded = (): typeof ended => ended; // Read afresh: the handlers above change it.
    const deadline = performance.now() + START_MS_MAX;
    while (performance.now() < deadline) {
      const end = hasEnded();
      if (typeof end === 'object') throw cannotRun(end.error, native);
      if (end === 'exited') {
        const buffer = Buffer.alloc(OUTPUT_BYTES_MAX);
        const { bytesRead } = await log.read(buffer, 0, buffer.length, size);
        return { outcome: 'exited', output: buffer.toString('utf8', 0, bytesRead) };
      }
      const file = await readPidFile(place.cluster);
      if (child.pid !== undefined && file?.pid === child.pid && file.phase === 'ready') {
        return { outcome: 'ready', pid: child.pid };
      }
      await sleep(POLL_MS);
    }
  } finally {
    await log.close();
  }
  throw embeddedFailed(
    `The server for ${place.cluster} is still starting after ${START_MS_MAX / 60_000} minutes; see ${place.log}. Run the command again to keep waiting.`,
    { details: { log: place.log } },
  );
}

/** Private to the server's user; one that belongs to anybody else (in a shared /tmp) is refused. */
async function ensureSocketDirectory(place: Place): Promise<void> {
  const { socketDirectory: path, user } = place;
  await fileStep('make the socket directory', path, async () => {
    try {
      await mkdir(path, { mode: 0o700 });
      await chmod(path, 0o700);
      if (user.kind === 'dropped') await chown(path, user.uid, user.gid);
      return;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const found = await lstat(path);
    // Root made it and died before handing it over.
    if (found.isDirectory() && found.uid === 0 && user.kind === 'dropped') {
      await chown(path, user.uid, user.gid);
    }
    const { uid, mode } = await lstat(path);
    if (!found.isDirectory() || uid !== user.uid || (mode & 0o077) !== 0) {
      throw embeddedFailed(
        `The socket directory ${path} should belong to uid ${user.uid} alone, and does not. Find out who made it, and remove it.`,
        { details: { path, owner: uid } },
      );
    }
  });
}

/** Keeps the end of a log that has grown too large; lines written during the cut may be lost. */
export async function trimLog(path: string): Promise<void> {
  const log = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW).catch(
    (error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    },
  );
  if (log === undefined) return;
  try {
    const { size } = await log.stat();
    if (size <= LOG_BYTES_MAX) return;
    const kept = Buffer.alloc(LOG_BYTES_KEPT);
    const { bytesRead } = await log.read(kept, 0, kept.length, size - LOG_BYTES_KEPT);
    await log.truncate(0);
    await log.write(kept, 0, bytesRead);
  } finally {
    await log.close();
  }
}
