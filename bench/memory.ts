/** Peak memory of this process, sampled; garbage that is not collected yet counts. */
import { getHeapStatistics } from 'node:v8';

const HEAP_EVERY_MS = 20;
/** Seldom: the operating system is asked through a file, which cost a busy worker two per cent of its time. */
const RSS_EVERY_MS = 250;

export interface PeakMemory {
  readonly heapBytesMax: number;
  readonly rssBytesMax: number;
}

export interface MemoryWatch {
  /** Looks now: for work that never waits, so that no timer runs meanwhile. */
  look(): void;
  stop(): PeakMemory;
}

export function watchMemory(): MemoryWatch {
  let heapBytesMax = 0;
  let rssBytesMax = 0;
  const lookAtHeap = (): void => {
    heapBytesMax = Math.max(heapBytesMax, getHeapStatistics().used_heap_size);
  };
  const lookAtRss = (): void => {
    rssBytesMax = Math.max(rssBytesMax, process.memoryUsage.rss());
  };
  const timers = [setInterval(lookAtHeap, HEAP_EVERY_MS), setInterval(lookAtRss, RSS_EVERY_MS)];
  return {
    look: () => {
      lookAtHeap();
      lookAtRss();
    },
    stop: () => {
      lookAtHeap();
      lookAtRss();
      for (const timer of timers) clearInterval(timer);
      return { heapBytesMax, rssBytesMax };
    },
  };
}
