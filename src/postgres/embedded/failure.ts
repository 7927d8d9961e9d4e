/** Turns what the operating system and PostgreSQL say into errors a person can act on. */

import { statfs } from 'node:fs/promises';
import { FilewrightError } from '../../core/index.ts';
import { badDirectory, embeddedFailed } from './refusals.ts';

// A cluster that cannot write 16 more pages has no room for its lock file and log either, so an empty log
// together with so little space means a full disk.
const FREE_BYTES_MIN = 128 * 1024;

/** The `code` of a Node system error (`ENOENT`) or of a PostgreSQL error (`57P03`). */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Wraps a failed file operation; an error that is already ours passes unchanged. */
export function fileFailure(error: unknown, options: { doing: string; path: string }): Error {
  if (error instanceof FilewrightError) return error;
  const { doing, path } = options;
  const code = codeOf(error);
  const details = { path };
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new FilewrightError(
        'DISK_FULL',
        `Could not ${doing}: there is no space left on the disk that holds ${path}. Free some space and run the same command again.`,
        { cause: error, details },
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return badDirectory(
        `Could not ${doing}: this user may not use ${path} (${code}). Correct its owner or mode, or choose another data directory.`,
        { cause: error, details },
      );
    case 'ENOTDIR':
    case 'EEXIST':
      return badDirectory(
        `Could not ${doing}: expected a directory at ${path}, found something else. Choose another data directory.`,
        { cause: error, details },
      );
    case 'ENOENT':
      return badDirectory(
        `Could not ${doing}: ${path} cannot be created, or disappeared in the meantime. Check the path.`,
        { cause: error, details },
      );
    case 'ENAMETOOLONG':
      return badDirectory(
        `Could not ${doing}: the path ${path} is too long. Choose a shorter data directory.`,
        { cause: error, details },
      );
    case undefined:
    default:
      return embeddedFailed(
        `Could not ${doing} at ${path}: ${error instanceof Error ? error.message : String(error)}.`,
        { cause: error, details },
      );
  }
}

/** Runs a file operation and words its failure. */
export async function fileStep<T>(doing: string, path: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw fileFailure(error, { doing, path });
  }
}

/** Words the failure of `initdb` or `postgres` from what it printed. */
export async function serverFailure(options: {
  readonly doing: string;
  readonly output: string;
  readonly log: string;
  readonly directory: string;
}): Promise<FilewrightError> {
  const { doing, log, directory } = options;
  const output = options.output.trim();
  const details = { log, directory };
  if (/No space left on device|Disk quota exceeded/.test(output) || (await isFull(directory))) {
    return new FilewrightError(
      'DISK_FULL',
      `Could not ${doing}: there is no space left on the disk that holds ${directory}. Free some space and run the same command again.`,
      { details },
    );
  }
  const said = output === '' ? 'it printed nothing' : output;
  if (/Permission denied|Read-only file system|wrong ownership|invalid permissions/.test(output)) {
    return badDirectory(
      `Could not ${doing}: the server may not use ${directory}. Correct its owner or mode. Its message: ${said}`,
      { details },
    );
  }
  return embeddedFailed(`Could not ${doing}; see ${log}. Its message: ${said}`, {
    details,
  });
}

async function isFull(directory: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize < FREE_BYTES_MIN;
  } catch {
    // Only a refinement of the message: where the space cannot be read, the server's words stand alone.
    return false;
  }
}
