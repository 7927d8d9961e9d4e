/** Puts a backup into an empty data directory, checked file by file, and starts it. */

import { chown, mkdir, readdir } from 'node:fs/promises';
import { join, posix, resolve } from 'node:path';
import { Client } from 'pg';
import { badInput, type FilewrightError, ruledOut } from '../../core/index.ts';
import type { EmbeddedServer } from './attach.ts';
import { configure, configureAccess, isCluster, makeClusterDirectory } from './cluster.ts';
import { copyWithDigest } from './copy.ts';
import { installOnce, syncDirectory } from './durable.ts';
import { ensureEmbedded, type EnsureOptions } from './ensure.ts';
import { fileStep, isMissing } from './failure.ts';
import type { Manifest } from './manifest-schema.ts';
import { CLUSTER_NAME, readManifest } from './manifest.ts';
import { findNative } from './native.ts';
import { findPlace, makePlace, type Place } from './place.ts';
import { badDirectory, embeddedFailed } from './refusals.ts';

interface RestoreReport {
  readonly server: EmbeddedServer;
  readonly files: number;
  readonly bytes: number;
  readonly notes: readonly string[];
}

// The key comes from its own backup, before or after; names of ours without a cluster are left from a try.
const MAY_BE_THERE = /^(root\.key|postgres\..+)$/;

/**
 * Killed before the rename, it leaves scratch and an empty data directory; killed after it, a cluster with its
 * backup label, which the next command starts and recovers.
 */
export async function restoreEmbedded(
  source: string,
  dataDirectory: string,
  options: Omit<EnsureOptions, 'dataDirectory'> = {},
): Promise<RestoreReport> {
  const backup = resolve(source);
  const manifest = await fileStep('read the backup', backup, () => readManifest(backup));
  const native = await findNative();
  if (manifest.major !== native.major) {
    throw badDirectory(
      `The backup ${backup} was made by PostgreSQL ${manifest.version}, and this program carries PostgreSQL ${native.major}. Restore it with the Filewright that made it.`,
      { details: { path: backup } },
    );
  }
  await refuseUsed(dataDirectory);
  const place = await makePlace(dataDirectory, options);
  const installed = await fileStep('restore the backup', place.cluster, () =>
    installOnce(place.cluster, {
      isInstalled: () => isCluster(place.cluster),
      build: (scratch) => copyBackup(place, manifest, { backup, scratch }),
    }),
  );
  if (installed === 'found') throw used(dataDirectory, 'postgres');
  const server = await ensureEmbedded({ ...options, dataDirectory });
  await checkIdentity(server, manifest);
  return {
    server,
    files: manifest.files.length,
    bytes: manifest.files.reduce((sum, file) => sum + file.bytes, 0),
    notes: [
      `Put the root key that belongs to this backup at ${join(dataDirectory, 'root.key')}: it is not part of the backup.`,
    ],
  };
}

async function refuseUsed(dataDirectory: string): Promise<void> {
  const place = await findPlace(dataDirectory);
  if (place === undefined) return;
  await fileStep('look into the data directory', dataDirectory, async () => {
    const stranger = (await readdir(dataDirectory)).find((name) => !MAY_BE_THERE.test(name));
    if (stranger !== undefined) throw used(dataDirectory, stranger);
    if (await isCluster(place.cluster)) throw used(dataDirectory, place.cluster);
  });
}

function used(dataDirectory: string, found: string): FilewrightError {
  return ruledOut(
    `The data directory ${dataDirectory} should be new or empty, and holds ${found}. Restore into another one; nothing is overwritten.`,
    { details: { path: dataDirectory } },
  );
}

/** Fills a new cluster directory; any file that differs from the manifest stops it before the rename. */
async function copyBackup(
  place: Place,
  manifest: Manifest,
  paths: { readonly backup: string; readonly scratch: string },
): Promise<string> {
  const fresh = await makeClusterDirectory(place, paths.scratch);
  const { user } = place;
  for (const name of manifest.directories) {
    const directory = join(fresh, name);
    await mkdir(directory, { mode: 0o700 });
    if (user.kind === 'dropped') await chown(directory, user.uid, user.gid);
  }
  for (const file of manifest.files) {
    const from = join(paths.backup, CLUSTER_NAME, file.path);
    const copied = await copyWithDigest(from, join(fresh, file.path), { owner: user }).catch(
      (error: unknown) => {
        if (isMissing(error)) throw damaged(file.path, 'is missing', error);
        throw error;
      },
    );
    if (copied.bytes !== file.bytes) {
      throw damaged(file.path, `has ${copied.bytes} bytes instead of ${file.bytes}`);
    }
    if (copied.sha256 !== file.sha256) throw damaged(file.path, 'has another content');
  }
  // The users of this machine, not those of the one the backup was made on.
  await configureAccess(place, fresh);
  await configure(place, fresh, 'default');
  for (const name of ['.', ...manifest.directories]) await syncDirectory(join(fresh, name));
  return fresh;
}

function damaged(path: string, how: string, cause?: unknown): FilewrightError {
  return badInput(
    `The backup is damaged: ${posix.join(CLUSTER_NAME, path)} ${how}. Nothing was restored; use another backup.`,
    { cause, details: { path } },
  );
}

async function checkIdentity(server: EmbeddedServer, manifest: Manifest): Promise<void> {
  const client = new Client(server.connection);
  await client.connect();
  try {
    const { rows } = await client.query<{ system: string }>(
      'select system_identifier::text as system from pg_control_system()',
    );
    const found = rows[0]?.system;
    if (found === manifest.systemIdentifier) return;
    throw embeddedFailed(
      `The restored cluster should have the system identifier ${manifest.systemIdentifier}, and has ${found ?? 'none'}. Another process made a cluster there at the same time; restore into another data directory.`,
    );
  } finally {
    await client.end();
  }
}
