/** One answer for every output that cannot be written, whichever command was asked for it. */
import { FilewrightError } from './errors.ts';

const WHY: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'its folder does not exist'],
  ['ENOTDIR', 'a part of its path is not a folder'],
  ['EEXIST', 'something else exists there'],
  ['EISDIR', 'it is a directory'],
  ['EACCES', 'this user may not write there'],
  ['EPERM', 'this user may not write there'],
  ['EROFS', 'the file system is read-only'],
  ['ENAMETOOLONG', 'the name is too long'],
  ['ELOOP', 'the links in its path form a loop'],
  ['EFBIG', 'it would be larger than a file may be there'],
  ['EIO', 'the disk reports an error'],
  ['ENOSPC', 'there is no space left on the disk'],
  ['EDQUOT', 'there is no space left for this user on the disk'],
]);
const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/**
 * `what` begins the message: the path, or "The error file PATH"; `advice` ends it. Whatever is no failure of the file
 * system comes back as it is.
 */
export function cannotWrite(what: string, error: unknown, advice = ''): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const why = WHY.get(code);
  if (why === undefined) return error;
  return new FilewrightError(
    FULL.has(code) ? 'DISK_FULL' : 'OUTPUT_UNWRITABLE',
    `${what} cannot be written: ${why}${advice}`,
    { cause: error },
  );
}
