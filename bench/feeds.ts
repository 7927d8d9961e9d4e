/** How fast each bank feed is read, and that the heap does not grow with it. Seconds are those of the processor. */
import { readFeed } from '../src/grants/rules/feeds/read-feed.ts';
import { GENERATED_FEEDS, type GeneratedFeed } from './feeds-generated.ts';
import { watchMemory } from './memory.ts';
import { atMost, type Figure } from './report.ts';

const HEAP_MB_MAX = 100;
// camt.053 at one gigabyte, by the size of a generated entry.
const GIGABYTE_ENTRIES = 1_750_000;

export async function feedFigures(quick: boolean, say: (text: string) => void): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const feed of GENERATED_FEEDS) {
    const isLarge = feed.format === 'camt.053' && !quick;
    figures.push(await measure(feed, isLarge ? GIGABYTE_ENTRIES : 50_000, say));
  }
  return figures;
}

async function measure(
  feed: GeneratedFeed,
  entries: number,
  say: (text: string) => void,
): Promise<Figure> {
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of feed.chunks(entries)) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  const memory = watchMemory();
  const before = process.cpuUsage();
  let lines = 0;
  let isWhole = false;
  for await (const event of readFeed(feed.format, counted())) {
    if (event.kind === 'line') lines += 1;
    if (event.kind === 'end') isWhole = true;
    // Lets the memory watch run: the generator never waits for anything real.
    if (lines % 5_000 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const { user, system } = process.cpuUsage(before);
  const { heapBytesMax } = memory.stop();
  const megabytes = bytes / 1e6;
  const perSecond = megabytes / ((user + system) / 1e6);
  say(
    `  ${feed.name}: ${megabytes.toFixed(0)} MB, ${lines} lines, ${perSecond.toFixed(1)} MB/s, heap ${(heapBytesMax / 1e6).toFixed(1)} MB`,
  );
  const figure = atMost(
    `heap reading ${feed.name}, ${megabytes.toFixed(0)} MB at ${perSecond.toFixed(1)} MB/s`,
    heapBytesMax / 1e6,
    HEAP_MB_MAX,
    'MB',
    1,
  );
  return { ...figure, met: figure.met && isWhole && lines === entries };
}
