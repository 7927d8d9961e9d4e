/** Processes on this host. Linux tells a process's start time in /proc; elsewhere `ps` does. */
import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Processes } from '../../core/index.ts';

const END_TRIES = 50;
const END_WAIT_MS = 20;

export function systemProcesses(): Processes {
  return {
    host: hostIdentity(),
    self: { pid: process.pid, startedAt: startedAt(process.pid) ?? 'unknown' },
    isRunning: (pid, since) => startedAt(pid) === since,
    end: async (pid, since) => {
      for (let tries = 0; tries < END_TRIES; tries += 1) {
        if (startedAt(pid) !== since) return true;
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // Gone between the two calls, or not ours to end: the next look tells which.
        }
        await new Promise((resolve) => setTimeout(resolve, END_WAIT_MS));
      }
      return startedAt(pid) !== since;
    },
  };
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
