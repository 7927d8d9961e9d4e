/** One thread of the pool: a seed comes in, its result goes out. */
import { setMaxListeners } from 'node:events';
import { parentPort } from 'node:worker_threads';
import { runSeed } from './run-seed.ts';

// One signal is watched by every request in flight, which is more than Node's guess at a leak.
setMaxListeners(0);

parentPort?.on('message', (seed: number) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  void runSeed(seed).then((result) => parentPort?.postMessage(result));
});
