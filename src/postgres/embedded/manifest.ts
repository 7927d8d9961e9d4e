/** The list of a backup's files, written last: a backup without it is incomplete. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { badInput, notFound } from '../../core/index.ts';
import { replaceFile } from './durable.ts';
import { isMissing } from './failure.ts';
import type { Manifest } from './manifest-schema.ts';

const MANIFEST_NAME = 'filewright-backup.json';

/** The copied cluster lies in this directory of the backup. */
export const CLUSTER_NAME = 'cluster';

export type ManifestFile = Manifest['files'][number];

export async function writeManifest(backup: string, manifest: Manifest): Promise<void> {
  await replaceFile(join(backup, MANIFEST_NAME), `${JSON.stringify(manifest, undefined, 1)}\n`, {
    mode: 0o600,
  });
}

export async function readManifest(backup: string): Promise<Manifest> {
  const path = join(backup, MANIFEST_NAME);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (!isMissing(error)) throw error;
    if (!existsSync(backup)) throw notFound(`There is no backup at ${backup}`, { cause: error });
    throw badInput(
      `${backup} is no complete backup: ${MANIFEST_NAME}, which is written last, is missing. Use another backup.`,
      { cause: error, details: { path } },
    );
  }
  let manifest: Manifest;
  try {
    // Loaded by those who read a backup alone: it takes longer than a whole reading command.
    const { parseManifest } = await import('./manifest-schema.ts');
    manifest = parseManifest(JSON.parse(text));
  } catch (error) {
    throw badInput(
      `${path} should list the files of a backup, and cannot be read as such. Use another backup.`,
      { cause: error, details: { path } },
    );
  }
  const names = [...manifest.directories, ...manifest.files.map((file) => file.path)];
  for (const name of names) {
    // A name that climbs out would let a forged backup write anywhere.
    const inside = posix.normalize(name) === name && !/^(\/|\.\.(\/|$))/.test(name) && name !== '.';
    if (inside) continue;
    throw badInput(
      `${path} names ${JSON.stringify(name)}, which lies outside the backup. Nothing was restored.`,
      { details: { path } },
    );
  }
  return manifest;
}
