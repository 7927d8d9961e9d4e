/** A file that only its owner reads, made once: a crash leaves all of it or nothing. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Written beside and linked: no half key, and of two processes at once the first one's stays. */
export function createPrivateFile(file: string, text: string): void {
  const fresh = `${file}.${randomBytes(6).toString('hex')}`;
  const handle = openSync(fresh, 'wx', 0o600);
  writeSync(handle, text);
  fsyncSync(handle);
  closeSync(handle);
  try {
    linkSync(fresh, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    unlinkSync(fresh);
  }
  // Something may soon be wrapped under it that nothing else opens, so its name must be as durable as its text.
  syncFolder(dirname(file));
}

export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
