/** The root key: from FILEWRIGHT_ROOT_KEY, or from `root.key` in the data directory. Everything sealed hangs on it. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
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

/**
 * The key that is to follow, in `root.key.next`; made here unless it is there already. Only when every tenant key is
 * wrapped under it may `finishRootKeyRotation` put it in the place of the old one. A crash in between loses nothing:
 * both files are there, and whoever starts tries both.
 */
export function beginRootKeyRotation(dataDirectory: string): Uint8Array {
  const file = nextKeyFile(dataDirectory);
  if (!existsSync(file)) createKeyFile(file);
  return keyOf(readFileSync(file, 'utf8').trim(), file);
}

/** Puts the new key in the place of the old one, durably. Without a rotation that was begun it does nothing. */
export function finishRootKeyRotation(dataDirectory: string): void {
  const file = nextKeyFile(dataDirectory);
  if (!existsSync(file)) return;
  renameSync(file, rootKeyFile(dataDirectory));
  const folder = openSync(dirname(file), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** The key of a rotation that was begun and not finished. */
export function readNextRootKey(dataDirectory: string): Uint8Array | undefined {
  const file = nextKeyFile(dataDirectory);
  return existsSync(file) ? keyOf(readFileSync(file, 'utf8').trim(), file) : undefined;
}

function nextKeyFile(dataDirectory: string): string {
  return `${rootKeyFile(dataDirectory)}.next`;
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

export function keyOf(text: string, source: string): Uint8Array {
  if (!HEX_KEY.test(text)) {
    throw new FilewrightError(
      'ROOT_KEY_MISSING',
      `expected 64 hex digits in ${source}, found ${text.length} characters`,
    );
  }
  return Buffer.from(text, 'hex');
}
