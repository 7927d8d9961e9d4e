/** A hot physical backup: the server keeps working while its files are copied. */

import type { Dirent } from 'node:fs';
import { mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join, posix, resolve, sep } from 'node:path';
import { Client } from 'pg';
import { type FilewrightError, invariant, ruledOut } from '../../core/index.ts';
import { copyWithDigest } from './copy.ts';
import { makeDirectory, syncDirectory } from './durable.ts';
import { ensureEmbedded, type EnsureOptions } from './ensure.ts';
import { fileStep, isMissing } from './failure.ts';
import type { Manifest } from './manifest-schema.ts';
import { CLUSTER_NAME, type ManifestFile, writeManifest } from './manifest.ts';
import { embeddedStatus } from './status.ts';
import { badDirectory, embeddedFailed } from './refusals.ts';

interface BackupReport {
  readonly target: string;
  readonly files: number;
  readonly bytes: number;
  /** What the reader must know, above all what is not in the backup. */
  readonly notes: readonly string[];
}

// Directories whose content PostgreSQL makes anew; kept, empty. WAL is copied at the end, only what is needed.
const EMPTIED: ReadonlySet<string> = new Set(
  'pg_dynshmem pg_notify pg_replslot pg_serial pg_snapshots pg_stat_tmp pg_subtrans pg_wal'.split(
    ' ',
  ),
);

// Belong to the running server, or are rebuilt by it.
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map(\.old)?|backup_manifest|pgsql_tmp.*|pg_internal\.init.*)$/;

const DRAFT_NAME = 'draft';
const CONTROL_FILE = 'global/pg_control';
const CONTROL_READS_MAX = 100;

/** Backs up the cluster of a data directory into a new directory; starts the server if it is stopped. */
export async function backupEmbedded(
  dataDirectory: string,
  target: string,
  options: Omit<EnsureOptions, 'dataDirectory'> = {},
): Promise<BackupReport> {
  const { connection } = await ensureEmbedded({ ...options, dataDirectory });
  const status = await embeddedStatus(dataDirectory);
  if (status.state === 'absent') {
    throw badDirectory(`The cluster of ${dataDirectory} disappeared.`);
  }
  const backup = resolve(target);
  await claimTarget(backup, status.cluster);
  const client = new Client({ ...connection, application_name: 'filewright backup' });
  client.on('error', () => {}); // A lost connection fails the next query, where it is handled.
  try {
    await client.connect();
    const manifest = await fileStep('write the backup', backup, () =>
      copyRunning(client, status.cluster, join(backup, CLUSTER_NAME)),
    );
    // Written last: killed anywhere before this line, the directory is no backup and says so.
    await fileStep('write the backup', backup, () => writeManifest(backup, manifest));
    return {
      target: backup,
      files: manifest.files.length,
      bytes: manifest.files.reduce((sum, file) => sum + file.bytes, 0),
      notes: [
        `The root key (${join(dataDirectory, 'root.key')}) is not in this backup on purpose. Keep a copy of it elsewhere: without it the sealed bodies cannot be read.`,
        'The backup holds everything else in the database. Keep it as private as the data directory.',
      ],
    };
  } catch (error) {
    // Gives the space back, which may be what was missing, and lets the same command be run again.
    for (const name of [CLUSTER_NAME, DRAFT_NAME]) {
      await rm(join(backup, name), { recursive: true, force: true });
    }
    throw error;
  } finally {
    await client.end().catch(() => {}); // Already cut: nothing is left to end.
  }
}

async function claimTarget(backup: string, cluster: string): Promise<void> {
  await fileStep('create the backup directory', backup, async () => {
    await makeDirectory(backup, 0o700);
    const real = `${await realpath(backup)}${sep}`;
    if (real.startsWith(`${await realpath(cluster)}${sep}`)) {
      throw ruledOut(
        `The backup ${backup} would lie inside the cluster it copies. Choose another directory.`,
      );
    }
    if ((await readdir(backup)).length === 0) return;
    throw ruledOut(
      `The backup directory ${backup} should be new or empty, and is not. Choose another one; an older backup is never overwritten.`,
      { details: { path: backup } },
    );
  });
}

