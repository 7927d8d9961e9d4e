/** A feed may be larger than the memory. `FEEDS_GIGABYTE=1` reads one gigabyte of camt.053 as well. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { closingCents, GENERATED_FEEDS, type GeneratedFeed } from '../../bench/feeds-generated.ts';
import { readFeed } from '../../src/grants/rules/feeds/read-feed.ts';

const MEGABYTE = 1024 * 1024;
// What is alive after a collection, above the start. Measured: at most 1 MB in every format; a reader that kept its
// lines came to 7 MB and more, with camt.053 to 48 MB.
const ALIVE_BYTES_MAX = 4 * MEGABYTE;
const LOOKS = 6;

function aliveBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('Expected a way to collect garbage.');
  collect();
  return process.memoryUsage().heapUsed;
}

async function readWhole(feed: GeneratedFeed, entries: number) {
  let bytes = 0;
  let lines = 0;
  let netCents = 0;
  let ended = 0;
  const before = aliveBytes();
  let aliveMost = before;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of feed.chunks(entries)) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  for await (const event of readFeed('detect', counted())) {
    if (event.kind === 'line') {
      lines += 1;
      netCents += event.direction === 'credit' ? event.amountCents : -event.amountCents;
      if (lines % Math.ceil(entries / LOOKS) === 0) aliveMost = Math.max(aliveMost, aliveBytes());
    }
    if (event.kind === 'end') ended += 1;
  }
  return { bytes, lines, netCents, ended, grownBytes: aliveMost - before };
}

function expectFlat(read: Awaited<ReturnType<typeof readWhole>>, entries: number): void {
  expect(read).toMatchObject({
    lines: entries,
    ended: 1,
    netCents: closingCents(entries) - closingCents(0),
  });
  expect(read.grownBytes).toBeLessThan(ALIVE_BYTES_MAX);
}

describe('a generated feed passes through a flat heap', () => {
  it.each(GENERATED_FEEDS)('$name', async (feed) => {
    // Thirty megabytes of camt.053, which is the longest by far.
    const entries = feed.format === 'camt.053' ? 53_000 : 15_000;
    const read = await readWhole(feed, entries);
    if (feed.format === 'camt.053') expect(read.bytes).toBeGreaterThan(30e6);
    expectFlat(read, entries);
  });

  it.runIf(process.env['FEEDS_GIGABYTE'] === '1')(
    'one gigabyte of camt.053',
    async () => {
      const feed = GENERATED_FEEDS[0];
      if (feed === undefined) throw new Error('Expected a generated camt.053.');
      const entries = 1_750_000;
      const read = await readWhole(feed, entries);
      expect(read.bytes).toBeGreaterThan(1e9);
      expectFlat(read, entries);
    },
    600_000,
  );
});
