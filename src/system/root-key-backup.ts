/**
 * Whether somebody has shown that a copy of the root key exists elsewhere. The copy is compared once, and only its
 * fingerprint and the day stay here, in `root-key-backup.json` of the data directory: the place of the copy is nobody's
 * business who can read this machine.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Instant, notFound, parseRfc3339, ruledOut, toRfc3339 } from '../core/index.ts';
import { keyOf } from './root-key.ts';

type RootKeyBackup =
  | { readonly state: 'none' }
  /** Of another root key than the present one. */
  | { readonly state: 'outdated'; readonly confirmedAt: Instant }
  | { readonly state: 'confirmed'; readonly confirmedAt: Instant };

function recordFile(dataDirectory: string): string {
  return join(dataDirectory, 'root-key-backup.json');
}

/** Says which key it is without saying the key: 256 random bits cannot be guessed from their hash. */
export function rootKeyFingerprint(key: Uint8Array): string {
  return createHash('sha256').update('filewright.root-key.v1\n').update(key).digest('hex');
}

/** Compares a copy with the root key in use and remembers the moment; refuses the key file itself as its own backup. */
export function confirmRootKeyBackup(request: {
  readonly dataDirectory: string;
  readonly key: Uint8Array;
  readonly copy: string;
  readonly now: Instant;
}): void {
  const { dataDirectory, copy } = request;
  if (!existsSync(copy)) throw notFound(`The copy ${copy} of the root key is not there`);
  const own = join(dataDirectory, 'root.key');
  if (existsSync(own) && isSameFile(copy, own)) {
    throw ruledOut(
      `${copy} is the root key itself, not a copy of it; copy it to another place first`,
    );
  }
  const found = keyOf(readFileSync(copy, 'utf8').trim(), copy);
  const fingerprint = rootKeyFingerprint(found);
  if (fingerprint !== rootKeyFingerprint(request.key)) {
    throw ruledOut(
      `${copy} holds another key than the root key in use; with it nothing of this installation can be opened. Copy the present one`,
    );
  }
  const record = { v: 1, fingerprint, confirmed_at: toRfc3339(request.now) };
  const file = recordFile(dataDirectory);
  writeFileSync(`${file}.new`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function readRootKeyBackup(dataDirectory: string, key: Uint8Array): RootKeyBackup {
  const file = recordFile(dataDirectory);
  if (!existsSync(file)) return { state: 'none' };
  const record = recordOf(readFileSync(file, 'utf8'));
  // Whatever else is in the file does not show a backup.
  if (record === undefined) return { state: 'none' };
  const { confirmedAt } = record;
  const isPresent = record.fingerprint === rootKeyFingerprint(key);
  return { state: isPresent ? 'confirmed' : 'outdated', confirmedAt };
}

function recordOf(
  text: string,
): { readonly fingerprint: string; readonly confirmedAt: Instant } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // A file that somebody damaged is as good as none: the confirmation is asked for again.
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { fingerprint, confirmed_at: at } = value as Readonly<Record<string, unknown>>; // Any object is one.
  const confirmedAt = typeof at === 'string' ? parseRfc3339(at) : undefined;
  if (typeof fingerprint !== 'string' || confirmedAt === undefined) return undefined;
  return { fingerprint, confirmedAt };
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [statSync(one), statSync(other)];
  return a.ino === b.ino && a.dev === b.dev;
}
