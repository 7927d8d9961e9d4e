/** The cluster directory: made once by initdb, never seen half-made, and configured before each start. */

import { spawn } from 'node:child_process';
import { appendFile, chmod, chown, lstat, mkdir, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FilewrightError } from '../../core/index.ts';
import { installOnce, replaceFile } from './durable.ts';
import { codeOf, fileStep, isMissing, serverFailure } from './failure.ts';
import type { Native } from './native.ts';
import type { Place } from './place.ts';
import { permittedNames, spawnIdentity } from './server-user.ts';
import { configuration, DATABASE_USER, HOST_RULES, type Tuning, userMap } from './settings.ts';
import { badDirectory, embeddedUnavailable } from './refusals.ts';

// initdb and postgres print a few lines; more than this is not read by anyone.
export const OUTPUT_BYTES_MAX = 8 * 1024;

/** Nothing of the caller's environment reaches the server: locale, PG* variables and loader paths included. */
export const SERVER_ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' } as const;

export async function isCluster(cluster: string): Promise<boolean> {
  return (await clusterMajor(cluster)) !== undefined;
}

/** The PostgreSQL major version that made the cluster; undefined when there is none. */
export async function clusterMajor(cluster: string): Promise<number | undefined> {
  try {
    return Number((await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim());
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Makes the cluster unless it is there, and refuses one that these binaries cannot run. */
export async function ensureCluster(place: Place, native: Native): Promise<void> {
  await fileStep('make the cluster', place.cluster, async () => {
    await refuseStranger(place.cluster);
    await installOnce(place.cluster, {
      isInstalled: () => isCluster(place.cluster),
      build: (scratch) => initialize(place, native, scratch),
    });
    const major = await clusterMajor(place.cluster);
    if (major !== undefined && major !== native.major) throw otherMajor(place, major, native);
  });
}

/** Makes an empty directory of the server's user in `scratch`, for initdb or a restore to fill. */
export async function makeClusterDirectory(place: Place, scratch: string): Promise<string> {
  const fresh = join(scratch, 'cluster');
  await mkdir(fresh, { mode: 0o700 });
  await chmod(fresh, 0o700);
  if (place.user.kind === 'dropped') await chown(fresh, place.user.uid, place.user.gid);
  return fresh;
}

async function initialize(place: Place, native: Native, scratch: string): Promise<string> {
  const fresh = await makeClusterDirectory(place, scratch);
  // With its own sync at the end: it costs a tenth of a second, once.
  const child = spawn(
    join(native.directory, 'bin', 'initdb'),
    [
      `--pgdata=${fresh}`,
      `--username=${DATABASE_USER}`,
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--auth=peer',
      '--data-checksums',
      '--no-instructions',
    ],
    {
      cwd: '/',
      env: SERVER_ENVIRONMENT,
      stdio: ['ignore', 'ignore', 'pipe'],
      ...spawnIdentity(place.user),
    },
  );
  let output = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    output = (output + text).slice(-OUTPUT_BYTES_MAX);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) => reject(cannotRun(error, native)));
    child.once('close', resolve);
  });
  if (code !== 0) {
    if (/could not look up effective user ID/.test(output)) throw namelessUser(place);
    throw await serverFailure({
      doing: 'make the cluster',
      output,
      log: place.log,
      directory: place.home,
    });
  }
  const main = join(fresh, 'postgresql.conf');
  await appendFile(main, "\ninclude 'filewright.conf'\n");
  await syncFile(main);
  await configureAccess(place, fresh);
  await configure(place, fresh, 'default');
  return fresh;
}

/** Who may connect is decided when the cluster is made or restored: its maker, and root. */
export async function configureAccess(place: Place, cluster: string): Promise<void> {
  const options = { mode: 0o600, owner: place.user };
  await replaceFile(join(cluster, 'pg_hba.conf'), HOST_RULES, options);
  await replaceFile(join(cluster, 'pg_ident.conf'), userMap(permittedNames()), options);
}

/** Written before each start, so that a newer Filewright brings its settings to an older cluster. */
export async function configure(place: Place, cluster: string, tuning: Tuning): Promise<void> {
  const path = join(cluster, 'filewright.conf');
  const wanted = configuration(tuning);
  const found = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (found !== wanted) await replaceFile(path, wanted, { mode: 0o600, owner: place.user });
}

/** Something at the cluster's path that is neither a cluster nor empty is not ours to replace. */
async function refuseStranger(cluster: string): Promise<void> {
  const found = await lstat(cluster).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined || (await isCluster(cluster))) return;
  if (found.isDirectory() && (await readdir(cluster)).length === 0) return;
  throw badDirectory(
    `Expected a PostgreSQL cluster at ${cluster}, found something else. Move it, or choose another data directory.`,
    { details: { path: cluster } },
  );
}

function otherMajor(place: Place, found: number, native: Native): FilewrightError {
  return badDirectory(
    `The cluster ${place.cluster} was made by PostgreSQL ${found}, and this program carries PostgreSQL ${native.major}. Use the Filewright that last ran it${found > native.major ? ' or a newer one' : ', and move the data with pg_dump'}.`,
    { details: { path: place.cluster, found, carried: native.major } },
  );
}

function namelessUser(place: Place): FilewrightError {
  return embeddedUnavailable(
    `PostgreSQL needs a user with a name, and uid ${place.user.uid} has no entry in /etc/passwd. Add one, run as another user, or set DATABASE_URL.`,
    { details: { uid: place.user.uid } },
  );
}

/** The kernel's refusal to run the binary: a missing C library, no right to change the uid. */
export function cannotRun(error: unknown, native: Native): FilewrightError {
  return embeddedUnavailable(
    `The PostgreSQL binaries in ${native.directory} do not run here (${codeOf(error) ?? String(error)}); on Linux they need glibc. Set DATABASE_URL to a PostgreSQL 14 or newer.`,
    { cause: error },
  );
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
