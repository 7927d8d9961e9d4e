/** Where the parts of one data directory's server lie, and as whom it runs. */

import { randomBytes } from 'node:crypto';
import { link, lstat, readFile, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { sha256Of } from '../../core/index.ts';
import { makeDirectory, replaceFile } from './durable.ts';
import { codeOf, fileFailure, fileStep, isMissing } from './failure.ts';
import { SOCKET_PORT } from './settings.ts';
import { textsIn } from './texts-in.ts';
import {
  canReach,
  chooseServerUser,
  ourselves,
  ownerAsServerUser,
  type ServerUser,
} from './server-user.ts';
import { badDirectory } from './refusals.ts';

export interface Place {
  readonly dataDirectory: string;
  /** Holds the cluster: the data directory, or a reachable directory when the server's user cannot enter it. */
  readonly home: string;
  readonly cluster: string;
  readonly socketDirectory: string;
  readonly log: string;
  readonly user: ServerUser;
}

// A unix socket's address holds 108 bytes on Linux and 104 on macOS, with the closing zero byte.
const SOCKET_PATH_BYTES_MAX = 103;

// Root keeps here what an unprivileged server must reach, when the checkout or the data directory is private.
const REACHABLE_DIRECTORY = '/var/lib/filewright';

/** Looks only; undefined when the data directory does not exist. `choose`: the user where there is no cluster yet. */
export async function findPlace(
  dataDirectory: string,
  choose: () => ServerUser | Promise<ServerUser> = ourselves,
): Promise<Place | undefined> {
  if (/[\n\0]/.test(dataDirectory)) {
    throw badDirectory(
      'The path of the data directory holds a line break or a zero byte. Choose another one.',
    );
  }
  try {
    if (!(await stat(dataDirectory)).isDirectory()) {
      throw badDirectory(
        `Expected a directory at ${dataDirectory}, found a file. Choose another data directory.`,
        { details: { path: dataDirectory } },
      );
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw fileFailure(error, { doing: 'look at the data directory', path: dataDirectory });
  }
  return fileStep('look into the data directory', dataDirectory, async () => {
    const real = await realpath(dataDirectory);
    const home = (await readPointer(real)) ?? real;
    const cluster = join(home, 'postgres');
    const owner = await stat(cluster).catch((error) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    const user = owner === undefined ? await choose() : ownerAsServerUser(owner, cluster);
    return {
      dataDirectory: real,
      home,
      cluster,
      socketDirectory: socketDirectoryOf(home, user),
      log: join(real, 'postgres.log'),
      user,
    };
  });
}

export interface PlaceOptions {
  /** Where root keeps what the unprivileged server must reach; default `/var/lib/filewright`. */
  readonly reachableDirectory?: string | undefined;
  /** As whom the server of root runs; a user of its own unless given. */
  readonly databaseUser?: string | undefined;
}

/** Finds the place or makes it: the data directory, and for root a reachable home where that is private. */
export async function makePlace(
  dataDirectory: string,
  { reachableDirectory = REACHABLE_DIRECTORY, databaseUser }: PlaceOptions = {},
): Promise<Place> {
  const choose = (): Promise<ServerUser> => chooseServerUser(databaseUser);
  if ((await findPlace(dataDirectory, choose)) === undefined) {
    const user = await choose();
    await fileStep('create the data directory', dataDirectory, () =>
      // Others may pass through and not look in, where the server's user is one of the others.
      makeDirectory(resolve(dataDirectory), user.kind === 'dropped' ? 0o711 : 0o700),
    );
  }
  const place = await requirePlace(dataDirectory, choose);
  if (place.home !== place.dataDirectory || (await canReach(place.user, place.home))) return place;
  const clusters = join(await makeReachable([reachableDirectory], place.user), 'clusters');
  await fileStep('create a directory for the cluster', clusters, async () => {
    await makeDirectory(clusters, 0o755);
    await writePointer(place.dataDirectory, clusters);
  });
  return requirePlace(dataDirectory, choose);
}

/** Where copies of the binaries go: beside the cluster, or for root where the server's user can read them. */
export async function copiesDirectory(
  place: Place,
  reachableDirectory = REACHABLE_DIRECTORY,
): Promise<string> {
  if (place.user.kind === 'self') return place.home;
  // Copies can be made again, so a directory that a reboot empties will do for them (not for a cluster).
  return makeReachable([reachableDirectory, join(tmpdir(), 'filewright-native')], place.user);
}

async function requirePlace(
  dataDirectory: string,
  choose: () => Promise<ServerUser>,
): Promise<Place> {
  const place = await findPlace(dataDirectory, choose);
  if (place !== undefined) return place;
  throw badDirectory(
    `The data directory ${dataDirectory} disappeared while it was in use. Run the command again.`,
  );
}

/** The first candidate that root owns alone and the server's user can enter; made if missing. */
async function makeReachable(candidates: readonly string[], user: ServerUser): Promise<string> {
  const refusals: string[] = [];
  for (const path of candidates) {
    try {
      await makeDirectory(path, 0o755);
      const { uid, mode } = await lstat(path);
      if (uid !== 0 || (mode & 0o022) !== 0) refusals.push(`${path} is not root's alone`);
      else if (!(await canReach(user, path))) refusals.push(`uid ${user.uid} cannot enter ${path}`);
      else return path;
    } catch (error) {
      refusals.push(`${path}: ${codeOf(error) ?? String(error)}`);
    }
  }
  throw badDirectory(
    `PostgreSQL does not run as root, and no directory was found that uid ${user.uid} can enter and only root can write (${refusals.join('; ')}). Let others pass through the data directory (chmod o+x), or run as an ordinary user.`,
  );
}

/** Beside the cluster where the path is short enough, else in a temporary directory. */
function socketDirectoryOf(home: string, user: ServerUser): string {
  const hash = sha256Of(home).slice(0, 16);
  const name = `filewright-${user.uid}-${hash}`;
  // The temporary directory of a user or a build may itself be deep; /tmp is not.
  const candidates = [join(home, 'postgres.run'), join(tmpdir(), name)];
  return candidates.find(fitsSocket) ?? join('/tmp', name);
}

function fitsSocket(directory: string): boolean {
  const path = join(directory, `.s.PGSQL.${SOCKET_PORT}`);
  return Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX;
}

function pointerPath(dataDirectory: string): string {
  return join(dataDirectory, 'postgres.at');
}

/** The home that the data directory points to. A pointer that was copied along is refused, not followed. */
async function readPointer(dataDirectory: string): Promise<string | undefined> {
  const path = pointerPath(dataDirectory);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  let pointer: Record<'dataDirectory' | 'home', string>;
  try {
    pointer = textsIn(JSON.parse(text), ['dataDirectory', 'home']);
  } catch (error) {
    throw badDirectory(
      `${path} should say where the cluster lies, and cannot be read. Restore it from a backup.`,
      { cause: error },
    );
  }
  if (pointer.dataDirectory === dataDirectory) return pointer.home;
  throw badDirectory(
    `${path} belongs to ${pointer.dataDirectory}: this data directory was moved or copied, and its cluster at ${pointer.home} was not. Move it back, or back up there and restore here.`,
    { details: { path, home: pointer.home } },
  );
}

/**
 * Decides the home once: the file is written whole beside and linked in, so of two starters one wins and both
 * read the same. The name is random, so that a data directory made anew never meets the cluster of an old one.
 */
async function writePointer(dataDirectory: string, clusters: string): Promise<void> {
  const home = join(clusters, randomBytes(8).toString('hex'));
  const path = pointerPath(dataDirectory);
  const fresh = `${path}.${randomBytes(6).toString('hex')}`;
  await makeDirectory(home, 0o711);
  // For whoever finds the directory and wonders whose it is.
  await replaceFile(join(home, 'belongs-to'), `${dataDirectory}\n`, { mode: 0o600 });
  await replaceFile(fresh, `${JSON.stringify({ dataDirectory, home })}\n`, { mode: 0o600 });
  try {
    await link(fresh, path);
  } catch (error) {
    await rm(home, { recursive: true, force: true });
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(fresh, { force: true });
  }
}
