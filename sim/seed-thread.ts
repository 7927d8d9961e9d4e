/** One thread of the pool: a seed comes in, its result goes out. */
import { setMaxListeners } from 'node:events';
import { parentPort } from 'node:worker_threads';
import { playSeed, type WorldName } from './worlds.ts';

// One signal is watched by every request in flight, which is more than Node's guess at a leak.
setMaxListeners(0);

parentPort?.on('message', ({ world, seed }: { world: WorldName; seed: number }) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  void playSeed(world, seed).then((result) => parentPort?.postMessage(result));
});
