/** Feeds for the tests: the files of test/fixtures/bank, cut into chunks of any size. */
import { readFileSync } from 'node:fs';
import { formatDay } from '../../src/calendar/day.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import type { FeedEvent, FeedFormat, LineEvent } from '../../src/grants/rules/feeds/feed-events.ts';
import { readFeed } from '../../src/grants/rules/feeds/read-feed.ts';

export function fixture(name: string): Buffer {
  return readFileSync(new URL(`../fixtures/bank/${name}`, import.meta.url));
}

export async function* chunked(bytes: Uint8Array, size = bytes.length || 1) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export async function eventsOf(
  feed: Uint8Array | string,
  options: { readonly format?: FeedFormat | 'detect'; readonly chunkBytes?: number } = {},
): Promise<FeedEvent[]> {
  const bytes = typeof feed === 'string' ? Buffer.from(feed) : feed;
  const events: FeedEvent[] = [];
  for await (const event of readFeed(
    options.format ?? 'detect',
    chunked(bytes, options.chunkBytes ?? bytes.length),
  )) {
    events.push(event);
  }
  return events;
}

export async function linesOf(feed: Uint8Array | string, format?: FeedFormat) {
  const events = await eventsOf(feed, format === undefined ? {} : { format });
  return events.filter((event): event is LineEvent => event.kind === 'line');
}

/** The refusal of a feed; fails the test when the feed is read to its end. */
export async function refusalOf(
  feed: Uint8Array | string,
  format?: FeedFormat,
): Promise<FilewrightError> {
  try {
    await eventsOf(feed, format === undefined ? {} : { format });
  } catch (error) {
    if (error instanceof FilewrightError) return error;
    throw error;
  }
  throw new Error('The feed was read to its end, although it should be refused.');
}

export function signed(line: LineEvent): number {
  return line.direction === 'credit' ? line.amountCents : -line.amountCents;
}

export function dayText(day: LineEvent['valueDate']): string | undefined {
  return day === undefined ? undefined : formatDay(day);
}
