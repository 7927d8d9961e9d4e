/** Which operating-system user the server runs as: PostgreSQL refuses to run as root. */

import { execFile } from 'node:child_process';
import { readFile, realpath, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FilewrightError } from '../../core/index.ts';
import { badDirectory, embeddedUnavailable } from './refusals.ts';

export type ServerUser =
  | { readonly kind: 'self'; readonly uid: number; readonly gid: number }
  | { readonly kind: 'dropped'; readonly uid: number; readonly gid: number };

// A uid without a passwd entry does not do: initdb looks its name up and gives up without one. And never nobody, although
// it exists everywhere: whatever else runs as nobody could read the cluster, change it and trace the server.
const SERVER_USER = 'filewright';
/** In every distribution; the name may be another one. */
const NOBODY_UID = 65_534;
/** Two starters at once make one user: the second waits for the lock of the first. */
const MAKE_TRIES = 20;
const MAKE_WAIT_MS = 100;
/** Debian, Fedora and the like; then BusyBox. */
const MAKERS: readonly (readonly string[])[] = [
  ['useradd', '--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent'],
  ['adduser', '-S', '-D', '-H', '-h', '/nonexistent'],
];
const MAKER_PATH = { PATH: '/usr/sbin:/sbin:/usr/bin:/bin' } as const;

/** This process's uid; Windows has none, and the embedded server does not run there. */
function currentUid(): number {
  const uid = process.geteuid?.();
  if (uid === undefined) throw windowsUnsupported();
  return uid;
}

function currentGid(): number {
  const gid = process.getegid?.();
  if (gid === undefined) throw windowsUnsupported();
  return gid;
}

function windowsUnsupported(): FilewrightError {
  return embeddedUnavailable(
    'The embedded PostgreSQL listens on a private unix socket and knows its caller by the socket, neither of which this platform offers. Set DATABASE_URL to a PostgreSQL 14 or newer, or run on Linux or macOS.',
    { details: { platform: process.platform } },
  );
}

/** Who looks at a place without a cluster, where no server can run. */
export function ourselves(): ServerUser {
  return { kind: 'self', uid: currentUid(), gid: currentGid() };
}

/** The user for a new cluster: ourselves, or as root the one that is asked for, or one of its own, made where it is missing. */
export async function chooseServerUser(asked?: string): Promise<ServerUser> {
  if (currentUid() !== 0) return ourselves();
  if (asked !== undefined && asked !== '') return askedUser(asked);
  const found = (await userNamed(SERVER_USER)) ?? (await makeUser());
  if (found.uid !== 0 && found.uid !== NOBODY_UID) return { kind: 'dropped', ...found };
  throw embeddedUnavailable(
    `The user ${SERVER_USER} has the number ${found.uid}, as which PostgreSQL does not run here. Give it another one, or name another user in FILEWRIGHT_DB_USER.`,
  );
}

async function askedUser(name: string): Promise<ServerUser> {
  const found = await userNamed(name);
  if (found !== undefined && found.uid !== 0 && !isNobody(name, found.uid)) {
    return { kind: 'dropped', ...found };
  }
  const why =
    found === undefined
      ? 'is not in /etc/passwd'
      : found.uid === 0
        ? 'is root, as which PostgreSQL refuses to run'
        : 'is shared with other services, which could read and change the database';
  throw embeddedUnavailable(
    `FILEWRIGHT_DB_USER: the user ${name} ${why}. Create one for it alone (useradd --system ${SERVER_USER}), and name that.`,
    { details: { user: name } },
  );
}

function isNobody(name: string, uid: number): boolean {
  return name === 'nobody' || uid === NOBODY_UID;
}

/** Whether a cluster belongs to the user that services share; earlier versions made such clusters. */
export async function isOfNobody(user: ServerUser): Promise<boolean> {
  if (user.kind === 'self') return false;
  return user.uid === NOBODY_UID || (await userNamed('nobody'))?.uid === user.uid;
}

/** Undefined for a number without a name. */
export async function userNameOf(uid: number): Promise<string | undefined> {
  return (await passwdEntries()).find((fields) => fields[2] === String(uid))?.[0];
}

