/** The root key: from FILEWRIGHT_ROOT_KEY, or from `root.key` in the data directory. Everything sealed hangs on it. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { FilewrightError } from '../core/index.ts';

const HEX_KEY = /^[0-9a-f]{64}$/i;

export function rootKeyFile(dataDirectory: string): string {
  return join(dataDirectory, 'root.key');
}

/**
 * `mayCreate` is false once anything has been sealed: a new key could never open it, and would hide the loss of the
 * old one until somebody needs the evidence.
 */
export function readRootKey(options: {
  readonly dataDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly mayCreate: boolean;
}): Uint8Array {
  const given = options.environment['FILEWRIGHT_ROOT_KEY'];
  if (given !== undefined && given !== '') return keyOf(given, 'FILEWRIGHT_ROOT_KEY');
  const file = rootKeyFile(options.dataDirectory);
  if (!existsSync(file)) {
    if (!options.mayCreate) {
      throw new FilewrightError(
        'ROOT_KEY_MISSING',
        `The database holds sealed data, but ${file} is not there`,
      );
    }
    createKeyFile(file);
  }
  return keyOf(readFileSync(file, 'utf8').trim(), file);
}

function createKeyFile(file: string): void {
  // Written beside and linked: a crash leaves no half key, and of two processes at once the first one's key stays.
  const fresh = `${file}.${process.pid}`;
  const handle = openSync(fresh, 'wx', 0o600);
  writeSync(handle, `${randomBytes(32).toString('hex')}\n`);
  fsyncSync(handle);
  closeSync(handle);
  try {
    linkSync(fresh, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    unlinkSync(fresh);
  }
}

function keyOf(text: string, source: string): Uint8Array {
  if (!HEX_KEY.test(text)) {
    throw new FilewrightError(
      'ROOT_KEY_MISSING',
      `64 hex digits were expected in ${source}, found ${text.length} characters`,
    );
  }
  return Buffer.from(text, 'hex');
}
