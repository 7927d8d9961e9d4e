/** Many seeds on several threads: each thread asks for the next seed when it is done with one. */
import { Worker } from 'node:worker_threads';
import type { SeedResult } from './run-seed.ts';
import type { WorldName } from './worlds.ts';

export interface PoolRequest {
  readonly world: WorldName;
  readonly from: number;
  readonly count: number;
  readonly threads: number;
  /** Called for each result, in the order in which they come; true ends the run. */
  readonly onResult: (result: SeedResult) => boolean;
}

export async function runSeeds(request: PoolRequest): Promise<void> {
  const end = request.from + request.count;
  let next = request.from;
  let isOver = false;
  const thread = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL('./seed-thread.js', import.meta.url));
      const give = (): void => {
        if (isOver || next >= end) {
          resolve(worker.terminate().then(() => undefined));
          return;
        }
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        worker.postMessage({ world: request.world, seed: next });
        next += 1;
      };
      worker.on('error', reject);
      worker.on('message', (result: SeedResult) => {
        if (!isOver) isOver = request.onResult(result);
        give();
      });
      give();
    });
  await Promise.all(Array.from({ length: request.threads }, thread));
}
