/** Files that secrets are written to: new, and for their owner alone. */
import { closeSync, fsyncSync, ftruncateSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { cannotWrite, ruledOut } from '../core/index.ts';
import { tell } from './output.ts';

/** More than any key with its line end. */
const KEY_PLACE_BYTES = 64;

interface NewKeyFile {
  write(key: string): void;
  abandon(): void;
}

/**
 * Made before the key is, with the place that the key will take: a key that finds none would be shown, or lost, and its
 * person would be there. `option` names where the path came from, `undone` what did not happen.
 */
function newKeyFile(path: string, option: string, undone: string): NewKeyFile {
  const advice = `; ${undone}. Choose another file with ${option}.`;
  const file = openNew(path, advice);
  const abandon = (): void => {
    closeSync(file);
    unlinkSync(path);
  };
  try {
    writeSync(file, ' '.repeat(KEY_PLACE_BYTES), 0);
    fsyncSync(file);
  } catch (error) {
    abandon();
    throw cannotWrite(path, error, advice);
  }
  return {
    write: (key) => {
      try {
        ftruncateSync(file, writeSync(file, `${key}\n`, 0));
        fsyncSync(file);
      } catch (error) {
        // The key exists by now, and must not be lost with the file.
        tell(`The key could not be written to ${path}. It is:\n${key}`);
        throw error;
      } finally {
        closeSync(file);
      }
    },
    abandon,
  };
}

/** Runs what makes a secret, with a place for it where a file was asked for; the file is gone again if nothing was made. */
export async function intoKeyFile<T>(
  path: string | undefined,
  { option, undone }: { readonly option: string; readonly undone: string },
  make: () => Promise<{ readonly made: T; readonly secret: string | undefined }>,
): Promise<T> {
  const file = path === undefined ? undefined : newKeyFile(path, option, undone);
  const { made, secret } = await make().catch((error: unknown) => {
    file?.abandon();
    throw error;
  });
  if (secret === undefined) file?.abandon();
  else file?.write(secret);
  return made;
}

function openNew(path: string, advice: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST')
      throw cannotWrite(path, error, advice);
    throw ruledOut(`${path} exists and is not overwritten${advice}`, { cause: error });
  }
}
