/**
 * Processes on this host. Linux tells a process's start time in /proc; elsewhere `ps` does.
 *
 * Which process a worker is stands in a row, and whoever can write rows can write any number there. So a row ends nobody by
 * itself: the process must run the same program, as the same user, and hold the mark of that worker (worker-mark.ts).
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Processes } from '../../core/index.ts';
import { isMarked, ownMark } from './worker-mark.ts';

const END_TRIES = 50;
const END_WAIT_MS = 20;
/** Start time, and mark. A row of an older version, or a forged one, has no mark. */
const IDENTITY = /^([^+]*)(?:\+([0-9a-f]{32}))?$/;

export function systemProcesses(): Processes {
  return {
    host: hostIdentity(),
    self: { pid: process.pid, startedAt: ownIdentity() },
    isRunning: (pid, since) => {
      const start = startedAt(pid);
      return start === undefined ? isHidden(pid) : start === partsOf(since).start;
    },
    end: async (pid, since) => {
      const { start, mark } = partsOf(since);
      for (let tries = 0; tries < END_TRIES; tries += 1) {
        if (startedAt(pid) !== start) return true;
        if (mark === undefined || !isMarked(pid, mark)) return false;
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // Gone between the two calls, or not ours to end: the next look tells which.
        }
        await new Promise((resolve) => setTimeout(resolve, END_WAIT_MS));
      }
      return startedAt(pid) !== start;
    },
  };
}

function ownIdentity(): string {
  const mark = ownMark();
  return `${startedAt(process.pid) ?? 'unknown'}${mark === undefined ? '' : `+${mark}`}`;
}

function partsOf(identity: string): { readonly start: string; readonly mark: string | undefined } {
  const [, start = identity, mark] = IDENTITY.exec(identity) ?? [];
  return { start, mark };
}

/** A text that differs between any two processes that ever had this pid; undefined when there is none now. */
function startedAt(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain anything, so fields are counted from the last parenthesis.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie no longer runs and can no longer send: it only waits for its parent.
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return process.platform === 'linux' ? undefined : startedAtByPs(pid);
  }
}

/**
 * A process of another user is there and cannot be seen where /proc shows each user their own (hidepid). It may be that worker:
 * to take it for dead would be to send beside it.
 */
function isHidden(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 1 || existsSync(`/proc/${pid}`)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function startedAtByPs(pid: number): string | undefined {
  try {
    return (
      execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() ||
      undefined
    );
  } catch {
    // No such process.
    return undefined;
  }
}

function hostIdentity(): string {
  const parts = [hostname()];
  for (const read of [
    () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    () => readlinkSync('/proc/self/ns/pid'),
  ]) {
    try {
      parts.push(read());
    } catch {
      // Not Linux: the host name alone has to do.
    }
  }
  return parts.join('/');
}
