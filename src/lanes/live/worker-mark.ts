/**
 * A random mark that a worker's process holds, so that others can tell it from a process that only a forged row names: a
 * file that is opened under a name with the mark and removed at once. The kernel shows the name on the descriptor, to the
 * same user and to root alone, and forgets it with the process; nothing has to be cleaned up after a kill.
 */
import { randomBytes } from 'node:crypto';
import { openSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAME = 'filewright-worker-';
const MARK = /^[0-9a-f]{32}$/;

/** One for the life of the process, whatever runs in it; made when it is first asked for. */
let own: { readonly mark: string | undefined } | undefined;

/** Undefined where none can be held or shown: such a process is never ended by another one. */
export function ownMark(): string | undefined {
  own ??= { mark: process.platform === 'linux' ? hold() : undefined };
  return own.mark;
}

function hold(): string | undefined {
  const mark = randomBytes(16).toString('hex');
  const path = join(tmpdir(), NAME + mark);
  try {
    // Never closed: that it is open is the mark.
    openSync(path, 'wx', 0o600);
    rmSync(path);
    return mark;
  } catch {
    // No temporary directory to write to. Without a mark its slots rest longer after its death, and that is all.
    return undefined;
  }
}

/** Whether that process runs our program, as our user, and holds the mark. False where it cannot be seen. */
export function isMarked(pid: number, mark: string): boolean {
  if (!Number.isInteger(pid) || pid <= 1 || !MARK.test(mark)) return false;
  const folder = `/proc/${pid}`;
  try {
    if (statSync(folder).uid !== process.geteuid?.()) return false;
    if (programOf(folder) !== programOf('/proc/self')) return false;
    const ending = `/${NAME}${mark} (deleted)`;
    return readdirSync(`${folder}/fd`).some((name) => {
      try {
        const path = `${folder}/fd/${name}`;
        // A file can be called like one that is gone; only one that is gone has no name at all.
        return readlinkSync(path).endsWith(ending) && statSync(path).nlink === 0;
      } catch {
        // Closed meanwhile.
        return false;
      }
    });
  } catch {
    // Gone, or not ours to look into; and then not ours to end.
    return false;
  }
}

/** As it was when it started: an update puts another file under the same name. */
function programOf(folder: string): string {
  return readlinkSync(`${folder}/exe`).replace(/ \(deleted\)$/, '');
}