async function copyRunning(client: Client, cluster: string, copy: string): Promise<Manifest> {
  // Temporary, so it ends with this session however that ends; keeps the WAL written since the last checkpoint.
  await client.query(
    `select pg_create_physical_replication_slot('filewright_backup_' || pg_backend_pid(), true, true)`,
  );
  const started = await one<{ wal: string; version: string; system: string }>(
    client,
    `select pg_walfile_name(pg_backup_start('filewright', true)) as wal,
            current_setting('server_version') as version,
            (select system_identifier::text from pg_control_system()) as system`,
  );
  const found: Found = { directories: [], files: [] };
  await mkdir(copy, { mode: 0o700 });
  await copyDirectory(cluster, copy, '', found);
  found.files.push(await copyControlFile(cluster, copy));
  const stopped = await one<{ wal: string; label: string; spaces: string }>(
    client,
    `select pg_walfile_name(lsn) as wal, labelfile as label, coalesce(spcmapfile, '') as spaces
       from pg_backup_stop(false)`,
  );
  if (stopped.spaces.trim() !== '') throw tablespaces();
  found.files.push(await writeAndDigest(copy, 'backup_label', stopped.label));
  for (const name of (await readdir(join(cluster, 'pg_wal'))).sort()) {
    const needed = /^[0-9A-F]{24}$/.test(name) && name >= started.wal && name <= stopped.wal;
    if (!needed && !name.endsWith('.history')) continue;
    const path = posix.join('pg_wal', name);
    found.files.push({ path, ...(await copyWithDigest(join(cluster, path), join(copy, path))) });
  }
  for (const name of [started.wal, stopped.wal]) {
    invariant(
      found.files.some((file) => file.path === posix.join('pg_wal', name)),
      `The backup needs the WAL file ${name}, and the server no longer has it.`,
    );
  }
  for (const name of ['.', ...found.directories]) await syncDirectory(join(copy, name));
  await syncDirectory(join(copy, '..'));
  return {
    format: 1,
    version: started.version,
    major: Number.parseInt(started.version, 10),
    systemIdentifier: started.system,
    firstWal: started.wal,
    lastWal: stopped.wal,
    ...found,
  };
}

interface Found {
  readonly directories: string[];
  readonly files: ManifestFile[];
}

/** Files change while they are read; replaying the WAL makes them whole. Those that vanish were dropped. */
async function copyDirectory(
  cluster: string,
  copy: string,
  path: string,
  found: Found,
): Promise<void> {
  for (const item of await list(join(cluster, path))) {
    const name = posix.join(path, item.name);
    if (LEFT_OUT.test(item.name) || name === CONTROL_FILE) continue;
    if (path === 'pg_tblspc') throw tablespaces();
    if (item.isDirectory()) {
      found.directories.push(name);
      await mkdir(join(copy, name), { mode: 0o700 });
      if (EMPTIED.has(name)) await copyShape(cluster, copy, name, found);
      else await copyDirectory(cluster, copy, name, found);
    } else if (item.isFile()) {
      try {
        const copied = await copyWithDigest(join(cluster, name), join(copy, name));
        found.files.push({ path: name, ...copied });
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    }
  }
}

/** The directories without their files (`pg_wal/archive_status`). */
async function copyShape(cluster: string, copy: string, path: string, found: Found): Promise<void> {
  // The slots of this moment, our own among them, are no part of the data.
  if (path === 'pg_replslot') return;
  for (const item of await readdir(join(cluster, path), { withFileTypes: true })) {
    if (!item.isDirectory()) continue;
    found.directories.push(posix.join(path, item.name));
    await mkdir(join(copy, path, item.name), { mode: 0o700 });
  }
}

/** Has no WAL to mend it, so a read that met a write is taken again until two agree. */
async function copyControlFile(cluster: string, copy: string): Promise<ManifestFile> {
  let last = await readFile(join(cluster, CONTROL_FILE));
  for (let count = 0; count < CONTROL_READS_MAX; count += 1) {
    const again = await readFile(join(cluster, CONTROL_FILE));
    if (again.equals(last)) return writeAndDigest(copy, CONTROL_FILE, again);
    last = again;
  }
  throw embeddedFailed(
    `${CONTROL_FILE} of ${cluster} changed on each of ${CONTROL_READS_MAX} reads. Run the backup again.`,
  );
}

async function writeAndDigest(
  copy: string,
  path: string,
  content: string | Buffer,
): Promise<ManifestFile> {
  const draft = join(copy, '..', DRAFT_NAME);
  await writeFile(draft, content, { mode: 0o600 });
  const copied = await copyWithDigest(draft, join(copy, path));
  await rm(draft);
  return { path, ...copied };
}

async function one<Row extends object>(client: Client, sql: string): Promise<Row> {
  const { rows } = await client.query<Row>(sql);
  const row = rows[0];
  if (row === undefined) throw embeddedFailed(`No row from: ${sql}`);
  return row;
}

/** A directory that vanished was dropped with its database; replaying the WAL drops it again. */
async function list(directory: string): Promise<Dirent[]> {
  return readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
}

function tablespaces(): FilewrightError {
  return ruledOut(
    'The cluster has tablespaces outside its directory, which this backup would not contain. Use pg_basebackup.',
  );
}
