/** Which operating-system user the server runs as: PostgreSQL refuses to run as root. */

import { readFile, realpath, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { type FilewrightError } from '../../core/index.ts';
import { badDirectory, embeddedUnavailable } from './refusals.ts';

export type ServerUser =
  | { readonly kind: 'self'; readonly uid: number; readonly gid: number }
  | { readonly kind: 'dropped'; readonly uid: number; readonly gid: number };

// A uid without a passwd entry does not do: initdb looks its name up and gives up without one. An administrator
// who wants the server apart from other daemons creates a user called filewright; nobody exists everywhere.
const UNPRIVILEGED_NAMES = ['filewright', 'nobody'] as const;

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

/** The user for a new cluster: ourselves, or as root the first unprivileged user there is. */
export async function chooseServerUser(): Promise<ServerUser> {
  const uid = currentUid();
  if (uid !== 0) return { kind: 'self', uid, gid: currentGid() };
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => ''); // No file: no such user, said below.
  const entries = passwd.split('\n').map((line) => line.split(':'));
  for (const name of UNPRIVILEGED_NAMES) {
    const entry = entries.find((fields) => fields[0] === name);
    const found = { uid: Number(entry?.[2]), gid: Number(entry?.[3]) };
    if (Number.isInteger(found.uid) && Number.isInteger(found.gid) && found.uid !== 0) {
      return { kind: 'dropped', ...found };
    }
  }
  throw embeddedUnavailable(
    `PostgreSQL refuses to run as root, and /etc/passwd has no user named ${UNPRIVILEGED_NAMES.join(' or ')}. Create one, run as an ordinary user, or set DATABASE_URL.`,
  );
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
