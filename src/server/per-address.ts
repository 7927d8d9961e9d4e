/**
 * How many connections one address may have open: a single client that opens them all, and says nothing on them, would
 * otherwise keep everyone else out of a server that takes a bounded number.
 */
import { isIPv6, type Server, type Socket } from 'node:net';
import type { Clock } from '../core/index.ts';

/** Often enough to be noticed, seldom enough not to fill a log. */
const TOLD_EVERY_MS = 60_000;

export function limitPerAddress(
  server: Pick<Server, 'prependListener'>,
  limit: {
    readonly connections: number;
    readonly onRefused?: (() => void) | undefined;
    readonly clock: Pick<Clock, 'now'>;
  },
): void {
  // Bounded by the connections that are open.
  const open = new Map<string, number>();
  let toldAtMs = Number.NEGATIVE_INFINITY;
  // First of all: before the server reads a byte, or starts a timer.
  server.prependListener('connection', (socket: Socket) => {
    const who = networkOf(socket.remoteAddress ?? '');
    const count = (open.get(who) ?? 0) + 1;
    open.set(who, count);
    socket.once('close', () => {
      const left = (open.get(who) ?? 1) - 1;
      if (left > 0) open.set(who, left);
      else open.delete(who);
    });
    if (count <= limit.connections) return;
    socket.destroy();
    const nowMs = limit.clock.now();
    if (nowMs - toldAtMs < TOLD_EVERY_MS) return;
    toldAtMs = nowMs;
    limit.onRefused?.();
  });
}

/** An IPv6 client has a whole /64 to itself, and may come from any address of it. */
export function networkOf(address: string): string {
  const bare = address.replace(/%.*$/, '');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(bare)) return bare;
  const [head = '', tail] = bare.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : Array.from({ length: 8 - groups.length - rest.length }, () => '0');
  return [...groups, ...zeros, ...rest]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
