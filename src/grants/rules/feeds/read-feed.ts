/** Bytes in, events out. The one entry to all readers. */
import { Bai2Reader } from './bai2.ts';
import { CamtReader } from './camt.ts';
import { type Decoding, FeedDecoder } from './decode.ts';
import { detectFormat, HEAD_BYTES, ofxForm, xmlEncoding } from './detect-format.ts';
import type { FeedEvent, FeedFormat, FeedReader } from './feed-events.ts';
import { Mt940Reader } from './mt940.ts';
import { NachaReader } from './nacha.ts';
import { OfxReader } from './ofx.ts';
import { refuse } from './refusal.ts';

// A chunk of any size is decoded in parts of this size, so that its text is never held as a whole.
const PART_BYTES = 64 * 1024;

const TAG_START = 0x3c;
const TAG_END = 0x3e;

interface OpenFeed {
  readonly decoder: FeedDecoder;
  readonly reader: FeedReader;
}

/**
 * Reads a bank feed as a stream. Events before `end` are provisional: a consumer applies them together with `end` or not
 * at all. Throws a `FilewrightError` with line, reason and remedy at the first fault.
 */
export async function* readFeed(
  format: FeedFormat | 'detect',
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<FeedEvent, void, undefined> {
  let head = new Uint8Array(0);
  let feed: OpenFeed | undefined;
  for await (const chunk of chunks) {
    if (feed !== undefined) {
      yield* eventsOf(feed, chunk);
      continue;
    }
    const longer = new Uint8Array(head.length + chunk.length);
    longer.set(head);
    longer.set(chunk, head.length);
    head = longer;
    if (!isHeadEnough(format, head)) continue;
    feed = openFeed(format, head);
    yield* eventsOf(feed, head);
  }
  if (feed === undefined) {
    feed = openFeed(format, head);
    yield* eventsOf(feed, head);
  }
  feed.decoder.finish();
  yield* feed.reader.finish();
}

/** Only detection looks far ahead; the encoding stands before the first tag of OFX, and in the first one of XML. */
function isHeadEnough(format: FeedFormat | 'detect', head: Uint8Array): boolean {
  if (head.length >= HEAD_BYTES) return true;
  if (format === 'detect') return false;
  if (format === 'ofx') return head.includes(TAG_START) && head.includes(TAG_END);
  return !format.startsWith('camt') || head.includes(TAG_END);
}

function* eventsOf(feed: OpenFeed, chunk: Uint8Array): Generator<FeedEvent> {
  for (let start = 0; start < chunk.length; start += PART_BYTES) {
    yield* feed.reader.push(feed.decoder.push(chunk.subarray(start, start + PART_BYTES)));
    feed.decoder.check();
  }
}

function openFeed(asked: FeedFormat | 'detect', head: Uint8Array): OpenFeed {
  const format = asked === 'detect' ? detectFormat(head) : asked;
  const { reader, decoding } = readerFor(format, head);
  return { reader, decoder: new FeedDecoder(decoding) };
}

function readerFor(
  format: FeedFormat,
  head: Uint8Array,
): { readonly reader: FeedReader; readonly decoding: Decoding } {
  switch (format) {
    case 'camt.053':
    case 'camt.052':
    case 'camt.054':
      return {
        reader: new CamtReader(format),
        decoding: { encoding: xmlEncoding(head), allowsTab: true },
      };
    case 'ofx': {
      const { variant, encoding } = ofxForm(head);
      return { reader: new OfxReader(variant), decoding: { encoding, allowsTab: true } };
    }
    case 'bai2':
      return { reader: new Bai2Reader(), decoding: { encoding: 'utf-8', allowsTab: false } };
    case 'mt940':
      // SWIFT's own set is ASCII; banks that send it as a file write names in Latin-1 or UTF-8, and nothing says which.
      return {
        reader: new Mt940Reader(),
        decoding: { encoding: 'utf-8', allowsTab: false, fallback: 'windows-1252' },
      };
    case 'csv':
      return refuse(
        { line: 1, column: 1 },
        {
          code: 'FEED_UNSUPPORTED',
          reason: 'a table is read with its columns',
          remedy: 'Import it with grants feed, which asks for them',
        },
      );
    case 'nacha':
      return { reader: new NachaReader(), decoding: { encoding: 'utf-8', allowsTab: false } };
  }
}
