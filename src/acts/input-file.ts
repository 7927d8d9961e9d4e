/** Files that people name as input: looked at before anything is opened, refused with the reason. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { FilewrightError, whyUnreadable } from '../core/index.ts';

/**
 * The size of a file that this user may read. Asked before a stream is made of it: a stream tells of a fault when nobody
 * listens yet, and that ends the process.
 */
export async function readableFileBytes(path: string): Promise<number> {
  const known = await stat(path)
    .then(async (found) => {
      await access(path, constants.R_OK);
      return found;
    })
    .catch((error: unknown) => {
      throw unreadableFile(path, error);
    });
  if (!known.isFile()) throw new FilewrightError('NOT_FOUND', `${path} is not a file`);
  return known.size;
}

export function unreadableFile(path: string, error: unknown): FilewrightError {
  return new FilewrightError(
    'NOT_FOUND',
    `The file ${path} cannot be read: ${whyUnreadable(error)}`,
    { cause: error },
  );
}
