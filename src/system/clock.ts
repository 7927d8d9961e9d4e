import { randomFillSync } from 'node:crypto';
import { type Clock, type Ids, instant, type Random, uuidV7 } from '../core/index.ts';

/** Timers at most this long; setTimeout cannot hold more. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => instant(Date.now()),
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(Math.max(ms, 0), TIMER_MS_MAX));
      signal?.addEventListener('abort', done, { once: true });
    }),
};

/** Random bytes from a pool: one system call for many seals. A slice is handed out once and never again. */
export function systemRandom(poolBytes = 16 * 1024): Random {
  let pool = Buffer.alloc(0);
  return {
    bytes: (count) => {
      if (count > poolBytes) return randomFillSync(Buffer.alloc(count));
      if (pool.length < count) pool = randomFillSync(Buffer.alloc(poolBytes));
      const taken = pool.subarray(0, count);
      pool = pool.subarray(count);
      return taken;
    },
  };
}

export function systemIds(clock: Clock, random: Random): Ids {
  return { next: () => uuidV7(clock.now(), random.bytes(10)) };
}
