/** File steps that survive a power cut: written, synced, and put in place by one rename. */

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, mkdir, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from './failure.ts';
import type { ServerUser } from './server-user.ts';

/** Makes the entries of a directory durable (a new or renamed file is lost otherwise). */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Makes a directory and its parents. Node's own recursive `mkdir` never returns where a directory exists and takes
 * no entries (`/proc`); this one tries each level once.
 */
export async function makeDirectory(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
    // Said again, because the umask of the caller takes bits away that the server's user needs.
    await chmod(path, mode);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    const parent = dirname(path);
    if (code !== 'ENOENT' || parent === path || (await isDirectory(parent))) throw error;
    await makeDirectory(parent, mode);
    await makeDirectory(path, mode);
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false, // Missing, or unreadable: making it says which.
  );
}

/**
 * Replaces a file in one step. Written under a new name that must not exist (`wx` follows no link), because the
 * directory may belong to an unprivileged user while we write as root.
 */
export async function replaceFile(
  path: string,
  text: string,
  options: { readonly mode: number; readonly owner?: ServerUser },
): Promise<void> {
  const fresh = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const handle = await open(fresh, 'wx', options.mode);
    try {
      await handle.writeFile(text);
      if (options.owner?.kind === 'dropped')
        await handle.chown(options.owner.uid, options.owner.gid);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/**
 * Puts a directory in place exactly once, whoever else tries at the same moment.
 *
 * `build` fills a scratch directory beside `final` and returns the finished directory in it, synced. The rename
 * is the decision: it fails when `final` is already filled, so the first one wins and the others use what they
 * find. A process killed half-way leaves only scratch, which the next winner sweeps away. Sweeping cannot hurt:
 * from the rename on, whoever is still building has lost already.
 */
export async function installOnce(
  final: string,
  options: {
    readonly isInstalled: () => Promise<boolean>;
    readonly build: (scratch: string) => Promise<string>;
  },
): Promise<'built' | 'found'> {
  if (await options.isInstalled()) return 'found';
  const prefix = `${basename(final)}.new-`;
  const parent = dirname(final);
  const scratch = await mkdtemp(join(parent, prefix));
  try {
    // Searchable, so that an unprivileged server user can reach what is built in it.
    await chmod(scratch, 0o711);
    await rename(await options.build(scratch), final);
  } catch (error) {
    await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
    const code = codeOf(error);
    // Also when the build broke because a winner swept our scratch: what counts is that it is there.
    if (await options.isInstalled()) return 'found';
    if (code === 'ENOTEMPTY') throw new Error(`${final} holds something else`, { cause: error });
    throw error;
  }
  await syncDirectory(parent);
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue;
    // A loser may still be writing there; what resists is left for the next winner.
    await rm(join(parent, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
  }
  return 'built';
}