async function passwdEntries(): Promise<readonly (readonly string[])[]> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => ''); // No file: no such user, said above.
  return passwd.split('\n').map((line) => line.split(':'));
}

async function userNamed(
  name: string,
): Promise<{ readonly uid: number; readonly gid: number } | undefined> {
  const entry = (await passwdEntries()).find((fields) => fields[0] === name);
  const found = { uid: Number(entry?.[2]), gid: Number(entry?.[3]) };
  return Number.isInteger(found.uid) && Number.isInteger(found.gid) ? found : undefined;
}

async function makeUser(): Promise<{ readonly uid: number; readonly gid: number }> {
  let said = 'neither useradd nor adduser is there';
  for (let tries = 0; tries < MAKE_TRIES; tries += 1) {
    for (const [program = '', ...args] of MAKERS) {
      const shell =
        program === 'useradd' ? ['--shell', '/usr/sbin/nologin'] : ['-s', '/sbin/nologin'];
      const failure = await run(program, [...args, ...shell, SERVER_USER]);
      const made = await userNamed(SERVER_USER);
      if (made !== undefined) return made;
      if (failure === 'absent') continue;
      said = `${program}: ${failure ?? 'said that it did, and did not'}`;
      break;
    }
    if (!/lock/i.test(said)) break;
    await sleep(MAKE_WAIT_MS);
  }
  throw embeddedUnavailable(
    `PostgreSQL refuses to run as root, and the user ${SERVER_USER} for it could not be made (${said}). Create it (useradd --system ${SERVER_USER}), name another one in FILEWRIGHT_DB_USER, run as an ordinary user, or set DATABASE_URL.`,
  );
}

/** Undefined when it succeeded; `absent` when there is no such program. */
function run(program: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, args, { env: MAKER_PATH, timeout: 10_000 }, (error, _stdout, stderr) => {
      if (error === null) resolve(undefined);
      else if (error.code === 'ENOENT') resolve('absent');
      else resolve(stderr.trim().slice(0, 200) || String(error.code ?? 'failed'));
    });
  });
}

/** The user of an existing cluster: whoever owns it, since PostgreSQL accepts no other. */
export function ownerAsServerUser(
  owner: { readonly uid: number; readonly gid: number },
  cluster: string,
): ServerUser {
  const uid = currentUid();
  if (uid === owner.uid && uid !== 0) return { kind: 'self', uid, gid: currentGid() };
  if (uid === 0 && owner.uid !== 0) return { kind: 'dropped', uid: owner.uid, gid: owner.gid };
  if (owner.uid === 0) {
    throw badDirectory(
      `The cluster ${cluster} belongs to root, and PostgreSQL refuses to run as root. Give it to the user that ran it before (chown -R), or restore a backup into a new data directory.`,
      { details: { cluster } },
    );
  }
  throw badDirectory(
    `The cluster ${cluster} belongs to uid ${owner.uid}, and this process runs as uid ${uid}. Run as its owner, or as the user who first used this data directory.`,
    { details: { cluster, owner: owner.uid, uid } },
  );
}

/** The names that may connect. Root can become anyone anyway, so it is always among them. */
export function permittedNames(): readonly string[] {
  return [...new Set(['root', userInfo().username])];
}

/** Options for `spawn`: libuv also drops the supplementary groups when it changes the uid. */
export function spawnIdentity(user: ServerUser): { uid?: number; gid?: number } {
  return user.kind === 'self' ? {} : { uid: user.uid, gid: user.gid };
}

/** Whether the user can walk down to `path`, judged by the mode bits of each directory on the way. */
export async function canReach(user: ServerUser, path: string): Promise<boolean> {
  if (user.kind === 'self') return true;
  let current = await realpath(path);
  for (;;) {
    const { mode, uid, gid } = await stat(current);
    const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
    if (((mode >> shift) & 0o1) === 0) return false;
    const parent = dirname(current);
    if (parent === current) return true;
    current = parent;
  }
}
