/** Peak memory of this process, sampled; garbage that is not collected yet counts. */
const EVERY_MS = 20;

export interface PeakMemory {
  readonly heapBytesMax: number;
  readonly rssBytesMax: number;
}

export function watchMemory(): { stop(): PeakMemory } {
  let heapBytesMax = 0;
  let rssBytesMax = 0;
  const look = (): void => {
    const { heapUsed, rss } = process.memoryUsage();
    heapBytesMax = Math.max(heapBytesMax, heapUsed);
    rssBytesMax = Math.max(rssBytesMax, rss);
  };
  const timer = setInterval(look, EVERY_MS);
  return {
    stop: () => {
      look();
      clearInterval(timer);
      return { heapBytesMax, rssBytesMax };
    },
  };
}
