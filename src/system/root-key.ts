/** The root key: from FILEWRIGHT_ROOT_KEY, or from `root.key` in the data directory. Everything sealed hangs on it. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FilewrightError, type Instant, instant } from '../core/index.ts';
import { createPrivateFile, syncFolder } from './private-file.ts';

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
  keepFormerKey(rootKeyFile(dataDirectory));
  renameSync(file, rootKeyFile(dataDirectory));
  syncFolder(dirname(file));
}

/**
 * Beside the new one, under a number: a backup of the database from before the rotation opens with no other. Whoever has
 * no such backup any more, or fears the key is known, deletes it.
 */
function keepFormerKey(file: string): void {
  const text = readFileSync(file, 'utf8');
  for (let n = 1; ; n += 1) {
    const former = `${file}.former-${n}`;
    // After a crash between the two steps it lies there already.
    if (existsSync(former) && readFileSync(former, 'utf8') === text) return;
    if (existsSync(former)) continue;
    createPrivateFile(former, text);
    return;
  }
}

/** Since when the key file is what it is; undefined where the key is not in it. */
export function rootKeyInUse(
  dataDirectory: string,
  environment: Readonly<Record<string, string | undefined>>,
): Instant | undefined {
  if ((environment['FILEWRIGHT_ROOT_KEY'] ?? '') !== '') return undefined;
  return instant(Math.floor(statSync(rootKeyFile(dataDirectory)).mtimeMs));
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
  createPrivateFile(file, `${randomBytes(32).toString('hex')}\n`);
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
